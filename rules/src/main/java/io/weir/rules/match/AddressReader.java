package io.weir.rules.match;

import org.jspecify.annotations.Nullable;

/** Parses addresses exactly as the standards spell them: no octal, no short forms, no names. */
final class AddressReader {
  /** Longer than any address with a zone and a port. */
  private static final int MAX_LENGTH = 100;

  private final String text;
  private final int end;
  private int at;

  private AddressReader(String text, int from, int to) {
    this.text = text;
    this.at = from;
    this.end = to;
  }

  /** An address, with optional brackets, zone or port; null if it is invalid. */
  static @Nullable Address withPort(String text) {
    int length = text.length();
    if (length == 0 || length > MAX_LENGTH) {
      return null;
    }
    if (text.charAt(0) == '[') {
      int close = text.indexOf(']');
      boolean isWhole = close == length - 1 || (close > 0 && isPort(text, close + 1));
      return isWhole ? ipv6WithZone(text, 1, close) : null;
    }
    int colon = text.indexOf(':');
    if (colon < 0) {
      return ipv4(text, length);
    }
    return text.lastIndexOf('.', colon) > 0 && isPort(text, colon)
        ? ipv4(text, colon)
        : ipv6WithZone(text, 0, length);
  }

  /** An address and nothing else; null if it is invalid. */
  static @Nullable Address plain(String text) {
    if (text.length() > MAX_LENGTH) {
      return null;
    }
    return text.indexOf(':') < 0 ? ipv4(text, text.length()) : ipv6(text, 0, text.length());
  }

  private static boolean isPort(String text, int colon) {
    int digits = text.length() - colon - 1;
    if (text.charAt(colon) != ':' || digits < 1 || digits > 5) {
      return false;
    }
    int port = 0;
    for (int i = colon + 1; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < '0' || c > '9') {
        return false;
      }
      port = port * 10 + (c - '0');
    }
    return port <= 0xffff;
  }

  private static @Nullable Address ipv4(String text, int to) {
    long bits = new AddressReader(text, 0, to).fourNumbers();
    if (bits < 0) {
      return null;
    }
    return to == text.length() ? Address.spelled(bits, text) : Address.ofIpv4(bits);
  }

  private static @Nullable Address ipv6WithZone(String text, int from, int to) {
    int percent = text.indexOf('%', from);
    if (percent < 0 || percent >= to) {
      return ipv6(text, from, to);
    }
    for (int i = percent + 1; i < to; i++) {
      char c = text.charAt(i);
      if (c <= ' ' || c >= 0x7f || c == '[' || c == ']') {
        return null;
      }
    }
    return percent + 1 == to ? null : ipv6(text, from, percent);
  }

  private static @Nullable Address ipv6(String text, int from, int to) {
    return new AddressReader(text, from, to).eightGroups();
  }

  /** Four numbers from 0 to 255 without leading zeros, up to the end; −1 if invalid. */
  private long fourNumbers() {
    long bits = 0;
    for (int i = 0; i < 4; i++) {
      if (i > 0 && !take('.')) {
        return -1;
      }
      int from = at;
      int number = 0;
      while (at < end && at - from < 3 && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
        number = number * 10 + (text.charAt(at++) - '0');
      }
      int digits = at - from;
      if (digits == 0 || number > 255 || (digits > 1 && text.charAt(from) == '0')) {
        return -1;
      }
      bits = bits << 8 | number;
    }
    return at == end ? bits : -1;
  }

  private @Nullable Address eightGroups() {
    int[] groups = new int[8];
    int count = 0;
    int gap = -1;
    if (take(':')) {
      if (!take(':')) {
        return null;
      }
      gap = 0;
    }
    while (at < end && count < 8) {
      int from = at;
      int group = group();
      if (at < end && text.charAt(at) == '.') {
        at = from;
        long bits = count <= 6 ? fourNumbers() : -1;
        if (bits < 0) {
          return null;
        }
        groups[count++] = (int) (bits >>> 16);
        groups[count++] = (int) (bits & 0xffff);
        break;
      }
      if (group < 0) {
        return null;
      }
      groups[count++] = group;
      if (at == end) {
        break;
      }
      if (!take(':')) {
        return null;
      }
      if (take(':')) {
        if (gap >= 0) {
          return null;
        }
        gap = count;
      } else if (at == end) {
        return null;
      }
    }
    boolean isWhole = at == end && (gap < 0 ? count == 8 : count < 8);
    return isWhole ? assemble(groups, count, gap) : null;
  }

  /** One to four hexadecimal digits; −1 if there are none. */
  private int group() {
    int from = at;
    int group = 0;
    while (at < end && at - from < 4) {
      char c = text.charAt(at);
      int letter = c | 0x20;
      if (c >= '0' && c <= '9') {
        group = group << 4 | c - '0';
      } else if (c < 0x80 && letter >= 'a' && letter <= 'f') {
        group = group << 4 | letter - 'a' + 10;
      } else {
        break;
      }
      at++;
    }
    return at == from ? -1 : group;
  }

  private static Address assemble(int[] groups, int count, int gap) {
    int zeros = gap < 0 ? 0 : 8 - count;
    long high = 0;
    long low = 0;
    for (int i = 0; i < 8; i++) {
      int group = gap < 0 || i < gap ? groups[i] : i < gap + zeros ? 0 : groups[i - zeros];
      if (i < 4) {
        high = high << 16 | group;
      } else {
        low = low << 16 | group;
      }
    }
    return Address.of(high, low);
  }

  private boolean take(char c) {
    if (at < end && text.charAt(at) == c) {
      at++;
      return true;
    }
    return false;
  }
}
