package io.weir.rules.match;

import java.util.Locale;

/**
 * Normalises the path of a request for matching.
 *
 * <p>A path that is already normalised, which is the usual case, is scanned once and returned.
 */
public final class CanonicalPath {
  /*
   * Servers read the same target in different ways. A client that finds a spelling which the rules
   * and the server read differently would evade the limit. So a target has one reading here:
   *
   *     /api/..;v=1/%61dmin//./x/?q#f     as received
   *     /api/..;v=1/%61dmin//./x/         the path ends at ? or #
   *     /api/../admin//./x/               parameters of segments cut, escapes decoded once
   *     /admin/x                          segments resolved
   *
   * and an ambiguous target is refused. Parameters are checked too, because a server without
   * parameters reads them as part of the name.
   */

  private static final String TOO_HIGH = "the path leads above the root by '..'";

  private final String raw;
  private final int end;
  private final StringBuilder path;
  private int segment;
  private boolean inParameters;

  private CanonicalPath(String raw, int end) {
    this.raw = raw;
    this.end = end;
    this.path = new StringBuilder(end);
  }

  /**
   * The canonical form of {@code raw}, the target of a request as it was received. It is a path
   * with or without query, or an absolute URI with a path. {@code *} is not changed.
   *
   * @throws MalformedRequestException if servers might read it in different ways
   */
  public static String of(String raw) {
    if (isCanonical(raw) || raw.equals("*")) {
      return raw;
    }
    int end = endOfPath(raw);
    return new CanonicalPath(raw, end).from(startOfPath(raw, end));
  }

  private static boolean isCanonical(String raw) {
    int length = raw.length();
    if (length == 0 || raw.charAt(0) != '/') {
      return false;
    }
    char before = '/';
    for (int i = 1; i < length; i++) {
      char c = raw.charAt(i);
      if (!isPlain(c) || (before == '/' && (c == '/' || (c == '.' && isDots(raw, i))))) {
        return false;
      }
      before = c;
    }
    return before != '/' || length == 1;
  }

  private static boolean isPlain(char c) {
    return switch (c) {
      case '%', ';', '?', '#', '\\' -> false;
      default -> !isControl(c) && !Character.isSurrogate(c);
    };
  }

  private static boolean isDots(String raw, int from) {
    int i = from + 1;
    if (i < raw.length() && raw.charAt(i) == '.') {
      i++;
    }
    return i == raw.length() || raw.charAt(i) == '/';
  }

  private static boolean isControl(int c) {
    return c < ' ' || c == 0x7f;
  }

  private static int endOfPath(String raw) {
    for (int i = 0; i < raw.length(); i++) {
      if (raw.charAt(i) == '?' || raw.charAt(i) == '#') {
        return i;
      }
    }
    return raw.length();
  }

  /** The start of the path: 0, or after the authority of an absolute URI. */
  private static int startOfPath(String raw, int end) {
    if (raw.startsWith("/")) {
      return 0;
    }
    int colon = raw.indexOf(':');
    boolean isAbsolute = colon > 0 && colon + 3 < end && raw.startsWith("://", colon);
    for (int i = 0; isAbsolute && i < colon; i++) {
      isAbsolute = isOfScheme(raw.charAt(i), i == 0);
    }
    if (!isAbsolute) {
      throw new MalformedRequestException("the path must begin with '/'");
    }
    int at = colon + 3;
    while (at < end && raw.charAt(at) != '/') {
      requirePlainAuthority(raw.charAt(at));
      at++;
    }
    if (at == colon + 3) {
      throw new MalformedRequestException("the target is a URI without a host");
    }
    return at;
  }

  private static boolean isOfScheme(char c, boolean isFirst) {
    boolean isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return isLetter || (!isFirst && ((c >= '0' && c <= '9') || "+-.".indexOf(c) >= 0));
  }

  private static void requirePlainAuthority(char c) {
    if (c == '\\' || c == ' ' || isControl(c)) {
      throw new MalformedRequestException("the target's host has an invalid character");
    }
  }

