package io.weir.rules;

import io.weir.rules.match.Address;
import io.weir.rules.match.Condition;
import io.weir.rules.match.Facts;
import io.weir.rules.match.MalformedRequestException;
import io.weir.rules.match.Match;
import io.weir.rules.match.MatchIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A compiled rule: the work that remains after its match is known to hold, its key, its cost and
 * its meters.
 *
 * <p>Conditions on named path segments are checked here, because those attributes belong to this
 * rule alone.
 */
final class CompiledRule {
  private final Rule rule;
  private final Segments segments;
  private final @Nullable MatchIndex<Boolean> onSegments;
  private final @Nullable MatchIndex<Boolean> exempt;
  private final @Nullable MatchIndex<Meter> variants;
  private final List<Meter> overrides = new ArrayList<>();
  private final Attributes attributes;
  private final int[] per;
  private final int costPlace;
  private final @Nullable Meter meter;

  CompiledRule(Rule rule, Attributes attributes, Meters meters) {
    this.rule = rule;
    this.attributes = attributes;
    this.segments = new Segments(rule, attributes);
    this.onSegments = indexOf(List.of(new Match(conditions(rule.match(), true))));
    this.exempt = indexOf(rule.exempt());
    this.meter = rule.limits().isEmpty() ? null : meters.add(rule);
    List<MatchIndex.Entry<Meter>> entries = new ArrayList<>();
    for (int i = 0; i < rule.variants().size(); i++) {
      Meter own = meters.add(rule, i);
      overrides.add(own);
      entries.add(new MatchIndex.Entry<>(rule.variants().get(i).match(), own));
    }
    this.variants = entries.isEmpty() ? null : MatchIndex.of(entries, segments::place);
    this.per = rule.per().stream().mapToInt(segments::place).toArray();
    this.costPlace =
        rule.cost() instanceof Cost.OfAttribute of ? segments.place(of.attribute()) : 0;
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
        .filter(condition -> segments.names().contains(condition.attribute()) == ofSegments)
        .toList();
  }

  private @Nullable MatchIndex<Boolean> indexOf(List<Match> matches) {
    boolean isTrivial = matches.stream().allMatch(match -> match.conditions().isEmpty());
    return isTrivial && matches.size() <= 1 && !(matches == rule.exempt() && !matches.isEmpty())
        ? null
        : MatchIndex.of(
            matches.stream().map(match -> new MatchIndex.Entry<>(match, true)).toList(),
            segments::place);
  }

  /** The rule's claim on a request for which {@link #match} holds; null if none. */
  @Nullable Claim claim(RequestFacts request) {
    Facts facts = segments.in(request);
    if ((onSegments != null && !onSegments.any(facts)) || (exempt != null && exempt.any(facts))) {
      return null;
    }
    String key = key(facts);
    Meter meter = key == null ? null : meter(facts);
    return key == null || meter == null
        ? null
        : new Claim(meter, key, meter.charged(cost(facts, request.request())));
  }

  private @Nullable Meter meter(Facts facts) {
    Meter variant = variants == null ? null : variants.first(facts);
    return variant == null ? meter : variant;
  }

  private @Nullable String key(Facts facts) {
    if (per.length == 1) {
      String value = facts.value(per[0]);
      return value == null ? null : Keys.of(value);
    }
    Keys keys = new Keys();
    for (int place : per) {
      String value = facts.value(place);
      if (value == null) {
        return null;
      }
      keys.add(value);
    }
    return keys.toString();
  }

  /**
   * The key of the bucket for the caller {@code who}, by the key's attributes or those that they
   * are derived from.
   *
   * @throws MalformedRequestException if one is missing
   */
  String keyOf(RequestFacts who) {
    Facts facts = segments.in(who);
    Keys keys = new Keys();
    for (int i = 0; i < per.length; i++) {
      String name = rule.per().get(i);
      String derived = facts.value(per[i]);
      String value = derived == null ? who.request().attribute(name) : derived;
      keys.add(Keys.required(value, name, rule));
    }
    return keys.toString();
  }

  /**
   * The limits that apply to the caller {@code who}: the rule's own, or those of an override. Empty
   * if that depends on attributes that {@code who} lacks, or if there are none.
   */
  Optional<Meter> applying(RequestFacts who) {
    Facts facts = new Given(segments.in(who), who.request());
    for (Meter each : overrides) {
      boolean isOpen = false;
      boolean isOut = false;
      for (Condition condition : each.variant().orElseThrow().match().conditions()) {
        boolean isGiven = isGiven(condition.attribute(), who.request());
        isOpen |= !isGiven;
        isOut |= isGiven && !holds(condition, facts);
      }
      if (!isOut) {
        return isOpen ? Optional.empty() : Optional.of(each);
      }
    }
    return Optional.ofNullable(meter);
  }

  /**
   * The given values. A caller may be described by a derived attribute in {@code per}, without the
   * attributes that it is derived from.
   */
  private final class Given implements Facts {
    private final Facts derived;
    private final Request who;

    Given(Facts derived, Request who) {
      this.derived = derived;
      this.who = who;
    }

    @Override
    public @Nullable String value(int place) {
      if (place < attributes.count()) {
        String name = attributes.name(place);
        List<String> from = attributes.sources(name);
        String given = from.isEmpty() || isGiven(from.get(0), who) ? null : who.attribute(name);
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
  private boolean isGiven(String attribute, Request who) {
    if (segments.names().contains(attribute)) {
      return isGiven("path", who);
    }
    String given = who.attribute(attribute);
    if (given != null && !given.isEmpty()) {
      return true;
    }
    List<String> from = attributes.sources(attribute);
    // for several attributes, the first must be given
    return !from.isEmpty() && isGiven(from.get(0), who);
  }

  private boolean holds(Condition condition, Facts facts) {
    return MatchIndex.of(
            List.of(new MatchIndex.Entry<>(new Match(List.of(condition)), true)), segments::place)
        .any(facts);
  }

  private long cost(Facts facts, Request request) {
    if (rule.cost() instanceof Cost.Fixed fixed) {
      return fixed.permits();
    }
    if (!(rule.cost() instanceof Cost.OfAttribute of)) {
      return request.cost();
    }
    String value = facts.value(costPlace);
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
