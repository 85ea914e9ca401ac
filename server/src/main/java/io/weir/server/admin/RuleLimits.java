package io.weir.server.admin;

import io.weir.decision.CredentialMasking;
import io.weir.decision.DecisionEngine;
import io.weir.rules.Domain;
import io.weir.rules.LimitGroup;
import io.weir.rules.Rule;
import io.weir.rules.RuleOverride;
import io.weir.rules.match.MalformedRequestException;
import io.weir.text.DidYouMean;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A rule's own limits and those of its overrides: their names, and which apply to a caller. */
final class RuleLimits {
  private final Rule rule;
  private final List<String> names;

  private RuleLimits(Rule rule, List<String> names) {
    this.rule = rule;
    this.names = names;
  }

  /** The limits of a rule in force. */
  static RuleLimits of(Rule rule, DecisionEngine decisionEngine) {
    return decisionEngine.rules().domains().stream()
        .filter(domain -> domain.name().equals(rule.domain()))
        .findFirst()
        .map(domain -> of(rule, domain))
        .orElseGet(
            () -> new RuleLimits(rule, rule.ruleOverrides().stream().map(any -> "?").toList()));
  }

  static RuleLimits of(Rule rule, Domain domain) {
    return new RuleLimits(rule, CredentialMasking.over(domain).names(rule));
  }

  Rule rule() {
    return rule;
  }

  /** The names of the overrides, in their order: unique, and with credentials masked. */
  List<String> names() {
    return names;
  }

  /** The name of an override; null for the rule's own limits. */
  @Nullable String name(LimitGroup limitGroup) {
    int override = limitGroup.override();
    return override < 1 || override > names.size() ? null : names.get(override - 1);
  }

  /**
   * The override of that name.
   *
   * @param name null or empty: the rule's own limits
   * @throws MalformedRequestException if there is none
   */
  Optional<RuleOverride> named(@Nullable String name) {
    if (name == null || name.isEmpty()) {
      return Optional.empty();
    }
    int at = names.indexOf(name);
    if (at < 0) {
      throw new MalformedRequestException(
          "rule '" + rule.name() + "' has no override '" + name + "'" + DidYouMean.of(name, names));
    }
    return Optional.of(rule.ruleOverrides().get(at));
  }
}
