package io.weir.server.metrics;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.Quantile;
import io.prometheus.metrics.model.snapshots.Quantiles;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.weir.OnFailure;
import io.weir.StoreHealth;
import io.weir.decision.DecisionCounters;
import io.weir.decision.DecisionEngine;
import io.weir.decision.DecisionTimings;
import io.weir.decision.FrontEnd;
import io.weir.decision.RequestOutcome;
import io.weir.decision.RuleCounters;
import io.weir.decision.RuleOutcome;
import io.weir.decision.ZeroSeries;
import io.weir.rules.Domain;
import io.weir.rules.Policy;
import io.weir.rules.RequestLimiter;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.server.Build;
import io.weir.server.ServerStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The metrics of Weir itself. The number of samples grows with the rules; none identifies a caller.
 *
 * <p>The counters are those of {@link RuleCounters}, read at each scrape. A meter of the library
 * for each would keep all samples in memory all the time, and would cost the decision path a
 * lookup.
 */
final class ServerMetrics {
  private static final double NANOS = 1e9;

  private final DecisionEngine decisionEngine;
  private final ServerStatus serverStatus;
  private final Supplier<StoreHealth> store;

  ServerMetrics(
      DecisionEngine decisionEngine, ServerStatus serverStatus, Supplier<StoreHealth> store) {
    this.decisionEngine = decisionEngine;
    this.serverStatus = serverStatus;
    this.store = store;
  }

  List<MetricSnapshot> snapshots() {
    List<MetricSnapshot> all = new ArrayList<>();
    List<RuleCounters> rules = decisionEngine.decisionCounters().rules(decisionEngine::rules);
    ZeroSeries zeroSeries = ZeroSeries.of(decisionEngine);
    StoreHealth health = store.get();
    addRequests(all);
    addDecisions(all, rules, zeroSeries);
    addFallbacks(all, rules, health.parts().isEmpty() ? ZeroSeries.NONE : zeroSeries);
    addTimes(all, decisionEngine.decisionCounters().decisionTimings());
    addUsage(all);
    addRules(all, decisionEngine.rules());
    addProcess(all);
    addStore(all, health);
    TrafficMetrics.addTo(all, serverStatus);
    return all;
  }

  private void addDecisions(
      List<MetricSnapshot> all, List<RuleCounters> rules, ZeroSeries zeroSeries) {
    MetricFamily<?> decisions =
        MetricFamily.counter("weir_decisions", "Decisions by rule and outcome.");
    MetricFamily<?> hits =
        MetricFamily.counter("weir_hits", "Permits that those requests cost, by rule and outcome.");
    MetricFamily<?> near =
        MetricFamily.counter(
            "weir_near_limit", "Allowed requests that left less than a fifth of the limit.");
    for (RuleCounters rule : rules) {
      for (RuleOutcome ruleOutcome : RuleOutcome.values()) {
        long count = rule.count(ruleOutcome);
        if (count > 0 || zeroSeries.mayCome(rule.label(), ruleOutcome)) {
          decisions.add(count, "rule", rule.label(), "outcome", ruleOutcome.toString());
          hits.add(rule.hits(ruleOutcome), "rule", rule.label(), "outcome", ruleOutcome.toString());
        }
      }
      near.add(rule.nearLimit(), "rule", rule.label());
    }
    all.add(decisions.snapshot());
    all.add(hits.snapshot());
    all.add(near.snapshot());
  }

  /** Adds all outcomes of each active front end from the start: see {@link ZeroSeries}. */
  private void addRequests(List<MetricSnapshot> all) {
    MetricFamily<?> requests =
        MetricFamily.counter("weir_requests", "Requests by port and outcome, each counted once.");
    DecisionCounters decisionCounters = decisionEngine.decisionCounters();
    for (FrontEnd frontEnd : decisionCounters.frontEnds()) {
      for (RequestOutcome outcome : RequestOutcome.values()) {
        requests.add(
            decisionCounters.requests(frontEnd).count(outcome),
            "port",
            frontEnd.toString(),
            "outcome",
            outcome.toString());
      }
    }
    all.add(requests.snapshot());
    all.add(
        MetricFamily.counter("weir_unmatched", "Requests without a matching rule.")
            .add(decisionCounters.requests(RequestOutcome.UNMATCHED))
            .snapshot());
  }

  private static void addFallbacks(
      List<MetricSnapshot> all, List<RuleCounters> rules, ZeroSeries zeroSeries) {
    MetricFamily<CounterDataPointSnapshot> fallbacks =
        MetricFamily.counter(
            "weir_fallback", "Decisions by on_failure, because the store was unavailable.");
    for (RuleCounters rule : rules) {
      for (OnFailure policy : OnFailure.values()) {
        long count = rule.fallbacks(policy);
        if (count > 0 || zeroSeries.mayCome(rule.label(), policy)) {
          String label = policy.name().toLowerCase(Locale.ROOT);
          fallbacks.add(count, "rule", rule.label(), "policy", label);
        }
      }
    }
    all.add(fallbacks.snapshot());
  }

