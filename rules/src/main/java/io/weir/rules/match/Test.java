package io.weir.rules.match;

/** What a rule asks of one attribute. */
public sealed interface Test {
  /** Exactly this value. */
  record Is(String value) implements Test {
    @Override
    public String toString() {
      return Written.out(value);
    }
  }

  /** A value that starts like this: {@code abc*}. */
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

  /** A canonical path of this shape. */
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
