package io.weir.rules.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.rules.match.MalformedRequestException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The names and values of a query. */
public final class Query {
  private Query() {}

  /**
   * The value of a parameter of {@code query}, the part after the {@code ?}; null if absent.
   *
   * <p>Some servers also separate parameters by {@code ;}, read {@code k[]} as {@code k}, or do not
   * distinguish {@code my.key} from {@code my_key}.
   *
   * @throws MalformedRequestException if it occurs twice, cannot be decoded, or has a spelling that
   *     only some servers accept
   */
  public static @Nullable String parameter(String query, String name) {
    requireAscii(query);
    FieldReader parameter = new FieldReader("query parameter", name);
    for (String pair : query.split("&", -1)) {
      int semicolon = pair.indexOf(';');
      String first = semicolon < 0 ? pair : pair.substring(0, semicolon);
      if (isNamed(first, name, parameter)) {
        if (semicolon >= 0) {
          throw parameter.refusal("has a ';'; rules use it, so it must be sent as %3B");
        }
        int equals = first.indexOf('=');
        parameter.found(equals < 0 ? "" : value(first.substring(equals + 1), parameter));
      }
      for (int from = semicolon + 1; from > 0; from = pair.indexOf(';', from) + 1) {
        int end = pair.indexOf(';', from);
        String behind = pair.substring(from, end < 0 ? pair.length() : end);
        if (isNamed(behind, name, parameter)) {
          throw parameter.refusal(
              "is sent behind a ';'; rules use it, so '&' must stand before it");
        }
      }
    }
    return parameter.value();
  }

  private static boolean isNamed(String pair, String name, FieldReader parameter) {
    int equals = pair.indexOf('=');
    String found = decoded(equals < 0 ? pair : pair.substring(0, equals));
    if (found.equals(name)) {
      return true;
    }
    int zero = found.indexOf('\0');
    String seen = zero < 0 ? found : found.substring(0, zero); // PHP ends a name there
    String stripped = seen.strip();
    parameter.requireOther(stripped);
    int bracket = stripped.indexOf('[');
    if (bracket > 0) {
      parameter.requireOther(stripped.substring(0, bracket));
    }
    return false;
  }

  /**
   * A server that ends texts at a zero byte, or that leaves blanks out as Laravel does, would see
   * another value.
   */
  private static String value(String text, FieldReader parameter) {
    String value = decoded(text);
    if (value.indexOf('\0') >= 0) {
      throw parameter.refusal("has a zero byte (%00)");
    }
    if (!value.isEmpty()
        && (isBlank(value.charAt(0)) || isBlank(value.charAt(value.length() - 1)))) {
      throw parameter.refusal("has a blank around its value; rules use it, so leave that out");
    }
    return value;
  }

  /**
   * All parameters of {@code query}, in their order.
   *
   * @param maxParameters how many parameters are allowed
   * @throws MalformedRequestException if one occurs twice or has no name, if there are too many, or
   *     if they cannot be decoded
   */
  public static Map<String, String> parameters(String query, int maxParameters) {
    requireAscii(query);
    Map<String, String> all = new LinkedHashMap<>();
    int from = 0;
    while (from < query.length()) {
      int end = query.indexOf('&', from);
      end = end < 0 ? query.length() : end;
      if (end > from) {
        int equals = query.indexOf('=', from);
        equals = equals < 0 || equals > end ? end : equals;
        String name = decoded(query.substring(from, equals));
        String value = equals == end ? "" : decoded(query.substring(equals + 1, end));
        if (name.isEmpty()) {
          throw new MalformedRequestException("a query parameter has no name");
        }
        if (all.putIfAbsent(name, value) != null) {
          throw new MalformedRequestException("query parameter '" + name + "' is sent twice");
        }
        if (all.size() > maxParameters) {
          throw new MalformedRequestException(
              "there are more than " + maxParameters + " query parameters");
        }
      }
      from = end + 1;
    }
    return all;
  }

  /**
   * Clients send other characters as {@code %C3%BC}; servers read them differently if they are raw.
   */
  private static void requireAscii(String query) {
    for (int i = 0; i < query.length(); i++) {
      if (query.charAt(i) <= ' ' || query.charAt(i) >= 127) {
        throw new MalformedRequestException(
            "the query has a character that must be written as bytes of UTF-8, such as %C3%BC");
      }
    }
  }

  /** What some language's trim leaves out. */
  private static boolean isBlank(char c) {
    return c <= ' '
        || c == 0x7f
        || c == 0x85
        || c == 0x180e
        || (c >= 0x200b && c <= 0x200d)
        || c == 0x2060
        || c == 0xfeff
        || Character.isSpaceChar(c);
  }

  /** Reads {@code +} as a blank and {@code %41} as a byte of UTF-8. */
  private static String decoded(String text) {
    if (text.indexOf('%') < 0 && text.indexOf('+') < 0) {
      return text;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i); // all characters are ASCII
      if (c == '%') {
        int escaped = PercentEncoding.at(text, i);
        if (escaped < 0) {
          throw new MalformedRequestException("the query has a broken escape after '%'");
        }
        bytes.write(escaped);
        i += 2;
      } else {
        bytes.write(c == '+' ? ' ' : c);
      }
    }
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toByteArray())).toString();
    } catch (CharacterCodingException e) {
      throw new MalformedRequestException("the query is not UTF-8");
    }
  }
}
