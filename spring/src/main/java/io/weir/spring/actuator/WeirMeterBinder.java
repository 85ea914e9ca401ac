package io.weir.spring.actuator;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.weir.StoreHealth;
import io.weir.decision.DecisionEngine;
import io.weir.decision.DecisionTimings;
import io.weir.decision.FrontEnd;
import io.weir.decision.RequestCounters;
import io.weir.decision.RequestOutcome;
import io.weir.rules.Domain;
import io.weir.rules.Policy;
import io.weir.runtime.Node;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Registers Weir's metrics in the application's registry, under the names that the server uses; see
 * {@code docs/reference/metrics.md}. Values are read from the decision path on demand; none
 * contains a caller.
 */
public final class WeirMeterBinder implements MeterBinder {
  private final Node node;

  public WeirMeterBinder(Node node) {
    this.node = node;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    DecisionEngine decisionEngine = node.decisionEngine();
    boolean isRemote = !node.health().parts().isEmpty();
    RuleMeters rules = new RuleMeters(decisionEngine, registry, isRemote);
    rules.renew();
    node.backgroundThread().eachSecond(second -> rules.renew());
    bindRequests(registry);
    FunctionCounter.builder(
            "weir.unmatched",
            decisionEngine.decisionCounters(),
            decisionCounters -> decisionCounters.requests(RequestOutcome.UNMATCHED))
        .description("Requests without a matching rule.")
        .register(registry);
    FunctionTimer.builder(
            "weir.decision",
            decisionEngine.decisionCounters().decisionTimings(),
            decisionTimings -> Arrays.stream(decisionTimings.counts()).sum(),
            DecisionTimings::sum,
            TimeUnit.NANOSECONDS)
        .description("Time that decisions took, the store included.")
        .register(registry);
    bindRules(registry);
    bindSince(registry);
    if (isRemote) {
      bindStore(registry); // a store in this process is always available and fast
    }
  }

  /** All outcomes from the start. */
  private void bindRequests(MeterRegistry registry) {
    RequestCounters requests =
        node.decisionEngine().decisionCounters().requests(FrontEnd.APPLICATION);
    for (RequestOutcome outcome : RequestOutcome.values()) {
      FunctionCounter.builder("weir.requests", requests, each -> each.count(outcome))
          .description("Requests by port and outcome, each counted once.")
          .tags("port", FrontEnd.APPLICATION.toString(), "outcome", outcome.toString())
          .register(registry);
    }
  }

  private void bindRules(MeterRegistry registry) {
    for (Policy.Mode mode : Policy.Mode.values()) {
      Gauge.builder("weir.rules", node, each -> count(each, mode))
          .description("Rules by mode.")
          .tags("mode", mode.toString())
          .register(registry);
    }
    FunctionCounter.builder("weir.rules.reload", node, each -> each.reloadCounters().taken())
        .description("Reloads of changed rules, applied or rejected.")
        .tags("result", "success")
        .register(registry);
    FunctionCounter.builder("weir.rules.reload", node, each -> each.reloadCounters().rejected())
        .description("Reloads of changed rules, applied or rejected.")
        .tags("result", "rejected")
        .register(registry);
  }

  private void bindSince(MeterRegistry registry) {
    TimeGauge.builder(
            "weir.rules.reload.timestamp",
            node,
            TimeUnit.MILLISECONDS,
            each -> (double) each.reloadCounters().since().toEpochMilli())
        .description("When the rules in force were loaded.")
        .register(registry);
  }

  private static double count(Node node, Policy.Mode mode) {
    return node.rules().domains().stream()
        .map(Domain::allRules)
        .mapToLong(all -> all.stream().filter(rule -> rule.policy().mode() == mode).count())
        .sum();
  }

  private void bindStore(MeterRegistry registry) {
    FunctionCounter.builder("weir.store.calls", node, each -> each.health().calls())
        .description("Calls to the store.")
        .register(registry);
    FunctionCounter.builder("weir.store.errors", node, each -> each.health().errors())
        .description("Calls without a response in time.")
        .register(registry);
    bindTime(registry, "0.5", true);
    bindTime(registry, "0.99", false);
    for (StoreHealth.Part part : node.health().parts()) {
      Gauge.builder("weir.breaker.state", node, each -> state(each.health(), part.name()))
          .description("0: the store decides, 1: some calls fail, 2: not called.")
          .tags("part", part.name())
          .register(registry);
    }
  }

  private void bindTime(MeterRegistry registry, String quantile, boolean isMedian) {
    TimeGauge.builder(
            "weir.store",
            node,
            TimeUnit.NANOSECONDS,
            each -> nanos(isMedian ? each.health().median() : each.health().slowest()))
        .description("Response times of the store in the last minute.")
        .tags(Tags.of("quantile", quantile))
        .register(registry);
  }

  private static double state(StoreHealth health, String part) {
    return health.parts().stream()
        .filter(each -> each.name().equals(part))
        .mapToInt(each -> each.state().ordinal())
        .findFirst()
        .orElse(0);
  }

  /** NaN without data: zero would look like the fastest store. */
  private static double nanos(Duration time) {
    return time.isZero() ? Double.NaN : time.toNanos();
  }
}
