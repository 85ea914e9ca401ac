package io.weir.rules.match;

/** A test of one attribute. */
public sealed interface Test {
  /** Exactly this value. */
  record Is(String value) implements Test {
    @Override
    public String toString() {
      return Written.out(value);
    }
  }

  /** A value with this prefix: {@code abc*}. */
  record StartsWith(String prefix) implements Test {
    @Override
    public String toString() {
      return Written.out(prefix) + "*";
    }
  }

  /** Any value: {@code "*"}. */
  record Present() implements Test {
    @Override
    public String toString() {
      return "*";
    }
  }

  /** No value: {@code ~}. */
  record Absent() implements Test {
    @Override
    public String toString() {
      return "~";
    }
  }

  /** A canonical path that matches this pattern. */
  record OnPath(PathPattern pattern) implements Test {
    @Override
    public String toString() {
      return Written.out(pattern);
    }
  }

  /** An address in this network. */
  record InNetwork(Network network) implements Test {
    @Override
    public String toString() {
      return network.toString();
    }
  }
}
