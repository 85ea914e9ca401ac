package io.weir.server.http;

import io.weir.rules.match.MalformedRequestException;

/** Reads numbers of permits, seconds and the like. */
public final class Counts {
  private Counts() {}

  /**
   * A whole number that is not negative, in digits.
   *
   * @throws MalformedRequestException if it is none, or too large; it is called {@code what}
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
