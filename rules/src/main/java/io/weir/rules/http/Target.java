package io.weir.rules.http;

import io.weir.rules.match.CanonicalPath;
import io.weir.rules.match.MalformedRequestException;
import java.util.regex.Pattern;

/**
 * The target of a request as a front passes it on: as it was sent, but for dot segments and double
 * slashes.
 *
 * <p>What is limited and what is forwarded must be the same thing. Servers differ in whether they
 * resolve {@code /a/../b}, so they never get to see it; see {@link CanonicalPath} for what rules
 * are matched with. A target with nothing to resolve, as most are, is looked at once and given
 * back.
 */
public final class Target {
  /*
   *     /a/./b//c/%2e%2e/d;v=1/?q=/../     as received
   *     /a/b/d;v=1/?q=/../                 as passed on
   *     /a/b/d                             as rules see it, of both
   */

  private static final Pattern SLASH = Pattern.compile("%2[fF]");

  private Target() {}

  /**
   * What is passed on of {@code raw}, a path with or without query. One with an encoded slash is
   * refused.
   *
   * @throws MalformedRequestException if servers might understand it in different ways
   */
  public static String of(String raw) {
    return of(raw, false);
  }

  /**
   * What is passed on of {@code raw}, a path with or without query.
   *
   * @param encodedSlashes whether {@code %2F} may be in it, as part of a name; see {@link #path}
   * @throws MalformedRequestException if servers might understand it in different ways
   */
  public static String of(String raw, boolean encodedSlashes) {
    if (raw.isEmpty() || raw.charAt(0) != '/') {
      throw new MalformedRequestException(
          "the target of a request must be a path, with a query if there is one");
    }
    boolean isPlain = true;
    int path = raw.length();
    char before = 0;
    for (int i = 0; i < raw.length(); i++) {
      char c = raw.charAt(i);
      requireVisible(c);
      if (i < path) {
        switch (c) {
          case '?' -> path = i;
          case '%', ';', '\\' -> isPlain = false;
          case '/', '.' -> isPlain &= before != '/';
          default -> {}
        }
        before = c;
      }
    }
    return isPlain ? raw : resolved(raw, path, encodedSlashes);
  }

  /**
   * The path of a target that {@link #of} gave, as {@link CanonicalPath} takes it: what is an
   * encoded slash in it becomes part of a name, in one spelling.
   */
  public static String path(String target) {
    int query = target.indexOf('?');
    String path = query < 0 ? target : target.substring(0, query);
    return path.indexOf('%') < 0 ? path : SLASH.matcher(path).replaceAll("%252F");
  }

  private static void requireVisible(char c) {
    if (c <= ' ' || c >= 0x7f || c == '#') {
      throw new MalformedRequestException(
          "the target of a request has a character that must be escaped, such as %20 or %C3%BC");
    }
  }

  private static String resolved(String raw, int end, boolean encodedSlashes) {
    CanonicalPath.of(encodedSlashes ? path(raw) : raw); // refuses what is unclear
    if (encodedSlashes) {
      requireNoDotsBetweenSlashes(raw, end);
    }
    StringBuilder path = new StringBuilder(raw.length());
    int from = 1;
    while (from <= end) {
      int slash = raw.indexOf('/', from);
      int to = slash < 0 || slash > end ? end : slash;
      boolean isLast = to == end;
      switch (kind(raw, from, to)) {
        case NAME -> path.append('/').append(raw, from, to);
        case NOTHING -> path.append(isLast ? "/" : "").append(raw, from, isLast ? to : from);
        case HERE -> path.append(isLast ? "/" : "");
        case ABOVE -> {
          path.setLength(path.lastIndexOf("/"));
          path.append(isLast ? "/" : "");
        }
      }
      from = to + 1;
    }
    return path.append(raw, end, raw.length()).toString();
  }

  /** A server that takes an encoded slash for a slash would see dot segments that rules do not. */
  private static void requireNoDotsBetweenSlashes(String raw, int end) {
    for (String segment : raw.substring(0, end).split("/", -1)) {
      String[] parts = SLASH.split(segment, -1);
      for (int i = 0; parts.length > 1 && i < parts.length; i++) {
        if (kind(parts[i], 0, parts[i].length()) != Kind.NAME) {
          throw new MalformedRequestException("the path has dots or nothing at an encoded slash");
        }
      }
    }
  }

  private enum Kind {
    NAME,
    /** Between two slashes, or only parameters. */
    NOTHING,
    /** {@code .} */
    HERE,
    /** {@code ..} */
    ABOVE
  }

  private static Kind kind(String raw, int from, int to) {
    int dots = 0;
    for (int i = from; i < to && raw.charAt(i) != ';'; i++) {
      if (raw.charAt(i) == '%' && raw.regionMatches(true, i, "%2e", 0, 3)) {
        i += 2;
      } else if (raw.charAt(i) != '.') {
        return Kind.NAME;
      }
      dots++;
    }
    return switch (dots) {
      case 0 -> Kind.NOTHING;
      case 1 -> Kind.HERE;
      case 2 -> Kind.ABOVE;
      default -> Kind.NAME;
    };
  }
}
