package io.weir.rules.http;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads one cookie and normalises all spellings that some server reads as the same value.
 *
 * <p>Cookies have a grammar that no server enforces (RFC 6265, section 5). Servers read other
 * cookies in different ways:
 *
 * <pre>
 *   sid=%61b, sid="ab"      Express, PHP, Rack decode escapes; nearly all leave quotes out
 *   sid="\141b"             Python decodes backslash escapes between quotes
 *   sid=a b, sid=a+b        Rack reads + as a blank
 *   sid=ab secure           Python ends a value at a blank
 *   x=1 sid=ab              Python finds the cookie after a blank, older servlet containers
 *   x=1,sid=ab              after a comma
 *   x="; sid=ab"            Python sees one cookie, Express two
 * </pre>
 *
 * The first line occurs in real cookies and is decoded once. The request is refused if servers may
 * find another cookie.
 */
final class Cookies {
  /** The start of the next cookie for a server that separates cookies by commas. */
  private static final Pattern NEXT_COOKIE = Pattern.compile(",[^=,;\"]*=");

  private static final String UNCLEAR =
      "is sent in a way that servers read differently; rules use it, so ";

  private Cookies() {}

  /**
   * The value of a cookie; null if it was not sent.
   *
   * @throws io.weir.rules.match.MalformedRequestException if servers may read another value
   */
  static @Nullable String value(List<String> headers, String name) {
    FieldReader cookie = new FieldReader("cookie", name);
    for (int i = 0; i < headers.size(); i++) {
      read(headers.get(i), name, cookie);
    }
    return cookie.value();
  }

  private static void read(String header, String name, FieldReader cookie) {
    boolean isInQuotes = false;
    for (int from = 0, to; from <= header.length(); from = to + 1) {
      to = header.indexOf(';', from);
      to = to < 0 ? header.length() : to;
      int equals = header.indexOf('=', from);
      equals = equals < 0 || equals > to ? to : equals;
      String found = trimmed(header, from, equals);
      if (!found.equals(name)) {
        requireOther(found, cookie);
      } else if (isInQuotes) {
        throw cookie.refusal(UNCLEAR + "no cookie before it may have an open quote");
      } else if (equals < to) {
        cookie.found(canonical(trimmed(header, equals + 1, to), cookie));
      }
      requireNotWithin(trimmed(header, from, to), name, cookie);
      isInQuotes |= equals < to && opensQuote(trimmed(header, equals + 1, to));
    }
  }

  /**
   * Old PHP, which ends names at a zero byte, and Rack decode escapes in names too; PHP reads
   * {@code sid[]} as {@code sid}.
   */
  private static void requireOther(String found, FieldReader cookie) {
    String other = found.indexOf('%') < 0 ? found : decoded(found);
    int zero = other.indexOf("%00");
    other = zero < 0 ? other : other.substring(0, zero);
    cookie.requireOther(other);
    int bracket = other.indexOf('[');
    if (bracket > 0) {
      cookie.requireOther(other.substring(0, bracket));
    }
  }

  private static boolean opensQuote(String value) {
    return value.startsWith("\"") && (value.length() == 1 || !value.endsWith("\""));
  }

  /** Refuses a cookie with this name after a blank or a comma inside a pair. */
  private static void requireNotWithin(String pair, String name, FieldReader cookie) {
    for (int at = pair.indexOf(name, 1); at > 0; at = pair.indexOf(name, at + 1)) {
      int end = at + name.length();
      while (end < pair.length() && isBlank(pair.charAt(end))) {
        end++;
      }
      boolean isNamed = end < pair.length() && pair.charAt(end) == '=';
      if (isNamed && (pair.charAt(at - 1) == ',' || isBlank(pair.charAt(at - 1)))) {
        throw cookie.refusal(UNCLEAR + "a ';' must stand before it");
      }
    }
  }

  private static String canonical(String sent, FieldReader cookie) {
    String value = sent;
    boolean isQuoted = value.startsWith("\"");
    if (isQuoted) {
      if (opensQuote(value)) {
        throw cookie.refusal(UNCLEAR + "a quote before the value needs one behind it");
      }
      value = trimmed(value, 1, value.length() - 1);
      if (value.indexOf('\\') >= 0 || value.indexOf('"') >= 0) {
        throw cookie.refusal(UNCLEAR + "there may be neither backslash nor quote within quotes");
      }
    }
    boolean isPlain = true;
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c <= ' ' && !isQuoted) {
        throw cookie.refusal(UNCLEAR + "a blank in its value must be sent as %20");
      }
      isPlain &= c > ' ' && c < 0x7f && c != '%';
    }
    if (value.indexOf(',') >= 0 && NEXT_COOKIE.matcher(value).find()) {
      throw cookie.refusal(UNCLEAR + "a comma in its value must be sent as %2C");
    }
    return isPlain ? value : decoded(value);
  }

  /**
   * Decodes escapes once. A blank becomes {@code +}, because some servers do not distinguish them.
   */
  private static String decoded(String value) {
    byte[] bytes = new byte[value.length() * 3];
    int length = 0;
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      int escaped = c == '%' ? PercentEncoding.at(value, i) : -1;
      if (escaped >= 0) {
        bytes[length++] = (byte) escaped;
        i += 2;
      } else if (c <= 0xff) {
        bytes[length++] = (byte) c; // headers are read as Latin-1, one byte per character
      } else {
        for (byte each : String.valueOf(c).getBytes(StandardCharsets.UTF_8)) {
          bytes[length++] = each;
        }
      }
    }
    return PercentEncoding.shown(bytes, length).replace(' ', '+');
  }

  /** Removes the surrounding blanks that servers ignore, in ASCII or Latin-1. */
  private static String trimmed(String text, int start, int end) {
    int from = start;
    int to = end;
    while (from < to && isBlank(text.charAt(from))) {
      from++;
    }
    while (to > from && isBlank(text.charAt(to - 1))) {
      to--;
    }
    return text.substring(from, to);
  }

  private static boolean isBlank(char c) {
    return c <= ' ' || c == 0x85 || c == 0xa0;
  }
}
