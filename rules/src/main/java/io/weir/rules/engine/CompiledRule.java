package io.weir.rules.engine;

import io.weir.rules.Cost;
import io.weir.rules.LimitGroup;
import io.weir.rules.Policy;
import io.weir.rules.Request;
import io.weir.rules.Rule;
import io.weir.rules.match.Address;
import io.weir.rules.match.AttributeValues;
import io.weir.rules.match.Condition;
import io.weir.rules.match.MalformedRequestException;
import io.weir.rules.match.Match;
import io.weir.rules.match.MatchIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A compiled rule: the work that remains after its match is known to hold, its key, its cost and
 * its limit groups.
 *
 * <p>Conditions on named path segments are checked here, because those attributes belong to this
 * rule alone.
 */
final class CompiledRule {
  private final Rule rule;
  private final PendingCharge.Kind kind;
  private final PathVariables pathVariables;
  private final @Nullable MatchIndex<Boolean> onSegments;
  private final @Nullable MatchIndex<Boolean> exempt;
  private final @Nullable MatchIndex<LimitGroup> variants;
  private final List<LimitGroup> overrides = new ArrayList<>();
  private final AttributeIndex attributeIndex;
  private final int[] per;
  private final int costPlace;
  private final @Nullable LimitGroup limitGroup;

  CompiledRule(Rule rule, AttributeIndex attributeIndex, LimitGroups limitGroups) {
    this.rule = rule;
    this.kind =
        rule.policy().mode() == Policy.Mode.ENFORCE
            ? PendingCharge.Kind.TAKE
            : PendingCharge.Kind.SHADOW_TAKE;
    this.attributeIndex = attributeIndex;
    this.pathVariables = new PathVariables(rule, attributeIndex);
    this.onSegments = indexOf(List.of(new Match(conditions(rule.match(), true))));
    this.exempt = indexOf(rule.exempt());
    this.limitGroup = rule.limits().isEmpty() ? null : limitGroups.add(rule);
    List<MatchIndex.Entry<LimitGroup>> entries = new ArrayList<>();
    for (int i = 0; i < rule.ruleOverrides().size(); i++) {
      LimitGroup own = limitGroups.add(rule, i);
      overrides.add(own);
      entries.add(new MatchIndex.Entry<>(rule.ruleOverrides().get(i).match(), own));
    }
    this.variants = entries.isEmpty() ? null : MatchIndex.of(entries, pathVariables::place);
    this.per = rule.per().stream().mapToInt(pathVariables::place).toArray();
    this.costPlace =
        rule.cost() instanceof Cost.OfAttribute of ? pathVariables.place(of.attribute()) : 0;
  }

  /**
   * The conditions that can be checked before the rule is known: all except those on path segments.
   */
  Match match() {
    return new Match(conditions(rule.match(), false));
  }

  Rule rule() {
    return rule;
  }

  private List<Condition> conditions(Match match, boolean ofSegments) {
    return match.conditions().stream()
        .filter(condition -> pathVariables.names().contains(condition.attribute()) == ofSegments)
        .toList();
  }

  private @Nullable MatchIndex<Boolean> indexOf(List<Match> matches) {
    boolean isTrivial = matches.stream().allMatch(match -> match.conditions().isEmpty());
    return isTrivial && matches.size() <= 1 && !(matches == rule.exempt() && !matches.isEmpty())
        ? null
        : MatchIndex.of(
            matches.stream().map(match -> new MatchIndex.Entry<>(match, true)).toList(),
            pathVariables::place);
  }

  /** The rule's charge for a request for which {@link #match} holds; null if none. */
  @Nullable PendingCharge charge(RequestAttributes request) {
    AttributeValues attributeValues = pathVariables.in(request);
    if ((onSegments != null && !onSegments.any(attributeValues))
        || (exempt != null && exempt.any(attributeValues))) {
      return null;
    }
    String key = key(attributeValues);
    LimitGroup limitGroup = key == null ? null : limitGroupFor(attributeValues);
    return key == null || limitGroup == null
        ? null
        : new PendingCharge(
            limitGroup, key, limitGroup.charged(cost(attributeValues, request.request())), kind);
  }

  private @Nullable LimitGroup limitGroupFor(AttributeValues attributeValues) {
    LimitGroup variant = variants == null ? null : variants.first(attributeValues);
    return variant == null ? limitGroup : variant;
  }

