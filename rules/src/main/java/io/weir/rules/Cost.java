package io.weir.rules;

/** How many permits a rule takes for a request. */
public sealed interface Cost {
  /** The cost that the request states; one if it states none. */
  record OfRequest() implements Cost {}

  /** A constant cost. */
  record Fixed(long permits) implements Cost {
    /** Checks that the cost is not negative. */
    public Fixed {
      if (permits < 0) {
        throw new IllegalArgumentException("cost must not be negative, but is " + permits);
      }
    }
  }

  /** The number in an attribute; one if the request lacks it. */
  record OfAttribute(String attribute) implements Cost {}
}
