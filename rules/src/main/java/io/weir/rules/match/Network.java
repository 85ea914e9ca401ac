package io.weir.rules.match;

import org.jspecify.annotations.Nullable;

/**
 * A range of addresses: {@code 10.0.0.0/8}, {@code 2001:db8::/32}, or a single address. Immutable.
 *
 * <p>A network contains only one kind of address: {@code ::/0} contains every IPv6 address and no
 * IPv4 address.
 */
public final class Network {
  /** The number of bits before those of an IPv4 address. */
  private static final int IPV4_AT = 96;

  private final Address first;
  private final int length; // of 128 bits, for IPv4 too
  private final long highMask;
  private final long lowMask;

  private Network(Address first, int length) {
    this.first = first;
    this.length = length;
    this.highMask = mask(length);
    this.lowMask = mask(length - 64);
  }

  private static long mask(int length) {
    return length <= 0 ? 0 : length >= 64 ? -1 : -1L << 64 - length;
  }

  /**
   * Parses a network.
   *
   * @throws IllegalArgumentException if it is invalid; the message contains the reason
   */
  public static Network parse(String text) {
    int slash = text.indexOf('/');
    String spelled = slash < 0 ? text : text.substring(0, slash);
    Address address = AddressReader.plain(spelled);
    if (address == null) {
      throw new IllegalArgumentException(
          "'"
              + text
              + "' is not a network: "
              + whyNoAddress(spelled)
              + " (10.0.0.0/8, 2001:db8::/32)");
    }
    boolean isMapped = address.isIpv4() && spelled.indexOf(':') >= 0;
    int maxLength = address.isIpv4() && !isMapped ? 32 : 128;
    int length = slash < 0 ? maxLength : length(text, slash + 1, maxLength);
    if (isMapped && length < IPV4_AT) {
      throw new IllegalArgumentException(
          "'"
              + text
              + "' is more than the IPv4 addresses; did you mean "
              + address
              + "/"
              + length
              + "?");
    }
    Network network = covering(address, maxLength == 32 ? IPV4_AT + length : length);
    if (!network.first.equals(address)) {
      throw new IllegalArgumentException(text + " has host bits; did you mean " + network + "?");
    }
    return network;
  }

  private static String whyNoAddress(String spelled) {
    if (spelled.isEmpty()) {
      return "the address is missing";
    }
    boolean isName = spelled.chars().anyMatch(c -> c >= 'g' && c <= 'z');
    return isName && spelled.indexOf(':') < 0
        ? "names are not looked up, write addresses"
        : "'" + spelled + "' is not an address";
  }

  private static int length(String text, int from, int maxLength) {
    int digits = text.length() - from;
    int length = digits >= 1 && digits <= 3 ? 0 : -1;
    for (int i = from; length >= 0 && i < text.length(); i++) {
      char c = text.charAt(i);
      length = c >= '0' && c <= '9' ? length * 10 + (c - '0') : -1;
    }
    boolean hasZero = digits > 1 && text.charAt(from) == '0';
    if (length < 0 || length > maxLength || hasZero) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a network: its length must be a number from 0 to " + maxLength);
    }
    return length;
  }

  private static Network covering(Address address, int length) {
    Address first = Address.of(address.high() & mask(length), address.low() & mask(length - 64));
    return new Network(first, length);
  }

  /** Whether it contains {@code address}. */
  public boolean contains(Address address) {
    return (address.high() & highMask) == first.high()
        && (address.low() & lowMask) == first.low()
        && address.isIpv4() == isIpv4();
  }

  /** Whether its addresses are IPv4. */
  boolean isIpv4() {
    return length >= IPV4_AT && first.isIpv4();
  }

  /** The network of the same kind with a prefix shorter by one bit; null if there is none. */
  public @Nullable Network parent() {
    return length == (isIpv4() ? IPV4_AT : 0) ? null : covering(first, length - 1);
  }

  /** Its first address. */
  Address first() {
    return first;
  }

  /** Its last address. */
  Address last() {
    return Address.of(first.high() | ~highMask, first.low() | ~lowMask);
  }

  /** The prefix length in 128 bits. */
  int length() {
    return length;
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof Network that && first.equals(that.first) && length == that.length;
  }

  @Override
  public int hashCode() {
    return first.hashCode() * 31 + length;
  }

  /** The shortest spelling: a single address without its length. */
  @Override
  public String toString() {
    return length == 128 ? first.toString() : first + "/" + (isIpv4() ? length - IPV4_AT : length);
  }
}
