package io.weir.insight.series;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Fallbacks;
import io.weir.StoreHealth;
import io.weir.StoreHealth.Outage;
import io.weir.StoreHealth.Part;
import io.weir.StoreHealth.State;
import io.weir.decision.DecisionCounters;
import io.weir.decision.DecisionEngine;
import io.weir.rules.RequestLimiter;
import io.weir.rules.file.RuleFiles;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The state of a store over the last minute, from what the store says of itself. */
class StoreMonitorTest {
  private static final long START = 1_790_000_000;
  private static final Fallbacks SOME = new Fallbacks(7, 0, 0, 0, "rule", Map.of("api", 7L));

  private StoreHealth health = health(0, 0, List.of());
  private final StoreMonitor watch = new StoreMonitor(() -> health, decisionHistory(), START);

  private static DecisionHistory decisionHistory() {
    DecisionEngine decisionEngine =
        new DecisionEngine(
            RequestLimiter.builder(
                    RuleFiles.read("r.yaml", "rules: [{name: api, limit: 1/s}]".getBytes(UTF_8))
                        .rules()
                        .orElseThrow())
                .build(),
            new DecisionCounters());
    return new DecisionHistory(decisionEngine.decisionCounters(), decisionEngine::rules, START);
  }

  private static StoreHealth health(
      long calls, long errors, List<Outage> outages, State... states) {
    List<Part> parts =
        List.of(states).stream().map(state -> new Part("part", state, "reason")).toList();
    return new StoreHealth(calls, errors, 0, Duration.ZERO, Duration.ZERO, parts, 1, outages);
  }

  private static Outage outage(long from, Optional<Instant> to) {
    return new Outage(Instant.ofEpochSecond(from), to, State.DOWN, "part", "is away", SOME);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, UP, UP, UP",
    "1000, 0, UP, UP, UP",
    "5001, 5, UP, UP, UP",
    "5000, 5, UP, UP, DEGRADED",
    "60, 4, UP, UP, UP",
    "60, 5, UP, UP, DEGRADED",
    "1000, 0, UP, DOWN, DEGRADED",
    "1000, 0, DEGRADED, UP, DEGRADED",
    "1000, 0, DEGRADED, DOWN, DEGRADED",
    "1000, 1000, DOWN, DOWN, DOWN",
    "0, 0, DOWN, DOWN, DOWN",
  })
  void reportsTheLastMinute(long calls, long errors, State one, State other, State expected) {
    health = health(calls, errors, List.of(), one, other);
    StoreLastMinute minute = watch.read(START + 1);
    assertThat(minute.state()).isEqualTo(expected);
    assertThat(minute.calls()).isEqualTo(calls);
    assertThat(minute.errors()).isEqualTo(errors);
  }

  @Test
  void forgetsErrorsOlderThanAMinute() {
    health = health(7887, 7887, List.of(), State.UP);
    assertThat(watch.read(START + 1).state()).isEqualTo(State.DEGRADED);
    assertThat(watch.read(START + 50).errors()).isEqualTo(7887);
    StoreLastMinute later = watch.read(START + 61);
    assertThat(later.state()).isEqualTo(State.UP);
    assertThat(later.errors()).isZero();
    assertThat(later.sinceMillis()).isEqualTo((START + 61) * 1000);
    assertThat(later.health().errors()).as("since the start").isEqualTo(7887);
  }

  @Test
  void reportsOutageWithStartAndRulesUntilAMinuteAfterItsEnd() {
    health = health(0, 0, List.of(outage(START + 3, Optional.empty())), State.DOWN);
    StoreLastMinute down = watch.read(START + 90);
    assertThat(down.sinceMillis()).isEqualTo((START + 3) * 1000);
    assertThat(down.rules()).containsExactly(new StoreLastMinute.OfRule("api", 7));
    assertThat(watch.latest()).isEqualTo(down);

    Optional<Instant> end = Optional.of(Instant.ofEpochSecond(START + 100));
    health = health(0, 0, List.of(outage(START + 3, end)), State.UP);
    assertThat(watch.read(START + 100).outage()).isNotNull();
    assertThat(watch.read(START + 159).outage()).isNotNull();
    assertThat(watch.read(START + 160).outage()).isNull();
    assertThat(watch.read(START + 160).state()).isEqualTo(State.UP);
  }
}
