package io.weir.rules.match;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The shape of a canonical path: {@code /a/{id}/b}, {@code /a/*} (one segment), {@code /a/**} (any
 * depth, none included).
 */
public final class PathPattern {
  private final String text;
  private final List<String> segments;

  private PathPattern(String text, List<String> segments) {
    this.text = text;
    this.segments = segments;
  }

  /**
   * Reads a pattern.
   *
   * @throws IllegalArgumentException if it is none; the message says why
   */
  public static PathPattern parse(String text) {
    if (!text.startsWith("/")) {
      throw new IllegalArgumentException("a path starts with '/'");
    }
    return new PathPattern(text, segments(text));
  }

  private static List<String> segments(String path) {
    List<String> segments = new ArrayList<>();
    for (String segment : path.substring(1).split("/", -1)) {
      if (!segment.isEmpty()) {
        segments.add(segment);
      }
    }
    return List.copyOf(segments);
  }

  /** Whether {@code path}, which is canonical, has this shape. */
  public boolean matches(String path) {
    List<String> given = segments(path);
    for (int i = 0; i < segments.size(); i++) {
      if (segments.get(i).equals("**")) {
        return true;
      }
      if (i >= given.size() || !(isAny(segments.get(i)) || segments.get(i).equals(given.get(i)))) {
        return false;
      }
    }
    return given.size() == segments.size();
  }

  /** The names of the segments that are attributes: {@code id} of {@code /a/{id}}. */
  public Set<String> names() {
    Set<String> names = new LinkedHashSet<>();
    for (String segment : segments) {
      if (segment.startsWith("{")) {
        names.add(segment.substring(1, segment.length() - 1));
      }
    }
    return names;
  }

  /**
   * The segment called {@code name} of a {@code path} that has this shape; null if there is none.
   */
  public @Nullable String segment(String name, String path) {
    int index = segments.indexOf("{" + name + "}");
    return index < 0 ? null : segments(path).get(index);
  }

  private static boolean isAny(String segment) {
    return segment.equals("*") || segment.startsWith("{");
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof PathPattern that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}
