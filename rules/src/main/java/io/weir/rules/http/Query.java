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
   * The value of a parameter of {@code query}, which is what follows the {@code ?}; null if it is
   * not there.
   *
   * @throws MalformedRequestException if it is there twice, or cannot be decoded
   */
  public static @Nullable String parameter(String query, String name) {
    requireAscii(query);
    Once once = new Once("query parameter", name);
    for (String pair : query.split("&", -1)) {
      int equals = pair.indexOf('=');
      if (decoded(equals < 0 ? pair : pair.substring(0, equals)).equals(name)) {
        once.found(equals < 0 ? "" : decoded(pair.substring(equals + 1)));
      }
    }
    return once.value();
  }

  /**
   * All parameters of {@code query}, in their order.
   *
   * @param most how many there may be
   * @throws MalformedRequestException if one is there twice or has no name, if there are too many,
   *     or if they cannot be decoded
   */
  public static Map<String, String> parameters(String query, int most) {
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
        if (all.size() > most) {
          throw new MalformedRequestException("there are more than " + most + " query parameters");
        }
      }
      from = end + 1;
    }
    return all;
  }

  /** What else there is, is sent as {@code %C3%BC}; servers differ in how they read it raw. */
  private static void requireAscii(String query) {
    for (int i = 0; i < query.length(); i++) {
      if (query.charAt(i) <= ' ' || query.charAt(i) >= 127) {
        throw new MalformedRequestException(
            "the query has a character that must be written as bytes of UTF-8, such as %C3%BC");
      }
    }
  }

  /** Reads {@code +} as a blank and {@code %41} as a byte of UTF-8. */
  private static String decoded(String text) {
    if (text.indexOf('%') < 0 && text.indexOf('+') < 0) {
      return text;
    }
    byte[] raw = text.getBytes(UTF_8);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(raw.length);
    for (int i = 0; i < raw.length; i++) {
      if (raw[i] == '%') {
        int high = i + 2 < raw.length ? Character.digit(raw[i + 1], 16) : -1;
        int low = i + 2 < raw.length ? Character.digit(raw[i + 2], 16) : -1;
        if (high < 0 || low < 0) {
          throw new MalformedRequestException("the query has a broken escape after '%'");
        }
        bytes.write(high * 16 + low);
        i += 2;
      } else {
        bytes.write(raw[i] == '+' ? ' ' : raw[i]);
      }
    }
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toByteArray())).toString();
    } catch (CharacterCodingException e) {
      throw new MalformedRequestException("the query is not UTF-8");
    }
  }
}
