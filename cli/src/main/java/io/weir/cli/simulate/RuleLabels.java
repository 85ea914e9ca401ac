package io.weir.cli.simulate;

import io.weir.rules.Rule;
import io.weir.rules.replay.RuleSummary;
import java.util.List;

/** The displayed names of rules: by name, or by domain and name if there are several domains. */
final class RuleLabels {
  private final boolean withDomain;

  RuleLabels(List<RuleSummary> rules) {
    this.withDomain = rules.stream().map(each -> each.rule().domain()).distinct().count() > 1;
  }

  String of(Rule rule) {
    return HumanFormat.plain(withDomain ? rule.domain() + "/" + rule.name() : rule.name());
  }

  String of(RuleSummary rule) {
    return of(rule.rule());
  }
}
