package io.weir.rules.match;

/** A test of one attribute. */
public sealed interface ValueMatcher {
  /** Exactly this value. */
  record Is(String value) implements ValueMatcher {
    @Override
    public String toString() {
      return MatchText.out(value);
    }
  }

  /** A value with this prefix: {@code abc*}. */
  record StartsWith(String prefix) implements ValueMatcher {
    @Override
    public String toString() {
      return MatchText.out(prefix) + "*";
    }
  }

  /** Any value: {@code "*"}. */
  record Present() implements ValueMatcher {
    @Override
    public String toString() {
      return "*";
    }
  }

  /** No value: {@code ~}. */
  record Absent() implements ValueMatcher {
    @Override
    public String toString() {
      return "~";
    }
  }

  /** A canonical path that matches this pattern. */
  record OnPath(PathPattern pattern) implements ValueMatcher {
    @Override
    public String toString() {
      return MatchText.out(pattern);
    }
  }

  /** An address in this network. */
  record InNetwork(Network network) implements ValueMatcher {
    @Override
    public String toString() {
      return network.toString();
    }
  }
}