  private static void addTimes(List<MetricSnapshot> all, DecisionTimings decisionTimings) {
    long[] bounds = DecisionTimings.bounds();
    double[] seconds = new double[bounds.length + 1];
    for (int i = 0; i < bounds.length; i++) {
      seconds[i] = bounds[i] / NANOS;
    }
    seconds[bounds.length] = Double.POSITIVE_INFINITY;
    all.add(
        HistogramSnapshot.builder()
            .name("weir_decision_seconds")
            .help("Time that decisions took, the store included.")
            .dataPoint(
                HistogramSnapshot.HistogramDataPointSnapshot.builder()
                    .classicHistogramBuckets(
                        ClassicHistogramBuckets.of(seconds, decisionTimings.counts()))
                    .sum(decisionTimings.sum() / NANOS)
                    .build())
            .build());
  }

  private void addUsage(List<MetricSnapshot> all) {
    Map<String, Long> keys = new LinkedHashMap<>();
    Map<String, Long> overflowed = new LinkedHashMap<>();
    for (RequestLimiter.Usage usage : decisionEngine.usage()) {
      String label =
          decisionEngine.decisionCounters().label(usage.limitGroup().rule(), decisionEngine::rules);
      if (label != null) {
        keys.merge(label, usage.keys(), Long::sum);
        overflowed.merge(label, usage.overflowed(), Long::sum);
      }
    }
    MetricFamily<GaugeDataPointSnapshot> kept =
        MetricFamily.gauge("weir_keys", "Approximate number of keys kept apart in this process.");
    keys.forEach((label, count) -> kept.add(count, "rule", label));
    all.add(kept.snapshot());
    MetricFamily<CounterDataPointSnapshot> shared =
        MetricFamily.counter(
            "weir_overflow", "Checks by the overflow bucket, because too many keys were live.");
    overflowed.forEach((label, count) -> shared.add(count, "rule", label));
    all.add(shared.snapshot());
  }

  private void addRules(List<MetricSnapshot> all, RuleSet rules) {
    Map<Policy.Mode, Integer> modes = new EnumMap<>(Policy.Mode.class);
    for (Domain domain : rules.domains()) {
      for (Rule rule : domain.allRules()) {
        modes.merge(rule.policy().mode(), 1, Integer::sum);
      }
    }
    MetricFamily<GaugeDataPointSnapshot> inForce =
        MetricFamily.gauge("weir_rules", "Rules by mode.");
    for (Policy.Mode mode : Policy.Mode.values()) {
      inForce.add(modes.getOrDefault(mode, 0), "mode", mode.toString());
    }
    all.add(inForce.snapshot());
    all.add(
        MetricFamily.counter("weir_rules_reload", "Reloads of changed rules, applied or rejected.")
            .add(serverStatus.reloadCounters().taken(), "result", "success")
            .add(serverStatus.reloadCounters().rejected(), "result", "rejected")
            .snapshot());
    all.add(
        MetricFamily.gauge(
                "weir_rules_reload_timestamp_seconds", "When the rules in force were loaded.")
            .add(serverStatus.reloadCounters().since().toEpochMilli() / 1e3)
            .snapshot());
  }

  private void addProcess(List<MetricSnapshot> all) {
    all.add(
        InfoSnapshot.builder()
            .name("weir_build")
            .help("What is running.")
            .dataPoint(
                InfoSnapshot.InfoDataPointSnapshot.builder()
                    .labels(Labels.of("version", Build.version()))
                    .build())
            .build());
    all.add(
        MetricFamily.gauge("weir_ready", "1: accepts new requests, 0: starting or stopping.")
            .add(serverStatus.isReady() ? 1 : 0)
            .snapshot());
    MetricFamily<GaugeDataPointSnapshot> connections =
        MetricFamily.gauge("weir_connections", "Connections to a port that are open.");
    serverStatus.connections().forEach((port, count) -> connections.add(count, "port", port));
    all.add(connections.snapshot());
  }

  private static void addStore(List<MetricSnapshot> all, StoreHealth health) {
    if (health.parts().isEmpty()) {
      return; // a local store is neither unavailable nor slow
    }
    all.add(
        MetricFamily.counter("weir_store_calls", "Calls to the store.")
            .add(health.calls())
            .snapshot());
    all.add(
        MetricFamily.counter("weir_store_errors", "Calls without a response in time.")
            .add(health.errors())
            .snapshot());
    all.add(
        MetricFamily.counter("weir_store_shed", "Calls without memory to wait for a response.")
            .add(health.shed())
            .snapshot());
    Quantiles quantiles =
        Quantiles.of(
            new Quantile(0.5, seconds(health.median())),
            new Quantile(0.99, seconds(health.slowest())));
    all.add(
        SummarySnapshot.builder()
            .name("weir_store_seconds")
            .help("Response times of the store in the last minute.")
            .dataPoint(
                SummarySnapshot.SummaryDataPointSnapshot.builder().quantiles(quantiles).build())
            .build());
    MetricFamily<GaugeDataPointSnapshot> breakers =
        MetricFamily.gauge(
            "weir_breaker_state", "0: the store decides, 1: some calls fail, 2: not called.");
    for (StoreHealth.Part part : health.parts()) {
      breakers.add(part.state().ordinal(), "part", part.name());
    }
    all.add(breakers.snapshot());
  }

  /**
   * The time in seconds; NaN if there was no response, because zero would look like the fastest
   * store.
   */
  private static double seconds(Duration time) {
    return time.isZero() ? Double.NaN : time.toNanos() / NANOS;
  }
}
