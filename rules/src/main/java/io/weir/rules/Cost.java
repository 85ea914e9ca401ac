package io.weir.rules;

/** How many permits a rule takes for a request. */
public sealed interface Cost {
  /** As many as the request itself says; one if it says nothing. */
  record OfRequest() implements Cost {}

  /** Always this many. */
  record Fixed(long permits) implements Cost {
    /** Checks that it is not negative. */
    public Fixed {
      if (permits < 0) {
        throw new IllegalArgumentException("cost must not be negative, but is " + permits);
      }
    }
  }

  /** The number that an attribute holds; one if the request lacks it. */
  record OfAttribute(String attribute) implements Cost {}
}
