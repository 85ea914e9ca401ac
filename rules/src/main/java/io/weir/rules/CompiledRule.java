package io.weir.rules;

import io.weir.rules.match.Condition;
import io.weir.rules.match.Facts;
import io.weir.rules.match.MalformedRequestException;
import io.weir.rules.match.Match;
import io.weir.rules.match.MatchIndex;
import io.weir.rules.match.PathPattern;
import io.weir.rules.match.Test;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A rule made ready: what is left to ask once its match is known to hold, its key, its cost and its
 * meters.
 *
 * <p>Segments of its path that have a name are attributes of this rule alone. They have places
 * after those of the domain's attributes, and what is asked of them is asked here.
 */
final class CompiledRule {
  private final Rule rule;
  private final Attributes attributes;
  private final List<PathPattern> paths;
  private final List<String> segments;
  private final int segmentsFrom;
  private final int pathPlace;
  private final @Nullable MatchIndex<Boolean> onSegments;
  private final @Nullable MatchIndex<Boolean> exempt;
  private final @Nullable MatchIndex<Meter> variants;
  private final int[] per;
  private final int costPlace;
  private final @Nullable Meter meter;

  CompiledRule(Rule rule, Attributes attributes, Meters meters) {
    this.rule = rule;
    this.attributes = attributes;
    this.paths = paths(rule.match());
    Set<String> names = new LinkedHashSet<>();
    paths.forEach(path -> names.addAll(path.names()));
    this.segments = List.copyOf(names);
    // The attributes that any rule of the domain speaks of have places by now.
    this.segmentsFrom = attributes.count();
    this.pathPlace = segments.isEmpty() ? segmentsFrom : attributes.place("path");
    this.onSegments = indexOf(List.of(new Match(conditions(rule.match(), true))));
    this.exempt = indexOf(rule.exempt());
    this.meter = rule.limits().isEmpty() ? null : meters.add(rule, Optional.empty(), rule.limits());
    List<MatchIndex.Entry<Meter>> entries = new ArrayList<>();
    for (Variant variant : rule.variants()) {
      Meter own = meters.add(rule, Optional.of(variant), variant.limits());
      entries.add(new MatchIndex.Entry<>(variant.match(), own));
    }
    this.variants = entries.isEmpty() ? null : MatchIndex.of(entries, this::place);
    this.per = rule.per().stream().mapToInt(this::place).toArray();
    this.costPlace = rule.cost() instanceof Cost.OfAttribute of ? place(of.attribute()) : -1;
  }

  /** Gives places to all attributes that {@code rule} speaks of, but for segments of its path. */
  static void placeAll(Rule rule, Attributes attributes) {
    Set<String> segments = new LinkedHashSet<>();
    paths(rule.match()).forEach(path -> segments.addAll(path.names()));
    Set<String> spoken = new LinkedHashSet<>(rule.per());
    List<Match> matches = new ArrayList<>(rule.exempt());
    matches.add(rule.match());
    rule.variants().forEach(variant -> matches.add(variant.match()));
    for (Match match : matches) {
      match.conditions().forEach(condition -> spoken.add(condition.attribute()));
    }
    if (rule.cost() instanceof Cost.OfAttribute of) {
      spoken.add(of.attribute());
    }
    if (!segments.isEmpty()) {
      spoken.add("path");
    }
    spoken.removeAll(segments);
    spoken.forEach(attributes::place);
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
        .filter(condition -> segments.contains(condition.attribute()) == ofSegments)
        .toList();
  }

  private static List<PathPattern> paths(Match match) {
    List<PathPattern> paths = new ArrayList<>();
    for (Condition condition : match.conditions()) {
      for (Test test : condition.anyOf()) {
        if (test instanceof Test.OnPath on) {
          paths.add(on.pattern());
        }
      }
    }
    return paths;
  }

  private @Nullable MatchIndex<Boolean> indexOf(List<Match> matches) {
    boolean isTrivial = matches.stream().allMatch(match -> match.conditions().isEmpty());
    return isTrivial && matches.size() <= 1 && !(matches == rule.exempt() && !matches.isEmpty())
        ? null
        : MatchIndex.of(
            matches.stream().map(match -> new MatchIndex.Entry<>(match, true)).toList(),
            this::place);
  }

  private int place(String attribute) {
    int segment = segments.indexOf(attribute);
    return segment < 0 ? attributes.place(attribute) : segmentsFrom + segment;
  }

  /** What the rule wants of a request that its {@link #match} holds for; null if nothing. */
  @Nullable Claim claim(RequestFacts request) {
    Facts facts = segments.isEmpty() ? request : new WithSegments(request);
    if ((onSegments != null && !onSegments.any(facts)) || (exempt != null && exempt.any(facts))) {
      return null;
    }
    String key = key(facts);
    Meter meter = key == null ? null : meter(facts);
    return key == null || meter == null
        ? null
        : new Claim(meter, key, cost(facts, request.request()));
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
    if (!value.startsWith("+")) {
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

  /** The request with the segments of its path that the rule has names for. */
  private final class WithSegments implements Facts {
    private final RequestFacts request;

    WithSegments(RequestFacts request) {
      this.request = request;
    }

    @Override
    public @Nullable String value(int place) {
      if (place < segmentsFrom) {
        return request.value(place);
      }
      String path = request.value(pathPlace);
      if (path != null) {
        for (PathPattern pattern : paths) {
          if (pattern.matches(path)) {
            return pattern.segment(segments.get(place - segmentsFrom), path);
          }
        }
      }
      return null;
    }

    @Override
    public io.weir.rules.match.@Nullable Address address() {
      return request.address();
    }
  }
}
