package io.weir.spring.actuator;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.weir.OnFailure;
import io.weir.decision.DecisionEngine;
import io.weir.decision.RuleCounters;
import io.weir.decision.RuleOutcome;
import io.weir.decision.ZeroSeries;
import io.weir.rules.RequestLimiter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * The meters of rules. The rules are compared once a second, so that new rules get meters and those
 * of removed rules disappear.
 */
final class RuleMeters {
  private final DecisionEngine decisionEngine;
  private final MeterRegistry registry;
  private final boolean isRemote;
  private final Map<RuleCounters, Map<String, Meter>> meters = new HashMap<>();
  private volatile Map<String, Usage> usage = Map.of();

  /**
   * @param isRemote whether the store is remote
   */
  RuleMeters(DecisionEngine decisionEngine, MeterRegistry registry, boolean isRemote) {
    this.isRemote = isRemote;
    this.decisionEngine = decisionEngine;
    this.registry = registry;
  }

  synchronized void renew() {
    usage = usage();
    List<RuleCounters> present = decisionEngine.decisionCounters().rules(decisionEngine::rules);
    ZeroSeries zeroSeries = ZeroSeries.of(decisionEngine);
    present.forEach(rule -> add(rule, zeroSeries));
    Set<RuleCounters> absent = new HashSet<>(meters.keySet());
    present.forEach(absent::remove);
    for (RuleCounters each : absent) {
      Map<String, Meter> removed = meters.remove(each);
      if (removed != null) {
        removed.values().forEach(registry::remove);
      }
    }
  }

  private Map<String, Usage> usage() {
    Map<String, Usage> found = new HashMap<>();
    for (RequestLimiter.Usage each : decisionEngine.usage()) {
      String label =
          decisionEngine.decisionCounters().label(each.limitGroup().rule(), decisionEngine::rules);
      if (label != null) {
        found.merge(label, new Usage(each.keys(), each.overflowed()), Usage::plus);
      }
    }
    return found;
  }

  private void add(RuleCounters rule, ZeroSeries zeroSeries) {
    Map<String, Meter> known = meters.computeIfAbsent(rule, any -> new HashMap<>());
    for (RuleOutcome ruleOutcome : RuleOutcome.values()) {
      if (rule.count(ruleOutcome) > 0 || zeroSeries.mayCome(rule.label(), ruleOutcome)) {
        known.computeIfAbsent("decisions " + ruleOutcome, any -> decisions(rule, ruleOutcome));
      }
    }
    for (OnFailure policy : OnFailure.values()) {
      boolean mayCome = isRemote && zeroSeries.mayCome(rule.label(), policy);
      if (rule.fallbacks(policy) > 0 || mayCome) {
        known.computeIfAbsent("fallback " + policy, any -> fallbacks(rule, policy));
      }
    }
    known.computeIfAbsent(
        "near limit",
        any ->
            counter("weir.near.limit", rule, RuleCounters::nearLimit)
                .description("Allowed requests that left less than a fifth of the limit.")
                .register(registry));
    if (usage.containsKey(rule.label())) {
      known.computeIfAbsent("keys", any -> keys(rule));
      known.computeIfAbsent("overflow", any -> overflow(rule));
    }
  }

  private Meter decisions(RuleCounters rule, RuleOutcome ruleOutcome) {
    return counter("weir.decisions", rule, each -> each.count(ruleOutcome))
        .description("Decisions by rule and outcome.")
        .tag("outcome", ruleOutcome.toString())
        .register(registry);
  }

  private Meter fallbacks(RuleCounters rule, OnFailure policy) {
    return counter("weir.fallback", rule, each -> each.fallbacks(policy))
        .description("Decisions by on_failure, because the store was unavailable.")
        .tag("policy", policy.name().toLowerCase(Locale.ROOT))
        .register(registry);
  }

  private static FunctionCounter.Builder<RuleCounters> counter(
      String name, RuleCounters rule, ToDoubleFunction<RuleCounters> count) {
    return FunctionCounter.builder(name, rule, count).tag("rule", rule.label());
  }

  private Meter keys(RuleCounters rule) {
    Supplier<Number> count = () -> used(rule).keys;
    return Gauge.builder("weir.keys", count)
        .description("Approximate number of keys kept apart in this process.")
        .tag("rule", rule.label())
        .register(registry);
  }

  private Meter overflow(RuleCounters rule) {
    return FunctionCounter.builder("weir.overflow", this, all -> all.used(rule).overflowed)
        .description("Checks by the overflow bucket, because too many keys were live.")
        .tag("rule", rule.label())
        .register(registry);
  }

  private Usage used(RuleCounters rule) {
    return usage.getOrDefault(rule.label(), Usage.NONE);
  }

  private record Usage(long keys, long overflowed) {
    static final Usage NONE = new Usage(0, 0);

    Usage plus(Usage other) {
      return new Usage(keys + other.keys, overflowed + other.overflowed);
    }
  }
}
