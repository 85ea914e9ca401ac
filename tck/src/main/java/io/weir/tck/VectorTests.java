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
    needsGivenTimes();
    return VectorReader.all().stream()
        .map(vector -> harness().can(Harness.Ability.ANY_ORIGIN) ? vector : vector.thisCentury())
        .map(vector -> DynamicTest.dynamicTest(vector.name(), () -> replay(vector)));
  }

  private void replay(Vector vector) {
    RateLimiter limiter = harness().limiter(vector.limits().toArray(Limit[]::new));
    int number = 1;
    for (Vector.Line line : vector.lines()) {
      Answer answer = Answer.of(harness().checkAt(limiter, line.key(), line.cost(), line.time()));
      assertThat(Vector.Expected.of(answer))
          .as("%s line %d: %s", vector, ++number, line)
          .isEqualTo(line.expected());
    }
  }
}
