package io.weir.rules.engine;

import io.weir.rules.AttributeSource;
import io.weir.rules.Rule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The attributes that the rules of a domain use, each with a place. */
final class AttributeIndex {
  static final int IP = 0;

  private final Map<String, AttributeSource> sources;
  private final Map<String, Integer> places = new HashMap<>();
  private final List<String> names = new ArrayList<>();
  private boolean isComplete;

  AttributeIndex(Map<String, AttributeSource> sources) {
    this.sources = sources;
    place("ip");
  }

  /** The place of an attribute. A new attribute gets the next place. */
  int place(String name) {
    Integer known = places.get(name);
    if (known != null) {
      return known;
    }
    if (isComplete) {
      throw new IllegalStateException("no rule uses '" + name + "'");
    }
    int place = names.size();
    places.put(name, place);
    names.add(name);
    AttributeSource source = sources.get(name);
    if (source != null) {
      source.attributes().forEach(this::place);
    }
    return place;
  }

  /** The attributes that an attribute is derived from; none if it comes with the request. */
  List<String> sources(String name) {
    AttributeSource source = sources.get(name);
    return source == null ? List.of() : source.attributes();
  }

  /** Gives places to all attributes that {@code rules} use, except segments of their paths. */
  void placeAll(List<Rule> rules) {
    for (Rule rule : rules) {
      rule.attributes().forEach(this::place);
      if (!rule.segments().isEmpty()) {
        place("path");
      }
    }
  }

  /** Ends the assignment of places, because several threads read them from now on. */
  void complete() {
    isComplete = true;
  }

  int count() {
    return names.size();
  }

  String name(int place) {
    return names.get(place);
  }

  /** The source of the attribute at a place; null if the request gives it by its name. */
  @Nullable AttributeSource source(int place) {
    return sources.get(names.get(place));
  }
}
