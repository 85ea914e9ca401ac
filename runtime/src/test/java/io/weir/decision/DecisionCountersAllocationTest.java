package io.weir.decision;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.weir.rules.Request;
import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleSet;
import io.weir.rules.envoy.Descriptor;
import io.weir.rules.envoy.DescriptorRequest;
import io.weir.rules.file.RuleFiles;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Counting and timing a decision and its request allocates nothing. */
class DecisionCountersAllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int CALLS = 5_000;
  private static final long TIMEOUT_NANOS = 20_000_000_000L;

  /** Less than any object has; one object in 64 calls is more. */
  private static final double NOTHING = 0.2;

  private static final String RULES =
      """
      rules:
        - { name: a, per: user, limit: 100000000 per second }
        - { name: b, limit: 100000000 per second }
        - { name: tried, mode: shadow, limit: 1 per hour }
      """;

  private static final String DESCRIPTORS =
      """
      domain: shop
      descriptors:
        - { key: a, rate_limit: { unit: second, requests_per_unit: 100000000 } }
      """;

  private volatile Object kept; // what is returned is not optimised away

  @Test
  void countingARequestAllocatesNothing() {
    RequestLimiter limiter = RequestLimiter.builder(rules(RULES)).build();
    DecisionEngine decisionEngine =
        new DecisionEngine(limiter, new DecisionCounters()).at(FrontEnd.GATEWAY);
    Request request = name -> name.equals("user") ? "ann" : null;
    assertAllocatesNoMore(() -> decisionEngine.decide(request), () -> limiter.checkAsync(request));
    assertThat(decisionEngine.decisionCounters().requests(RequestOutcome.ALLOWED)).isPositive();
  }

  @Test
  void countingDescriptorsAllocatesNothing() {
    RequestLimiter limiter = RequestLimiter.builder(rules(DESCRIPTORS)).build();
    DecisionEngine decisionEngine =
        new DecisionEngine(limiter, new DecisionCounters()).at(FrontEnd.SERVICE);
    DescriptorRequest request =
        new DescriptorRequest("shop", List.of(Descriptor.of("a", "x"), Descriptor.of("b", "x")), 1);
    assertAllocatesNoMore(() -> decisionEngine.decide(request), () -> limiter.checkAsync(request));
    assertThat(decisionEngine.decisionCounters().requests(RequestOutcome.ALLOWED)).isPositive();
  }

  /** Round by round, until what is compiled is. */
  private void assertAllocatesNoMore(Supplier<?> counted, Supplier<?> alone) {
    double min = Double.MAX_VALUE;
    double minAlone = Double.MAX_VALUE;
    long start = System.nanoTime();
    for (int round = 0;
        round < 10 || (min - minAlone >= NOTHING && System.nanoTime() - start < TIMEOUT_NANOS);
        round++) {
      min = Math.min(min, bytes(counted));
      minAlone = Math.min(minAlone, bytes(alone));
    }
    assertThat(min - minAlone).isLessThan(NOTHING);
  }

  private double bytes(Supplier<?> call) {
    long before = THREADS.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < CALLS; i++) {
      kept = call.get();
    }
    return (double) (THREADS.getCurrentThreadAllocatedBytes() - before) / CALLS;
  }

  private static RuleSet rules(String yaml) {
    return RuleFiles.read("rules.yaml", yaml.getBytes(UTF_8)).rules().orElseThrow();
  }
}
