package io.weir;

import java.util.List;
import java.util.Locale;

/** What a limit promises where its buckets are shared by several processes. */
public enum Consistency {
  /** Exact while the store keeps its data: the store is asked for every yes. */
  EXACT,
  /** Never one too many, whatever fails. To come. */
  STRICT,
  /**
   * Never more than the limit, permits of busy keys taken in advance. In a store of this process
   * the same as {@link #EXACT}. Not for leaky buckets and limits that count rejected requests.
   */
  LEASED,
  /** Local speed, a bounded overshoot. To come. */
  EVENTUAL;

  /** Whether it is kept already. */
  public boolean isKept() {
    return this == EXACT || this == LEASED;
  }

  /**
   * Refuses what is not kept yet, and limits of which nothing can be promised so.
   *
   * @throws IllegalArgumentException naming the limit, and what to do
   */
  void requireFor(List<Limit> limits) {
    if (!isKept()) {
      throw new IllegalArgumentException("consistency '" + this + "' is to come");
    }
    for (Limit limit : limits) {
      if (this == LEASED && !limit.isLeasable()) {
        throw new IllegalArgumentException(
            "consistency '" + this + "' is not for " + limit + "; use 'exact'");
      }
    }
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
