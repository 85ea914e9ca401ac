package io.weir.insight.series;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.decision.DecisionCounters;
import io.weir.decision.DecisionEngine;
import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleFiles;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How long decisions took. */
class DecisionLatencyTest {
  @Test
  void coversTheLastMinuteAndIsEmptyWithoutDecisions() {
    DecisionCounters decisionCounters = new DecisionCounters();
    DecisionEngine decisionEngine =
        new DecisionEngine(RequestLimiter.builder(RuleSet.of(List.of())).build(), decisionCounters);
    DecisionLatency decisionLatency = new DecisionLatency(decisionCounters.decisionTimings(), 0);
    assertThat(decisionLatency.quantiles(0)).isEqualTo(new DecisionLatency.Quantiles(0, 0, 0));

    for (int i = 0; i < 4096; i++) {
      decisionEngine.decide(any -> null).toCompletableFuture().join();
    }
    decisionLatency.read(1);
    DecisionLatency.Quantiles found = decisionLatency.quantiles(1);
    assertThat(found.decisions()).isEqualTo(4096);
    assertThat(found.medianNanos()).isPositive().isLessThanOrEqualTo(found.slowNanos());
    assertThat(found.slowNanos()).isLessThanOrEqualTo(100_000_000);
    assertThat(decisionLatency.quantiles(62).decisions()).isZero();
  }

  /** Of a store that takes seconds, not the end of the scale. */
  @Test
  void distinguishesLatenciesOfSeconds() {
    ManualTime time = TimeSource.manual();
    DecisionCounters decisionCounters = new DecisionCounters();
    RuleSet rules =
        RuleFiles.read(
                "rules.yaml", "rules: [ { per: a, limit: 9 per hour, name: r } ]".getBytes(UTF_8))
            .rules()
            .orElseThrow();
    DecisionEngine decisionEngine =
        new DecisionEngine(
            RequestLimiter.builder(rules).time(time).build(), decisionCounters, time);
    DecisionLatency decisionLatency = new DecisionLatency(decisionCounters.decisionTimings(), 0);
    long[] took = new long[1];
    for (int i = 1; i <= 100; i++) {
      long millis = i == 100 ? 30_000 : i > 50 ? 3_000 : 2;
      long[] left = {millis};
      decisionEngine
          .decide(
              name -> {
                time.advance(Duration.ofMillis(left[0])); // so long it takes to find it out
                took[0] += left[0];
                left[0] = 0;
                return "a";
              })
          .toCompletableFuture()
          .join();
    }
    decisionLatency.read(1);
    DecisionLatency.Quantiles found = decisionLatency.quantiles(1);
    assertThat(found.decisions()).isEqualTo(100);
    assertThat(decisionCounters.decisionTimings().sum())
        .isEqualTo(took[0] * 1_000_000)
        .isEqualTo(177_100_000_000L);
    assertThat(found.medianNanos()).isBetween(1_000_000L, 2_500_000L);
    assertThat(found.slowNanos()).isBetween(2_500_000_000L, 5_000_000_000L);
  }
}
