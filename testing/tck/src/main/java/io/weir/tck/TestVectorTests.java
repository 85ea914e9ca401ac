package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.RateLimiter;
import io.weir.tck.model.ObservedDecision;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The worked examples, line by line. */
interface TestVectorTests extends StoreTests {
  @TestFactory
  default Stream<DynamicTest> vectors() {
    needsGivenTimes();
    return TestVectorReader.all().stream()
        .filter(
            testVector ->
                testVector.reloads().isEmpty() || harness().can(Harness.Ability.MANUAL_TIME))
        .map(
            testVector ->
                harness().can(Harness.Ability.ANY_ORIGIN) ? testVector : testVector.thisCentury())
        .map(testVector -> DynamicTest.dynamicTest(testVector.name(), () -> replay(testVector)));
  }

  private void replay(TestVector testVector) {
    RateLimiter limiter = harness().limiter(testVector.limits().toArray(Limit[]::new));
    Iterator<TestVector.Reload> reloads = testVector.reloads().iterator();
    TestVector.Reload next = reloads.hasNext() ? reloads.next() : null;
    int number = 1;
    for (TestVector.Line line : testVector.lines()) {
      while (next != null && next.time() <= line.time()) {
        harness().setNanos(Math.multiplyExact(next.time(), 1_000_000));
        List<Limit> limits = next.limits();
        limiter.reconfigure(limits.get(0), limits.subList(1, limits.size()).toArray(Limit[]::new));
        next = reloads.hasNext() ? reloads.next() : null;
      }
      ObservedDecision observedDecision = ObservedDecision.of(decide(testVector, limiter, line));
      assertThat(TestVector.Expected.of(observedDecision))
          .as("%s line %d: %s", testVector, ++number, line)
          .isEqualTo(line.expected());
    }
  }

  /** Where limits change, all requests use one clock. */
  private Decision decide(TestVector testVector, RateLimiter limiter, TestVector.Line line) {
    if (testVector.reloads().isEmpty()) {
      return harness().checkAt(limiter, line.key(), line.cost(), line.time());
    }
    harness().setNanos(Math.multiplyExact(line.time(), 1_000_000));
    return limiter.check(line.key(), line.cost());
  }
}
