package io.weir.seeing;

import io.weir.arbiter.Outcome;

/**
 * How often what was, for one rule or for all: a request counts once in each rule that applied.
 *
 * @param outcomes by {@link Outcome}
 * @param nearLimit allowed requests that left less than a fifth of the limit
 * @param fallbacks decisions without the store
 */
public record Counts(long[] outcomes, long nearLimit, long fallbacks) {
  /** Nothing. */
  public static final Counts NONE = new Counts(new long[Outcome.values().length], 0, 0);

  /** How often. */
  public long of(Outcome outcome) {
    return outcomes[outcome.ordinal()];
  }

  /** All outcomes together. */
  public long all() {
    long all = 0;
    for (long each : outcomes) {
      all += each;
    }
    return all;
  }

  /** How many were refused, or would have been if the rule were not only tried. */
  public long refused() {
    return of(Outcome.DENIED) + of(Outcome.SHADOW_DENIED);
  }

  /** Which part was refused, or would have been; 0 if there was nothing. */
  public double refusedShare() {
    long all = all();
    return all == 0 ? 0 : (double) refused() / all;
  }
}