  private @Nullable String key(AttributeValues attributeValues) {
    if (per.length == 1) {
      String value = attributeValues.value(per[0]);
      return value == null ? null : KeyJoiner.of(value);
    }
    KeyJoiner keyJoiner = new KeyJoiner();
    for (int place : per) {
      String value = attributeValues.value(place);
      if (value == null) {
        return null;
      }
      keyJoiner.add(value);
    }
    return keyJoiner.toString();
  }

  /**
   * The key of the bucket for {@code caller}, by the key's attributes or those that they are
   * derived from.
   *
   * @throws MalformedRequestException if one is missing
   */
  String keyOf(RequestAttributes caller) {
    AttributeValues attributeValues = pathVariables.in(caller);
    KeyJoiner keyJoiner = new KeyJoiner();
    for (int i = 0; i < per.length; i++) {
      String name = rule.per().get(i);
      String derived = attributeValues.value(per[i]);
      String value = derived == null ? caller.request().attribute(name) : derived;
      keyJoiner.add(KeyJoiner.required(value, name, rule));
    }
    return keyJoiner.toString();
  }

  /**
   * The limits that apply to {@code caller}: the rule's own, or those of an override. Empty if that
   * depends on attributes that {@code caller} lacks, or if there are none.
   */
  Optional<LimitGroup> applying(RequestAttributes caller) {
    AttributeValues attributeValues = new Given(pathVariables.in(caller), caller.request());
    for (LimitGroup each : overrides) {
      boolean isOpen = false;
      boolean isOut = false;
      for (Condition condition : each.ruleOverride().orElseThrow().match().conditions()) {
        boolean isGiven = isGiven(condition.attribute(), caller.request());
        isOpen |= !isGiven;
        isOut |= isGiven && !holds(condition, attributeValues);
      }
      if (!isOut) {
        return isOpen ? Optional.empty() : Optional.of(each);
      }
    }
    return Optional.ofNullable(limitGroup);
  }

  /**
   * The given values. A caller may be described by a derived attribute in {@code per}, without the
   * attributes that it is derived from.
   */
  private final class Given implements AttributeValues {
    private final AttributeValues derived;
    private final Request caller;

    Given(AttributeValues derived, Request caller) {
      this.derived = derived;
      this.caller = caller;
    }

    @Override
    public @Nullable String value(int place) {
      if (place < attributeIndex.count()) {
        String name = attributeIndex.name(place);
        List<String> from = attributeIndex.sources(name);
        String given =
            from.isEmpty() || isGiven(from.get(0), caller) ? null : caller.attribute(name);
        if (given != null && !given.isEmpty()) {
          return given;
        }
      }
      return derived.value(place);
    }

    @Override
    public @Nullable Address address() {
      return derived.address();
    }
  }

  /** Whether the value follows from given values; a default does not count. */
  private boolean isGiven(String attribute, Request caller) {
    if (pathVariables.names().contains(attribute)) {
      return isGiven("path", caller);
    }
    String given = caller.attribute(attribute);
    if (given != null && !given.isEmpty()) {
      return true;
    }
    List<String> from = attributeIndex.sources(attribute);
    // for several attributes, the first must be given
    return !from.isEmpty() && isGiven(from.get(0), caller);
  }

  private boolean holds(Condition condition, AttributeValues attributeValues) {
    return MatchIndex.of(
            List.of(new MatchIndex.Entry<>(new Match(List.of(condition)), true)),
            pathVariables::place)
        .any(attributeValues);
  }

  private long cost(AttributeValues attributeValues, Request request) {
    if (rule.cost() instanceof Cost.Fixed fixed) {
      return fixed.permits();
    }
    if (!(rule.cost() instanceof Cost.OfAttribute of)) {
      return request.cost();
    }
    String value = attributeValues.value(costPlace);
    return value == null ? 1 : parseCost(of.attribute(), value);
  }

  static long parseCost(String attribute, String value) {
    long cost = -1;
    if (value.chars().allMatch(c -> c >= '0' && c <= '9')) {
      try {
        cost = Long.parseLong(value);
      } catch (NumberFormatException e) {
        // reported below
      }
    }
    if (cost < 0) {
      throw new MalformedRequestException(
          "'" + attribute + "' is a cost and must be a whole number, not negative");
    }
    return cost;
  }
}
