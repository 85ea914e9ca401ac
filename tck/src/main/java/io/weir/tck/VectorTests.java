package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.RateLimiter;
import io.weir.tck.model.Answer;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The worked examples, line by line. */
interface VectorTests extends StoreTests {
  @TestFactory
  default Stream<DynamicTest> vectors() {
    needsGivenTimes();
    return VectorReader.all().stream()
        .filter(vector -> vector.reloads().isEmpty() || harness().can(Harness.Ability.MANUAL_TIME))
        .map(vector -> harness().can(Harness.Ability.ANY_ORIGIN) ? vector : vector.thisCentury())
        .map(vector -> DynamicTest.dynamicTest(vector.name(), () -> replay(vector)));
  }

  private void replay(Vector vector) {
    RateLimiter limiter = harness().limiter(vector.limits().toArray(Limit[]::new));
    Iterator<Vector.Reload> reloads = vector.reloads().iterator();
    Vector.Reload next = reloads.hasNext() ? reloads.next() : null;
    int number = 1;
    for (Vector.Line line : vector.lines()) {
      while (next != null && next.time() <= line.time()) {
        harness().setNanos(Math.multiplyExact(next.time(), 1_000_000));
        List<Limit> limits = next.limits();
        limiter.reconfigure(limits.get(0), limits.subList(1, limits.size()).toArray(Limit[]::new));
        next = reloads.hasNext() ? reloads.next() : null;
      }
      Answer answer = Answer.of(ask(vector, limiter, line));
      assertThat(Vector.Expected.of(answer))
          .as("%s line %d: %s", vector, ++number, line)
          .isEqualTo(line.expected());
    }
  }

  /** Where limits change, all requests use one clock. */
  private Decision ask(Vector vector, RateLimiter limiter, Vector.Line line) {
    if (vector.reloads().isEmpty()) {
      return harness().checkAt(limiter, line.key(), line.cost(), line.time());
    }
    harness().setNanos(Math.multiplyExact(line.time(), 1_000_000));
    return limiter.check(line.key(), line.cost());
  }
}
