package io.weir.rules;

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
 * A rule made ready: what is left to ask once its match is known to hold, its key, its cost and its
 * meters.
 *
 * <p>What is asked of named segments of its path is asked here, since they are attributes of this
 * rule alone.
 */
final class CompiledRule {
  private final Rule rule;
  private final Segments segments;
  private final @Nullable MatchIndex<Boolean> onSegments;
  private final @Nullable MatchIndex<Boolean> exempt;
  private final @Nullable MatchIndex<Meter> variants;
  private final int[] per;
  private final int costPlace;
  private final @Nullable Meter meter;

  CompiledRule(Rule rule, Attributes attributes, Meters meters) {
    this.rule = rule;
    this.segments = new Segments(rule, attributes);
    this.onSegments = indexOf(List.of(new Match(conditions(rule.match(), true))));
    this.exempt = indexOf(rule.exempt());
    this.meter = rule.limits().isEmpty() ? null : meters.add(rule, Optional.empty(), rule.limits());
    List<MatchIndex.Entry<Meter>> entries = new ArrayList<>();
    for (Variant variant : rule.variants()) {
      Meter own = meters.add(rule, Optional.of(variant), variant.limits());
      entries.add(new MatchIndex.Entry<>(variant.match(), own));
    }
    this.variants = entries.isEmpty() ? null : MatchIndex.of(entries, segments::place);
    this.per = rule.per().stream().mapToInt(segments::place).toArray();
    this.costPlace =
        rule.cost() instanceof Cost.OfAttribute of ? segments.place(of.attribute()) : 0;
  }

  /** What can be asked of a request before the rule is known: all but segments of the path. */
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

  /** What the rule wants of a request that its {@link #match} holds for; null if nothing. */
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
   * Whose bucket it is that {@code who} describes: by the attributes that make the key, or by those
   * that they are derived from.
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
        // said below
      }
    }
    if (cost < 0) {
      throw new MalformedRequestException(
          "'" + attribute + "' is a cost and must be a whole number, not negative");
    }
    return cost;
  }
}
