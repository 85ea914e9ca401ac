package io.weir.rules.match;

import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * An IPv4 or IPv6 address, parsed strictly and without DNS. Immutable.
 *
 * <p>Its bits determine whether it is IPv4: {@code ::ffff:1.2.3.4}, {@code ::FFFF:102:304} and
 * {@code 1.2.3.4} are the same address.
 */
public final class Address {
  /** Orders addresses by their 128 bits. */
  static final Comparator<Address> BY_BITS =
      (a, b) -> {
        int high = Long.compareUnsigned(a.high, b.high);
        return high != 0 ? high : Long.compareUnsigned(a.low, b.low);
      };

  /** The upper 96 bits of an IPv4 address: {@code ::ffff:0:0/96}. */
  private static final long IPV4_PREFIX = 0xffffL;

  private final long high;
  private final long low;

  /** The text that it was read from, if that is the canonical spelling. */
  private final @Nullable String spelling;

  private Address(long high, long low, @Nullable String spelling) {
    this.high = high;
    this.low = low;
    this.spelling = spelling;
  }

  /** The address of these 128 bits. */
  static Address of(long high, long low) {
    return new Address(high, low, null);
  }

  /** The IPv4 address of these 32 bits. */
  static Address ofIpv4(long bits) {
    return of(0, IPV4_PREFIX << 32 | bits);
  }

  /**
   * Parses {@code text}; null if it is not an address. Drops a port ({@code 1.2.3.4:80}, {@code
   * [::1]:80}), brackets and a zone ({@code fe80::1%eth0}).
   */
  public static @Nullable Address parse(String text) {
    return AddressReader.withPort(text);
  }

  /** An IPv4 address with its canonical spelling. */
  static Address spelled(long bits, String text) {
    return new Address(0, IPV4_PREFIX << 32 | bits, text);
  }

  /** Whether it is an IPv4 address. */
  public boolean isIpv4() {
    return high == 0 && low >>> 32 == IPV4_PREFIX;
  }

  long high() {
    return high;
  }

  long low() {
    return low;
  }

  /**
   * The key of a client with this address: the address, or the first 64 bits of an IPv6 address,
   * such as {@code 2001:db8:0:1::/64}. Within these 64 bits a client can choose addresses freely.
   */
  public String client() {
    return isIpv4() ? toString() : of(high, 0).ipv6() + "/64";
  }

  /** The address; for IPv6 its first 64 bits, as in {@link #client}. */
  public Address network() {
    return isIpv4() ? this : of(high, 0);
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof Address that && high == that.high && low == that.low;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(high * 31 + low);
  }

  /** The canonical spelling; for IPv6 that of RFC 5952. */
  @Override
  public String toString() {
    if (spelling != null) {
      return spelling;
    }
    return isIpv4()
        ? (low >>> 24 & 0xff)
            + "."
            + (low >>> 16 & 0xff)
            + "."
            + (low >>> 8 & 0xff)
            + "."
            + (low & 0xff)
        : ipv6();
  }

  /** Groups without leading zeros; the first of the longest runs of zero groups becomes "::". */
  private String ipv6() {
    int from = 0;
    int length = 1; // a single zero group is not shortened
    for (int i = 0; i < 8; i++) {
      int run = 0;
      while (i + run < 8 && group(i + run) == 0) {
        run++;
      }
      if (run > length) {
        from = i;
        length = run;
      }
      i += run;
    }
    StringBuilder text = new StringBuilder(39);
    for (int i = 0; i < 8; i++) {
      if (length > 1 && i == from) {
        text.append("::");
        i += length - 1;
      } else {
        if (i > 0 && text.charAt(text.length() - 1) != ':') {
          text.append(':');
        }
        text.append(Integer.toHexString(group(i)));
      }
    }
    return text.toString();
  }

  private int group(int i) {
    return (int) ((i < 4 ? high : low) >>> (3 - i % 4) * 16) & 0xffff;
  }
}
