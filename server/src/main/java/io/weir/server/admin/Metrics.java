package io.weir.server.admin;

import io.weir.OnFailure;
import io.weir.StoreHealth;
import io.weir.rules.RequestLimiter;
import io.weir.server.Arbiter;
import io.weir.server.Outcome;
import io.weir.server.RuleTally;
import io.weir.server.Timings;
import io.weir.server.Vitals;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/**
 * {@code /metrics}: what was counted, as text. There are as many lines as there are rules; none
 * tells of a caller. {@code docs/metrics.md} has them all.
 *
 * <p>Written by hand: a metrics library costs a tenth of the start and of the memory of an idle
 * server, for a page of text.
 */
final class Metrics {
  private final Arbiter arbiter;
  private final Vitals vitals;
  private final Supplier<StoreHealth> store;

  Metrics(Arbiter arbiter, Vitals vitals, Supplier<StoreHealth> store) {
    this.arbiter = arbiter;
    this.vitals = vitals;
    this.store = store;
  }

  String text() {
    Exposition out = new Exposition();
    List<RuleTally> rules = arbiter.tally().rules(arbiter::rules);
    addDecisions(out, rules);
    addFallbacks(out, rules);
    addTimes(out, arbiter.tally().timings());
    addUsage(out);
    addReloads(out);
    addStore(out, store.get());
    return out.toString();
  }

  private void addDecisions(Exposition out, List<RuleTally> rules) {
    String name = "weir_decisions_total";
    out.metric(name, "counter", "Decisions by rule and outcome.");
    for (RuleTally rule : rules) {
      for (Outcome outcome : Outcome.values()) {
        long count = rule.count(outcome);
        // The usual ones are there from the start, so that the first of them is a change.
        if (count > 0 || outcome == Outcome.ALLOWED || outcome == Outcome.DENIED) {
          out.sample(name, count, "rule", rule.label(), "outcome", outcome.toString());
        }
      }
    }
    name = "weir_near_limit_total";
    out.metric(name, "counter", "Allowed requests that left less than a fifth of the limit.");
    for (RuleTally rule : rules) {
      out.sample(name, rule.nearLimit(), "rule", rule.label());
    }
    name = "weir_unmatched_total";
    out.metric(name, "counter", "Requests that no rule was for.");
    out.sample(name, arbiter.tally().unmatched());
  }

  private static void addFallbacks(Exposition out, List<RuleTally> rules) {
    String name = "weir_fallback_total";
    out.metric(name, "counter", "Decisions by on_failure, because the store could not be asked.");
    for (RuleTally rule : rules) {
      for (OnFailure policy : OnFailure.values()) {
        long count = rule.fallbacks(policy);
        if (count > 0) {
          String label = policy.name().toLowerCase(Locale.ROOT);
          out.sample(name, count, "rule", rule.label(), "policy", label);
        }
      }
    }
  }

  private static void addTimes(Exposition out, Timings timings) {
    String name = "weir_decision_seconds";
    out.metric(name, "histogram", "Time that decisions took, a sample of one in 64.");
    long[] bounds = Timings.bounds();
    long[] counts = timings.counts();
    long total = 0;
    for (int i = 0; i < counts.length; i++) {
      total += counts[i];
      String bound = i == bounds.length ? "+Inf" : Exposition.seconds(bounds[i]);
      out.sample(name + "_bucket", total, "le", bound);
    }
    out.seconds(name + "_sum", timings.sum());
    out.sample(name + "_count", total);
  }

  private void addUsage(Exposition out) {
    Map<String, Long> keys = new LinkedHashMap<>();
    Map<String, Long> overflowed = new LinkedHashMap<>();
    for (RequestLimiter.Usage usage : arbiter.usage()) {
      String label = arbiter.tally().label(usage.meter().rule(), arbiter::rules);
      if (label != null) {
        keys.merge(label, usage.keys(), Long::sum);
        overflowed.merge(label, usage.overflowed(), Long::sum);
      }
    }
    out.metric("weir_keys", "gauge", "Keys that are kept apart in this process, about.");
    keys.forEach((label, count) -> out.sample("weir_keys", count, "rule", label));
    String name = "weir_overflow_total";
    out.metric(name, "counter", "Checks by the overflow bucket, since too many keys were live.");
    overflowed.forEach((label, count) -> out.sample(name, count, "rule", label));
  }

  private void addReloads(Exposition out) {
    String name = "weir_rules_reload_total";
    out.metric(name, "counter", "Rules that had changed, taken up or rejected.");
    out.sample(name, vitals.reloads(), "result", "success");
    out.sample(name, vitals.rejectedReloads(), "result", "rejected");
  }

  private static void addStore(Exposition out, StoreHealth health) {
    if (health.parts().isEmpty()) {
      return; // in this process: neither away nor slow
    }
    out.metric("weir_store_calls_total", "counter", "Calls to the store.");
    out.sample("weir_store_calls_total", health.calls());
    out.metric("weir_store_errors_total", "counter", "Calls that brought no answer in time.");
    out.sample("weir_store_errors_total", health.errors());
    String name = "weir_store_seconds";
    out.metric(name, "gauge", "Time that answers of the store took in the last minute.");
    out.seconds(name, health.median().toNanos(), "quantile", "0.5");
    out.seconds(name, health.slowest().toNanos(), "quantile", "0.99");
    name = "weir_breaker_state";
    out.metric(name, "gauge", "0: the store decides, 1: some answers are errors, 2: not asked.");
    for (StoreHealth.Part part : health.parts()) {
      out.sample(name, part.state().ordinal(), "part", part.name());
    }
  }
}
