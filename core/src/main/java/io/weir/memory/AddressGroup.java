package io.weir.memory;

/** Finds the network that a key's address belongs to: /24 of IPv4, /48 of IPv6. */
final class AddressGroup {
  /** The key does not begin with an address. */
  static final long NONE = -1;

  private static final long IPV6 = 1L << 48;

  private AddressGroup() {}

  /**
   * A number for the network of a key that is an address, alone or before a {@code |} and other
   * values. Nearly all other keys are ruled out by their first character or two.
   */
  static long of(String key) {
    long network = 0;
    long group = 0;
    int groups = 0;
    int digits = 0;
    char separator = 0;
    boolean shortened = false;
    int length = key.length();
    for (int i = 0; i < length; i++) {
      char c = key.charAt(i);
      int digit = digit(c);
      if (digit >= 0) {
        group = group << 4 | digit;
        if (++digits > 4) {
          return NONE;
        }
      } else if (c == '.' || c == ':') {
        if (separator == 0) {
          separator = c;
        } else if (separator != c) {
          return NONE;
        }
        shortened |= c == ':' && digits == 0 && groups > 0;
        if (groups < 3) {
          network = network << 16 | group;
        }
        groups++;
        group = 0;
        digits = 0;
      } else if (c == '|' || c == '/') {
        return end(network, groups, separator, shortened);
      } else {
        return NONE;
      }
    }
    return end(network, groups, separator, shortened);
  }

  private static long end(long network, int groups, char separator, boolean shortened) {
    if (separator == '.') {
      return groups == 3 ? network : NONE;
    }
    // Seven colons, or "::"; in "::1" the third group that is left out is zero.
    boolean isIpv6 = shortened ? groups <= 7 : groups == 7;
    return isIpv6 ? IPV6 | network << (groups == 2 ? 16 : 0) : NONE;
  }

  private static int digit(char c) {
    if (c >= '0' && c <= '9') {
      return c - '0';
    }
    int letter = c | 0x20;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
  }
}
