package io.weir.rules;

import io.weir.rules.match.Address;
import io.weir.rules.match.Facts;
import io.weir.rules.match.PathPattern;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The named path segments of a rule. They are attributes of that rule alone, with places after
 * those of the domain's attributes.
 */
final class Segments {
  private final List<PathPattern> paths;
  private final List<String> names;
  private final Attributes attributes;
  private final int from;
  private final int pathPlace;

  /** The segments of {@code rule}. All attributes of its domain already have their places. */
  Segments(Rule rule, Attributes attributes) {
    this.paths = rule.paths();
    this.names = List.copyOf(rule.segments());
    this.attributes = attributes;
    this.from = attributes.count();
    this.pathPlace = names.isEmpty() ? from : attributes.place("path");
  }

  List<String> names() {
    return names;
  }

  /** The place of an attribute that the rule uses. */
  int place(String attribute) {
    int segment = names.indexOf(attribute);
    return segment < 0 ? attributes.place(attribute) : from + segment;
  }

  /** The request with the rule's segments as attributes. */
  Facts in(RequestFacts request) {
    return names.isEmpty() ? request : new WithSegments(request);
  }

  private @Nullable String segment(String name, @Nullable String path) {
    if (path != null) {
      for (PathPattern pattern : paths) {
        if (pattern.matches(path)) {
          return pattern.segment(name, path);
        }
      }
    }
    return null;
  }

  private final class WithSegments implements Facts {
    private final RequestFacts request;

    WithSegments(RequestFacts request) {
      this.request = request;
    }

    @Override
    public @Nullable String value(int place) {
      return place < from
          ? request.value(place)
          : segment(names.get(place - from), request.value(pathPlace));
    }

    @Override
    public @Nullable Address address() {
      return request.address();
    }
  }
}
