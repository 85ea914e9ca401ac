package io.weir;

import java.util.List;
import java.util.Locale;

/** What a limit guarantees when several processes share its buckets. */
public enum Consistency {
  /** Exact while the store keeps its data: the store is called before every grant. */
  EXACT,
  /**
   * Never grants one permit too many, whatever fails; in doubt, refuses. A local store grants
   * nothing until whatever an earlier process may have granted has certainly expired. Not for leaky
   * buckets, and only with {@link OnFailure#DENY}.
   */
  STRICT,
  /**
   * Never grants more than the limit; permits of busy keys are taken in advance. With a local store
   * the same as {@link #EXACT}. Not for leaky buckets or limits that count rejected requests.
   */
  LEASED,
  /**
   * Each process decides in its own memory, at local speed, and the counts are summed up
   * afterwards. More than the limit is granted for as long as that takes. With a local store the
   * same as {@link #EXACT}. Not for leaky buckets or limits that count rejected requests.
   */
  EVENTUAL;

  /** Whether {@code limit} can be used with this consistency. */
  public boolean isFor(Limit limit) {
    return switch (this) {
      case EXACT -> true;
      case STRICT -> !(limit instanceof Limit.LeakyBucket);
      case LEASED, EVENTUAL -> limit.isLeasable();
    };
  }

  /**
   * The failure policy where none is configured: {@code usual}, or {@link OnFailure#DENY} if this
   * is {@link #STRICT}.
   */
  public OnFailure onFailure(OnFailure usual) {
    return this == STRICT ? OnFailure.DENY : usual;
  }

  /**
   * Rejects limits and policies that cannot be used with this consistency.
   *
   * @throws IllegalArgumentException with the limit and what to change
   */
  void requireFor(List<Limit> limits, OnFailure policy) {
    for (Limit limit : limits) {
      if (!isFor(limit)) {
        throw new IllegalArgumentException(
            "consistency '" + this + "' is not for " + limit + "; use 'exact'");
      }
    }
    if (onFailure(policy) != policy) {
      throw new IllegalArgumentException(
          "consistency '" + this + "' needs on_failure 'deny', but it is '" + policy + "'");
    }
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
