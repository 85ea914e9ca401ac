package io.weir.rules.lint;

import io.weir.rules.match.PathPattern;
import java.util.ArrayList;
import java.util.List;

/**
 * The segments of a path pattern, for comparison: {@code /a/{id}/**} is {@code a}, any one, any
 * depth.
 *
 * @param isPlain whether all its segments can be compared
 */
record PathShape(List<String> segments, boolean isDeep, boolean isPlain) {
  private static final String ANY = "*";
  private static final String DEEP = "**";

  static PathShape of(PathPattern pattern) {
    List<String> segments = new ArrayList<>();
    boolean isDeep = false;
    boolean isPlain = true;
    for (String segment : pattern.toString().split("/", -1)) {
      if (segment.isEmpty()) {
        continue;
      }
      // Segments after any depth cannot be compared.
      isPlain &= !isDeep;
      if (segment.equals(DEEP)) {
        isDeep = true;
      } else if (segment.equals(ANY) || (segment.startsWith("{") && segment.endsWith("}"))) {
        segments.add(ANY);
      } else {
        isPlain &= segment.indexOf('*') < 0 && segment.indexOf('{') < 0;
        segments.add(segment);
      }
    }
    return new PathShape(List.copyOf(segments), isDeep, isPlain);
  }

  /** Whether this shape matches every path that the other matches. */
  boolean covers(PathShape other) {
    if (!isPlain || !other.isPlain || other.segments.size() < segments.size()) {
      return false;
    }
    if (!isDeep && (other.isDeep || other.segments.size() > segments.size())) {
      return false;
    }
    for (int i = 0; i < segments.size(); i++) {
      if (!segments.get(i).equals(ANY) && !segments.get(i).equals(other.segments.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Whether no path matches both shapes. */
  boolean isDisjointFrom(PathShape other) {
    if (!isPlain || !other.isPlain) {
      return false;
    }
    int common = Math.min(segments.size(), other.segments.size());
    for (int i = 0; i < common; i++) {
      String mine = segments.get(i);
      String theirs = other.segments.get(i);
      if (!mine.equals(ANY) && !theirs.equals(ANY) && !mine.equals(theirs)) {
        return true;
      }
    }
    return (segments.size() > common && !other.isDeep)
        || (other.segments.size() > common && !isDeep);
  }

  /** The segments before the first variable one. */
  List<String> beginning() {
    int end = segments.indexOf(ANY);
    return end < 0 ? segments : segments.subList(0, end);
  }
}