  private String from(int start) {
    path.append('/');
    segment = 1;
    int at = start;
    while (at < end) {
      char c = raw.charAt(at);
      if (c == '/') {
        endSegment();
        at++;
      } else if (c == ';') {
        inParameters = true;
        at++;
      } else if (c == '%') {
        at = decode(at);
      } else {
        at = copy(at);
      }
    }
    endSegment();
    if (path.length() > 1) {
      path.setLength(path.length() - 1);
    }
    return path.toString();
  }

  /** Copies a character. */
  private int copy(int at) {
    char c = raw.charAt(at);
    if (isControl(c)) {
      throw control(c);
    }
    if (c == '\\') {
      throw new MalformedRequestException("the path has a backslash");
    }
    if (!Character.isSurrogate(c)) {
      add(c);
      return at + 1;
    }
    boolean isPair =
        Character.isHighSurrogate(c)
            && at + 1 < end
            && Character.isLowSurrogate(raw.charAt(at + 1));
    if (!isPair) {
      throw new MalformedRequestException("the path has half a character (a lone surrogate)");
    }
    add(raw.codePointAt(at));
    return at + 2;
  }

  /** Decodes the character with escaped UTF-8 bytes at {@code at}. */
  private int decode(int at) {
    int first = escaped(at);
    int next = at + 3;
    if (first < 0x80) {
      requireHarmless(first);
      add(first);
      return next;
    }
    int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    int character = first & 0x3f >> more;
    for (int i = 0; i < more; i++, next += 3) {
      int following = next < end && raw.charAt(next) == '%' ? escaped(next) : 0;
      if ((following & 0xc0) != 0x80) {
        throw notUtf8(at);
      }
      character = character << 6 | following & 0x3f;
    }
    // The lowest character that needs this many bytes; lower ones are overlong encodings.
    int minCharacter = more == 1 ? 0x80 : more == 2 ? 0x800 : 0x10000;
    boolean isSurrogate = character >= 0xd800 && character <= 0xdfff;
    if (first < 0xc0
        || first > 0xf7
        || character < minCharacter
        || character > 0x10ffff
        || isSurrogate) {
      throw notUtf8(at);
    }
    add(character);
    return next;
  }

  private int escaped(int at) {
    int high = at + 2 < end ? hex(raw.charAt(at + 1)) : -1;
    int low = at + 2 < end ? hex(raw.charAt(at + 2)) : -1;
    if (high < 0 || low < 0) {
      throw new MalformedRequestException(
          "the path has a '%' at position " + at + " that two hexadecimal digits do not follow");
    }
    return high << 4 | low;
  }

  private static int hex(char c) {
    // Not Character.digit, which accepts the digits of every script.
    if (c >= '0' && c <= '9') {
      return c - '0';
    }
    int letter = c | 0x20;
    return letter >= 'a' && letter <= 'f' && c < 0x80 ? letter - 'a' + 10 : -1;
  }

  private static void requireHarmless(int c) {
    if (c == '/' || c == '\\') {
      throw new MalformedRequestException(
          c == '/' ? "the path has an encoded slash (%2F)" : "the path has a backslash (%5C)");
    }
    if (isControl(c)) {
      throw control(c);
    }
  }

  private static MalformedRequestException control(int c) {
    return new MalformedRequestException(
        String.format(Locale.ROOT, "the path has a control character (%%%02X)", c));
  }

  private static MalformedRequestException notUtf8(int at) {
    return new MalformedRequestException(
        "the path has an escape at position " + at + " that is not UTF-8");
  }

  private void add(int character) {
    if (!inParameters) {
      path.appendCodePoint(character);
    }
  }

  /** Ends the segment with a slash, or removes it if it is empty or a dot segment. */
  private void endSegment() {
    inParameters = false;
    int length = path.length() - segment;
    if (length == 0) {
      return;
    }
    boolean isDots = path.charAt(segment) == '.';
    if (isDots && length == 1) {
      path.setLength(segment);
    } else if (isDots && length == 2 && path.charAt(segment + 1) == '.') {
      if (segment == 1) {
        throw new MalformedRequestException(TOO_HIGH);
      }
      segment = path.lastIndexOf("/", segment - 2) + 1;
      path.setLength(segment);
    } else {
      path.append('/');
      segment = path.length();
    }
  }
}
