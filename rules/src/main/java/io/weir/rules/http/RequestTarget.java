package io.weir.rules.http;

import io.weir.rules.match.CanonicalPath;
import io.weir.rules.match.MalformedRequestException;
import java.util.regex.Pattern;

/**
 * The target of a request as a front end forwards it: as it was sent, but without dot segments and
 * double slashes.
 *
 * <p>The limited and the forwarded path must be the same. Servers differ in whether they resolve
 * {@code /a/../b}, so they never receive such a path. See {@link CanonicalPath} for the form that
 * rules match. A target with nothing to resolve, which is the usual case, is scanned once and
 * returned.
 */
public final class RequestTarget {
  /*
   *     /a/./b//c/%2e%2e/d;v=1/?q=/../     as received
   *     /a/b/d;v=1/?q=/../                 as forwarded
   *     /a/b/d                             as rules see both
   */

  private static final Pattern SLASH = Pattern.compile("%2[fF]");

  private RequestTarget() {}

  /**
   * The target to forward for {@code raw}, a path with or without query. An encoded slash is
   * refused.
   *
   * @throws MalformedRequestException if servers might read it in different ways
   */
  public static String of(String raw) {
    return of(raw, false);
  }

  /**
   * The target to forward for {@code raw}, a path with or without query.
   *
   * @param encodedSlashes whether {@code %2F} is allowed, as part of a name; see {@link #path}
   * @throws MalformedRequestException if servers might read it in different ways
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
   * The path of a target that {@link #of} returned, as input for {@link CanonicalPath}. An encoded
   * slash in it becomes part of a name, in one spelling.
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
    CanonicalPath.of(encodedSlashes ? path(raw) : raw); // throws if the path is ambiguous
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

  /** A server that decodes an encoded slash would see dot segments that rules do not see. */
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
    /** An empty segment, or only parameters. */
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
