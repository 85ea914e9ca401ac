package io.weir.insight;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.ManualTime;
import io.weir.StoreHealth;
import io.weir.TimeSource;
import io.weir.decision.DecisionCounters;
import io.weir.decision.DecisionEngine;
import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleFiles;
import io.weir.runtime.BackgroundThread;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** A watched decision path in virtual time; only the test runs the rounds. */
public final class InsightsFixture {
  public final ManualTime time = TimeSource.manual().set(Instant.parse("2026-11-16T12:00:00Z"));
  public final BackgroundThread thread = new BackgroundThread(time);
  public final Insights insights;
  public final RequestLimiter limiter;
  public final DecisionEngine decisionEngine;

  public InsightsFixture(String yaml) {
    this(rules(yaml));
  }

  InsightsFixture(RuleSet rules) {
    this(rules, 7);
  }

  public InsightsFixture(RuleSet rules, long secret) {
    this(rules, secret, true);
  }

  InsightsFixture(RuleSet rules, long secret, boolean isOfAll) {
    insights = new Insights(isOfAll ? Insights.Callers.ALL : Insights.Callers.THROTTLED, secret);
    limiter = RequestLimiter.builder(rules).time(time).build();
    decisionEngine =
        new DecisionEngine(limiter, new DecisionCounters(insights.decisionListener()), time);
    insights.start(decisionEngine, thread, time, () -> StoreHealth.IN_PROCESS);
  }

  public static RuleSet rules(String yaml) {
    return RuleFiles.read("rules.yaml", yaml.getBytes(UTF_8)).rules().orElseThrow();
  }

  /** Sends {@code times} requests as {@code user}. */
  public InsightsFixture request(String user, int times) {
    for (int i = 0; i < times; i++) {
      decisionEngine.decide(Map.of("user", user)::get).toCompletableFuture().join();
    }
    return this;
  }

  /** Sends one request for a path. */
  void request(String user, String path) {
    decisionEngine.decide(Map.of("user", user, "path", path)::get).toCompletableFuture().join();
  }

  public InsightsFixture pass(Duration duration) {
    thread.runRound();
    time.advance(duration);
    thread.runRound();
    return this;
  }

  /** The result of a query. */
  public <T> T query(Supplier<T> query) {
    var result = insights.ask(query).toCompletableFuture();
    thread.runRound();
    return result.join();
  }

  public List<RankedCaller> top(RankingKind rankingKind, RankingWindow rankingWindow) {
    return query(() -> insights.topCallers().top(rankingKind, rankingWindow, null, 1000));
  }
}
