package io.weir.redis;

import io.weir.redis.RedisSettings.Verify;
import io.weir.text.DurationParser;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;

/** Reads the values of a URL's parameters; an error names the parameter and a correct form. */
final class UrlParameters {
  private static final DurationParser DURATION = DurationParser.of(9, "us", "ms", "s", "m", "h");

  private UrlParameters() {}

  static Path file(String name, String value) {
    if (value.isEmpty()) {
      throw new IllegalArgumentException(name + " is empty; name a file");
    }
    try {
      return Path.of(value);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(name + " '" + shown(value) + "' cannot be a file name");
    }
  }

  static Verify verify(String value) {
    return switch (value) {
      case "full" -> Verify.FULL;
      case "ca" -> Verify.CA;
      case "none" -> Verify.NONE;
      default ->
          throw new IllegalArgumentException(
              "verify '" + shown(value) + "'; write full, ca or none");
    };
  }

  static boolean flag(String name, String value) {
    return switch (value) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw new IllegalArgumentException(name + " '" + shown(value) + "'; write true or false");
    };
  }

  static int number(String name, String value) {
    if (!value.matches("\\d{1,9}")) {
      throw new IllegalArgumentException(
          name + " '" + shown(value) + "' is not a whole number such as 1");
    }
    return Integer.parseInt(value);
  }

  static Duration duration(String name, String value) {
    return DURATION
        .parse(value)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    name + " '" + shown(value) + "' is not a duration such as 250ms or 2s"));
  }

  /** Percent-decodes; a + stays a +. */
  static String decoded(String name, String text) {
    if (text.indexOf('%') < 0) {
      return text;
    }
    ByteBuffer bytes = ByteBuffer.allocate(text.length() * 3);
    for (int i = 0; i < text.length(); ) {
      if (text.charAt(i) == '%') {
        int high = i + 2 < text.length() ? Character.digit(text.charAt(i + 1), 16) : -1;
        int low = i + 2 < text.length() ? Character.digit(text.charAt(i + 2), 16) : -1;
        if (high < 0 || low < 0) {
          throw new IllegalArgumentException(
              name + " has a '%' without two hexadecimal digits; write %25 for '%'");
        }
        bytes.put((byte) (high << 4 | low));
        i += 3;
      } else {
        int point = text.codePointAt(i);
        bytes.put(Character.toString(point).getBytes(StandardCharsets.UTF_8));
        i += Character.charCount(point);
      }
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(name + " is not UTF-8 once its %XX are decoded");
    }
  }

  /** Formats input for an error of one line. */
  static String shown(String text) {
    String printable = text.replaceAll("\\p{Cntrl}", "?");
    return printable.length() <= 60 ? printable : printable.substring(0, 60) + "…";
  }
}
