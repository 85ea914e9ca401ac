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
    Map<String, RuleCounters> countersByLabel = new LinkedHashMap<>();
    decisionEngine
        .decisionCounters()
        .rules(decisionEngine::rules)
        .forEach(each -> countersByLabel.put(each.label(), each));
    List<Map<String, Object>> all = new ArrayList<>();
    for (Rule rule : node.rules().rules()) {
      Map<String, Object> row = of(rule);
      String label = decisionEngine.decisionCounters().label(rule, decisionEngine::rules);
      RuleCounters counters = label == null ? null : countersByLabel.get(label);
      if (counters != null) {
        row.put("name", counters.label());
        row.put("counts", counts(counters));
      }
      all.add(row);
    }
    return all;
  }

  /**
   * The outcomes of requests, each counted once. Those that only a shadow rule would refuse are
   * included.
   */
  Map<String, Object> requests() {
    RequestCounters counters =
        node.decisionEngine().decisionCounters().requests(FrontEnd.APPLICATION);
    Map<String, Object> counts = new LinkedHashMap<>();
    for (RequestOutcome outcome : RequestOutcome.values()) {
      counts.put(outcome.toString(), counters.count(outcome));
    }
    counts.put(RuleOutcome.SHADOW_DENIED.toString(), counters.shadowDenied());
    return counts;
  }

  private Map<String, Object> of(Rule rule) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("name", rule.name());
    row.put("domain", rule.domain());
    row.put("mode", rule.policy().mode().toString());
    row.put("decided", phase(rule));
    if (!rule.match().conditions().isEmpty()) {
      row.put("match", rule.match().toString());
    }
    row.put("per", rule.per());
    row.put("limits", texts(rule.limits()));
    Map<String, Object> overrides = new LinkedHashMap<>();
    for (RuleOverride ruleOverride : rule.ruleOverrides()) {
      overrides.put(ruleOverride.id(), texts(ruleOverride.limits()));
    }
    if (!overrides.isEmpty()) {
      row.put("overrides", overrides);
    }
    row.put("on_failure", rule.policy().onFailure().name().toLowerCase(Locale.ROOT));
    row.put("place", rule.sourceLocation().toString());
    return row;
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

  private static Map<String, Object> counts(RuleCounters counters) {
    Map<String, Object> counts = new LinkedHashMap<>();
    for (RuleOutcome ruleOutcome : RuleOutcome.values()) {
      counts.put(ruleOutcome.toString(), counters.count(ruleOutcome));
    }
    counts.put("near_limit", counters.nearLimit());
    return counts;
  }
}
