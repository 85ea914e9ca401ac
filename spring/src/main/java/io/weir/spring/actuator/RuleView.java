package io.weir.spring.actuator;

import io.weir.Limit;
import io.weir.decision.DecisionEngine;
import io.weir.decision.FrontEnd;
import io.weir.decision.RequestCounters;
import io.weir.decision.RequestOutcome;
import io.weir.decision.RuleCounters;
import io.weir.decision.RuleOutcome;
import io.weir.rules.Rule;
import io.weir.rules.RuleOverride;
import io.weir.runtime.Node;
import io.weir.spring.method.MethodRules;
import io.weir.spring.web.Phases;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The rules in force and their counters, for the actuator endpoint. */
public final class RuleView {
  private final Node node;
  private final Phases phases;
  private final MethodRules methods;

  public RuleView(Node node, Phases phases, MethodRules methods) {
    this.node = node;
    this.phases = phases;
    this.methods = methods;
  }

  List<Map<String, Object>> all() {
    DecisionEngine decisionEngine = node.decisionEngine();
    Map<String, RuleCounters> tallies = new LinkedHashMap<>();
    decisionEngine
        .decisionCounters()
        .rules(decisionEngine::rules)
        .forEach(each -> tallies.put(each.label(), each));
    List<Map<String, Object>> all = new ArrayList<>();
    for (Rule rule : node.rules().rules()) {
      Map<String, Object> told = of(rule);
      String label = decisionEngine.decisionCounters().label(rule, decisionEngine::rules);
      RuleCounters tally = label == null ? null : tallies.get(label);
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
    RequestCounters tally = node.decisionEngine().decisionCounters().requests(FrontEnd.APPLICATION);
    Map<String, Object> counts = new LinkedHashMap<>();
    for (RequestOutcome outcome : RequestOutcome.values()) {
      counts.put(outcome.toString(), tally.count(outcome));
    }
    counts.put(RuleOutcome.SHADOW_DENIED.toString(), tally.shadowDenied());
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
    for (RuleOverride ruleOverride : rule.ruleOverrides()) {
      overrides.put(ruleOverride.id(), texts(ruleOverride.limits()));
    }
    if (!overrides.isEmpty()) {
      told.put("overrides", overrides);
    }
    told.put("on_failure", rule.policy().onFailure().name().toLowerCase(Locale.ROOT));
    told.put("place", rule.sourceLocation().toString());
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

  private static Map<String, Object> counts(RuleCounters tally) {
    Map<String, Object> counts = new LinkedHashMap<>();
    for (RuleOutcome ruleOutcome : RuleOutcome.values()) {
      counts.put(ruleOutcome.toString(), tally.count(ruleOutcome));
    }
    counts.put("near_limit", tally.nearLimit());
    return counts;
  }
}
