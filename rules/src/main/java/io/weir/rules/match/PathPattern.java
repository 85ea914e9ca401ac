package io.weir.rules.match;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A pattern for canonical paths: {@code /a/{id}/b}, {@code /a/*} (one segment), {@code /a/**} (any
 * depth, including none). Immutable.
 */
public final class PathPattern {
  private static final Set<String> OF_EVERY_REQUEST = Set.of("ip", "method", "path", "host");
  private static final String ANY_DEPTH = "**";

  private final String text;
  private final List<Segment> segments;
  private final boolean isOpen;
  private final Set<String> names;
  private final String stem;

  private PathPattern(String text, List<Segment> segments, boolean isOpen, Set<String> names) {
    this.text = text;
    this.segments = List.copyOf(segments);
    this.isOpen = isOpen;
    this.names = Collections.unmodifiableSet(names);
    int literal = 0;
    while (literal < text.length() && "{*".indexOf(text.charAt(literal)) < 0) {
      literal++;
    }
    this.stem = text.substring(0, literal);
  }

  /** One segment of a pattern. */
  sealed interface Segment {
    /** Exactly this segment. */
    record Literal(String text) implements Segment {}

    /** Any segment, with an optional name. */
    record Any(String name) implements Segment {
      static final Any UNNAMED = new Any("");
    }
  }

  /**
   * Parses a pattern.
   *
   * @throws IllegalArgumentException if it is invalid; the message contains the reason
   */
  public static PathPattern parse(String text) {
    text.chars().forEach(PathPattern::requireOfPath);
    if (!text.startsWith("/")) {
      throw new IllegalArgumentException("a path must start with '/', but '" + text + "' does not");
    }
    int end = text.length() > 1 && text.endsWith("/") ? text.length() - 1 : text.length();
    List<Segment> segments = new ArrayList<>();
    Set<String> names = new LinkedHashSet<>();
    boolean isOpen = false;
    for (int from = 1, to; from <= end && text.length() > 1; from = to + 1) {
      to = Math.min(end, endOfSegment(text, from));
      if (isOpen) {
        throw new IllegalArgumentException("'**' must be the last segment, as in /a/**");
      }
      isOpen = text.substring(from, to).equals(ANY_DEPTH);
      if (!isOpen) {
        segments.add(segment(text, from, to, end, names));
      }
    }
    return new PathPattern(text.substring(0, end), segments, isOpen, names);
  }

  /** The same pattern in lower case, except for the names of segments; for paths in lower case. */
  public PathPattern inLowerCase() {
    StringBuilder lowerCase = new StringBuilder(text.length());
    for (int from = 0, to; from < text.length(); from = to) {
      to = Math.max(from + 1, endOfSegment(text, from + 1));
      String part = text.substring(from, to);
      lowerCase.append(part.startsWith("/{") ? part : part.toLowerCase(Locale.ROOT));
    }
    return parse(lowerCase.toString());
  }

  private static void requireOfPath(int c) {
    String why =
        switch (c) {
          case '?' -> "a path has no '?': the query is no part of it";
          case '#' -> "a path has no '#': the fragment is no part of it";
          case ';' -> "a path has no ';': parameters of segments are no part of it";
          case '\\' -> "a path has no backslash: requests with one are refused";
          case '%' -> "a path is matched when decoded: write the character instead of its % escape";
          default -> c < ' ' || c == 0x7f ? "a path has no control characters" : "";
        };
    if (!why.isEmpty()) {
      throw new IllegalArgumentException(why);
    }
  }

  private static Segment segment(String pattern, int from, int to, int end, Set<String> names) {
    String segment = pattern.substring(from, to);
    if (segment.equals("*")) {
      return Segment.Any.UNNAMED;
    }
    if (segment.isEmpty()) {
      throw new IllegalArgumentException("'" + pattern + "' has an empty segment: '//'");
    }
    if (segment.equals(".") || segment.equals("..")) {
      throw new IllegalArgumentException(
          "'" + pattern + "' has a segment '" + segment + "': paths are matched when resolved");
    }
    if (segment.indexOf('*') >= 0) {
      throw new IllegalArgumentException(
          "'*' stands for a whole segment, not a part of '"
              + segment
              + "'; "
              + instead(pattern.substring(0, from), segment, to == end));
    }
    if (segment.indexOf('{') < 0 && segment.indexOf('}') < 0) {
      return new Segment.Literal(segment);
    }
    return named(segment, names);
  }

  /** A suggestion in place of a segment with stars in it, which follows {@code before}. */
  private static String instead(String before, String segment, boolean isLast) {
    String stem = segment.substring(0, segment.indexOf('*'));
    boolean isPrefix = segment.substring(stem.length()).chars().allMatch(c -> c == '*');
    if (!isLast || !isPrefix) {
      return "write " + before + "* for one segment";
    }
    String around = stem.isEmpty() ? before : before + stem + "/";
    return "did you mean " + around + "* (one segment) or " + around + "** (any depth)?";
  }

  private static Segment named(String segment, Set<String> names) {
    boolean isBraced = segment.startsWith("{") && segment.endsWith("}");
    String name = isBraced ? segment.substring(1, segment.length() - 1) : segment;
    if (!isBraced || name.indexOf('{') >= 0 || name.indexOf('}') >= 0) {
      throw new IllegalArgumentException(
          "'" + segment + "': braces go around a whole segment, as in /users/{id}");
    }
    if (!isName(name)) {
      throw new IllegalArgumentException(
          name.isEmpty()
              ? "'{}' has no name; write {id}, or * for a segment without a name"
              : "'"
                  + name
                  + "' is not a valid name: letters, digits, '_' and '-', no digit or '-' first");
    }
    if (OF_EVERY_REQUEST.contains(name)) {
      throw new IllegalArgumentException(
          "'{" + name + "}' would hide the " + name + " of the request; choose another name");
    }
    if (!names.add(name)) {
      throw new IllegalArgumentException("the name '{" + name + "}' occurs twice");
    }
    return new Segment.Any(name);
  }

  private static boolean isName(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
      if (!isLetter && (i == 0 || !((c >= '0' && c <= '9') || c == '-'))) {
        return false;
      }
    }
    return !name.isEmpty();
  }

  /** Whether {@code path}, which is canonical, matches. */
  public boolean matches(String path) {
    if (path.isEmpty() || path.charAt(0) != '/') {
      return false;
    }
    int from = 1;
    for (int i = 0; i < segments.size(); i++) {
      if (from >= path.length()) {
        return false;
      }
      int to = endOfSegment(path, from);
      if (segments.get(i) instanceof Segment.Literal literal
          && !(literal.text().length() == to - from && path.startsWith(literal.text(), from))) {
        return false;
      }
      from = to + 1;
    }
    return isOpen || from >= path.length();
  }

  /** Where the segment of {@code path} that starts at {@code from} ends. */
  static int endOfSegment(String path, int from) {
    int slash = path.indexOf('/', from);
    return slash < 0 ? path.length() : slash;
  }

  /** Its segments, without a last {@code **}. */
  List<Segment> segments() {
    return segments;
  }

  /** Whether any number of segments may follow: it ends with {@code **}. */
  boolean isOpen() {
    return isOpen;
  }

  /** The common beginning of all matching paths, without a last {@code /} before {@code **}. */
  String stem() {
    return stem;
  }

  /** Whether it matches only one path. */
  boolean isExact() {
    return stem.length() == text.length();
  }

  /** The names of the segments that are attributes: {@code id} of {@code /a/{id}}. */
  public Set<String> names() {
    return names;
  }

  /** The segment called {@code name} of a matching {@code path}; null if there is none. */
  public @Nullable String segment(String name, String path) {
    int from = 1;
    for (int i = 0; i < segments.size() && from < path.length(); i++) {
      int to = endOfSegment(path, from);
      if (segments.get(i) instanceof Segment.Any any
          && any != Segment.Any.UNNAMED
          && any.name().equals(name)) {
        return path.substring(from, to);
      }
      from = to + 1;
    }
    return null;
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
