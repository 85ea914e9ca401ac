package io.weir.spring;

import io.weir.Limit;
import io.weir.arbiter.Arbiter;
import io.weir.arbiter.FrontEnd;
import io.weir.arbiter.Outcome;
import io.weir.arbiter.RequestOutcome;
import io.weir.arbiter.RequestTally;
import io.weir.arbiter.RuleTally;
import io.weir.node.Node;
import io.weir.rules.Rule;
import io.weir.rules.Variant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The rules in force and their counters, for the actuator endpoint. */
final class RuleView {
  private final Node node;
  private final Phases phases;
  private final MethodRules methods;

  RuleView(Node node, Phases phases, MethodRules methods) {
    this.node = node;
    this.phases = phases;
    this.methods = methods;
  }

  List<Map<String, Object>> all() {
    Arbiter arbiter = node.arbiter();
    Map<String, RuleTally> tallies = new LinkedHashMap<>();
    arbiter.tally().rules(arbiter::rules).forEach(each -> tallies.put(each.label(), each));
    List<Map<String, Object>> all = new ArrayList<>();
    for (Rule rule : node.rules().rules()) {
      Map<String, Object> told = of(rule);
      String label = arbiter.tally().label(rule, arbiter::rules);
      RuleTally tally = label == null ? null : tallies.get(label);
      if (tally != null) {
        told.put("name", tally.label());
        told.put("counts", counts(tally));
      }
      all.add(told);
    }
    return all;
  }

  /**
   * The outcomes of requests, each counted once. Those that only a shadow rule would refuse are
   * included.
   */
  Map<String, Object> requests() {
    RequestTally tally = node.arbiter().tally().requests(FrontEnd.APPLICATION);
    Map<String, Object> counts = new LinkedHashMap<>();
    for (RequestOutcome outcome : RequestOutcome.values()) {
      counts.put(outcome.toString(), tally.count(outcome));
    }
    counts.put(Outcome.SHADOW_DENIED.toString(), tally.shadowDenied());
    return counts;
  }

  private Map<String, Object> of(Rule rule) {
    Map<String, Object> told = new LinkedHashMap<>();
    told.put("name", rule.name());
    told.put("domain", rule.domain());
    told.put("mode", rule.policy().mode().toString());
    told.put("decided", phase(rule));
    if (!rule.match().conditions().isEmpty()) {
      told.put("match", rule.match().toString());
    }
    told.put("per", rule.per());
    told.put("limits", texts(rule.limits()));
    Map<String, Object> overrides = new LinkedHashMap<>();
    for (Variant variant : rule.variants()) {
      overrides.put(variant.id(), texts(variant.limits()));
    }
    if (!overrides.isEmpty()) {
      told.put("overrides", overrides);
    }
    told.put("on_failure", rule.policy().onFailure().name().toLowerCase(Locale.ROOT));
    told.put("place", rule.place().toString());
    return told;
  }

  private String phase(Rule rule) {
    if (methods.has(rule)) {
      return "on methods";
    }
    return phases.isLate(rule) ? "behind authentication" : "before authentication";
  }

  private static List<String> texts(List<Limit> limits) {
    return limits.stream().map(Limit::toString).toList();
  }

  private static Map<String, Object> counts(RuleTally tally) {
    Map<String, Object> counts = new LinkedHashMap<>();
    for (Outcome outcome : Outcome.values()) {
      counts.put(outcome.toString(), tally.count(outcome));
    }
    counts.put("near_limit", tally.nearLimit());
    return counts;
  }
}
