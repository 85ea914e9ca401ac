package io.weir.rules.engine;

import io.weir.rules.Rule;
import io.weir.rules.match.Address;
import io.weir.rules.match.AttributeValues;
import io.weir.rules.match.PathPattern;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The named path segments of a rule. They are attributes of that rule alone, with places after
 * those of the domain's attributes.
 */
final class PathVariables {
  private final List<PathPattern> paths;
  private final List<String> names;
  private final AttributeIndex attributeIndex;
  private final int from;
  private final int pathPlace;

  /** The segments of {@code rule}. All attributes of its domain already have their places. */
  PathVariables(Rule rule, AttributeIndex attributeIndex) {
    this.paths = rule.paths();
    this.names = List.copyOf(rule.segments());
    this.attributeIndex = attributeIndex;
    this.from = attributeIndex.count();
    this.pathPlace = names.isEmpty() ? from : attributeIndex.place("path");
  }

  List<String> names() {
    return names;
  }

  /** The place of an attribute that the rule uses. */
  int place(String attribute) {
    int segment = names.indexOf(attribute);
    return segment < 0 ? attributeIndex.place(attribute) : from + segment;
  }

  /** The request with the rule's segments as attributes. */
  AttributeValues in(RequestAttributes request) {
    return names.isEmpty() ? request : new WithPathVariables(request);
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

  private final class WithPathVariables implements AttributeValues {
    private final RequestAttributes request;

    WithPathVariables(RequestAttributes request) {
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
