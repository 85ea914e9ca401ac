package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.RateLimiter;
import io.weir.tck.model.Answer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The worked cases, line by line. */
interface VectorTests extends StoreTests {
  @TestFactory
  default Stream<DynamicTest> vectors() {
    needs(Harness.Ability.CALLER_TIME);
    return VectorReader.all().stream()
        .map(vector -> DynamicTest.dynamicTest(vector.name(), () -> replay(vector)));
  }

  private void replay(Vector vector) {
    RateLimiter limiter = harness().limiter(vector.limits().toArray(Limit[]::new));
    int number = 1;
    for (Vector.Line line : vector.lines()) {
      Answer answer = Answer.of(limiter.checkAt(line.key(), line.cost(), line.time()));
      assertThat(Vector.Expected.of(answer))
          .as("%s line %d: %s", vector, ++number, line)
          .isEqualTo(line.expected());
    }
  }
}
