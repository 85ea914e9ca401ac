package io.weir.rules.lint;

import io.weir.Limit;
import io.weir.rules.Policy;
import io.weir.rules.Rule;
import io.weir.rules.RuleOverride;
import io.weir.rules.SourceLocation;
import io.weir.rules.match.Condition;
import io.weir.rules.match.Match;
import io.weir.rules.match.ValueMatcher;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A rule under inspection, with the known properties of the attributes that it uses.
 *
 * <p>A named path segment is an attribute of this rule alone: the same name has another meaning in
 * other rules. So comparisons with other rules use {@link #abroad}.
 */
final class InspectedRule {
  private final Rule rule;
  private final DomainAttributes domainAttributes;
  private final Set<String> segments;
  private final Set<String> segmentsOfAll;
  private final @Nullable Match reach;
  private final List<InspectedLimits> meterages;

  InspectedRule(Rule rule, DomainAttributes domainAttributes) {
    this.rule = rule;
    this.domainAttributes = domainAttributes;
    this.segments = rule.segments();
    this.segmentsOfAll = segmentsOfAll(rule);
    this.reach = findReach();
    this.meterages = findMeterages();
  }

  /** The segments that are present whichever of the rule's paths a request has. */
  private static Set<String> segmentsOfAll(Rule rule) {
    Set<String> all = rule.segments();
    for (Condition condition : rule.match().conditions()) {
      for (ValueMatcher valueMatcher : condition.anyOf()) {
        if (valueMatcher instanceof ValueMatcher.OnPath on) {
          all.retainAll(on.pattern().names());
        } else if (condition.attribute().equals("path")) {
          all.clear();
        }
      }
    }
    return all;
  }

  private @Nullable Match findReach() {
    Map<String, Condition> conditions = new LinkedHashMap<>();
    rule.match().conditions().forEach(each -> conditions.put(each.attribute(), each));
    for (String name : rule.per()) {
      Condition required = conditions.get(name);
      List<ValueMatcher> valueMatchers = new ArrayList<>();
      if (required == null) {
        valueMatchers.add(new ValueMatcher.Present());
      } else {
        required.anyOf().stream()
            .filter(valueMatcher -> !(valueMatcher instanceof ValueMatcher.Absent))
            .forEach(valueMatchers::add);
      }
      if (valueMatchers.isEmpty()) {
        return null;
      }
      conditions.put(name, new Condition(name, valueMatchers));
    }
    return new Match(List.copyOf(conditions.values()));
  }

  Rule rule() {
    return rule;
  }

  DomainAttributes domainAttributes() {
    return domainAttributes;
  }

  /** {@code rule 'login'}. */
  String title() {
    return "rule '" + rule.name() + "'";
  }

  /** {@code the override {tier: free} of rule 'client'}. */
  String title(RuleOverride ruleOverride) {
    return "the override "
        + ruleOverride.name().orElseGet(ruleOverride.match()::toString)
        + " of "
        + title();
  }

  boolean isEnforced() {
    return rule.policy().mode() == Policy.Mode.ENFORCE;
  }

  /**
   * The requests that it counts, including exempt ones: its match, and all attributes of its key.
   */
  @Nullable Match reach() {
    return reach;
  }

  /** Whether {@code name} is a segment of this rule's path. */
  boolean isSegment(String name) {
    return segments.contains(name);
  }

  /** Whether a request that satisfies the rule's match may lack {@code name}. */
  boolean mayBeMissing(String name) {
    return isSegment(name) ? !segmentsOfAll.contains(name) : domainAttributes.mayBeMissing(name);
  }

  /** Whether {@code valueMatcher} may hold for {@code name}. */
  boolean canBe(String name, ValueMatcher valueMatcher) {
    return isSegment(name)
        ? !(valueMatcher instanceof ValueMatcher.Absent) || mayBeMissing(name)
        : domainAttributes.canBe(name, valueMatcher);
  }

  /** Whether some request can satisfy each condition by itself. */
  boolean isPossible(Match match) {
    return match.conditions().stream().allMatch(this::isPossible);
  }

  /** Whether some request can satisfy {@code condition}. */
  boolean isPossible(Condition condition) {
    return condition.anyOf().stream()
        .anyMatch(
            valueMatcher ->
                ImpossibleValues.why(this, condition.attribute(), valueMatcher) == null);
  }

  /** The match without its conditions on the rule's own segments. */
  Match abroad(Match match) {
    return segments.isEmpty()
        ? match
        : filter(match, condition -> !isSegment(condition.attribute()));
  }

  private static Match filter(Match match, Predicate<Condition> kept) {
    return new Match(match.conditions().stream().filter(kept).toList());
  }

  /** The rule's condition on the path; null if there is none. */
  @Nullable Condition path() {
    return rule.match().conditions().stream()
        .filter(condition -> condition.attribute().equals("path"))
        .findFirst()
        .orElse(null);
  }

  /** The attributes that it uses, except its segments. */
  Set<String> spokenOf() {
    return rule.attributes();
  }

  /** The limits of the rule and of each override that has any. */
  List<InspectedLimits> meterages() {
    return meterages;
  }

  private List<InspectedLimits> findMeterages() {
    List<InspectedLimits> all = new ArrayList<>();
    if (!rule.limits().isEmpty()) {
      all.add(new InspectedLimits(title(), rule.limits(), rule.sourceLocation()));
    }
    for (RuleOverride ruleOverride : rule.ruleOverrides()) {
      all.add(
          new InspectedLimits(
              title(ruleOverride), ruleOverride.limits(), ruleOverride.sourceLocation()));
    }
    return List.copyOf(all);
  }

  /** Limits that apply together, with the title of their owner. */
  record InspectedLimits(String title, List<Limit> limits, SourceLocation sourceLocation) {}
}
