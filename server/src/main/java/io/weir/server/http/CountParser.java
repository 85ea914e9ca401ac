package io.weir.server.http;

import io.weir.rules.match.MalformedRequestException;

/** Parses counts of permits, seconds and other units. */
public final class CountParser {
  private CountParser() {}

  /**
   * Parses a non-negative whole number in decimal digits.
   *
   * @param what the name of the number in error messages
   * @throws MalformedRequestException if it is not such a number, or is too large
   */
  public static long parse(String text, String what) {
    boolean isNegative = text.length() > 1 && text.charAt(0) == '-';
    int from = isNegative ? 1 : 0;
    boolean isNumber = from < text.length();
    for (int i = from; i < text.length(); i++) {
      isNumber &= text.charAt(i) >= '0' && text.charAt(i) <= '9';
    }
    if (!isNumber) {
      throw new MalformedRequestException(what + " must be a whole number");
    }
    if (isNegative) {
      throw new MalformedRequestException(what + " must not be negative");
    }
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new MalformedRequestException(what + " is too large: the most is " + Long.MAX_VALUE);
    }
  }
}
