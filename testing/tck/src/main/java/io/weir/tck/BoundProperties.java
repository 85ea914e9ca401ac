package io.weir.tck;

import io.weir.Limit;
import io.weir.RateLimiter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * No interval contains more grants than the published bound of each algorithm, under any traffic.
 */
interface BoundProperties extends StoreTests {
  @TestFactory
  default Stream<DynamicTest> noIntervalSeesMoreThanThePublishedBound() {
    needs(Harness.Ability.MANUAL_TIME);
    return Seeds.runs(
        runs(100),
        inputGenerator -> {
          Limit limit = inputGenerator.limit();
          Traffic traffic = new Traffic(harness(), inputGenerator, List.of(limit));
          RateLimiter limiter = harness().limiter(limit);
          List<AlgorithmBounds.Grant> grants = new ArrayList<>();
          for (int i = 0; i < 150; i++) {
            traffic.step();
            long now = harness().epochNanos();
            for (long cost : new long[] {inputGenerator.cost(List.of(limit)), 1, 1}) {
              var decision = limiter.check("key", cost);
              if (decision.allowed() && cost > 0) {
                long tick = limit.tick().toNanos();
                long leaves = Math.floorDiv(now, tick) * tick + decision.delay().toNanos();
                grants.add(new AlgorithmBounds.Grant(now, cost, leaves));
              }
            }
          }
          AlgorithmBounds.verify(limit, grants);
          if (limit instanceof Limit.LeakyBucket bucket) {
            AlgorithmBounds.verifySpacing(bucket, grants);
          }
        });
  }
}
