package io.weir;

import java.util.List;
import java.util.Locale;

/** What a limit promises where its buckets are shared by several processes. */
public enum Consistency {
  /** Exact while the store keeps its data: the store is asked for every yes. */
  EXACT,
  /**
   * Never one too many, whatever fails; in doubt, no. In a store of this process nothing is granted
   * until it is certain that nothing counts any more of what a process before it may have granted.
   * Not for leaky buckets, and only with {@link OnFailure#DENY}.
   */
  STRICT,
  /**
   * Never more than the limit, permits of busy keys taken in advance. In a store of this process
   * the same as {@link #EXACT}. Not for leaky buckets and limits that count rejected requests.
   */
  LEASED,
  /**
   * Decided by each process for itself, at local speed, and summed up afterwards: more than the
   * limit for as long as that takes. In a store of this process the same as {@link #EXACT}. Not for
   * leaky buckets and limits that count rejected requests.
   */
  EVENTUAL;

  /** Whether it can be promised of {@code limit}. */
  public boolean isFor(Limit limit) {
    return switch (this) {
      case EXACT -> true;
      case STRICT -> !(limit instanceof Limit.LeakyBucket);
      case LEASED, EVENTUAL -> limit.isLeasable();
    };
  }

  /** What decides when the store cannot be asked, where nobody has said: {@code usual}, or no. */
  public OnFailure onFailure(OnFailure usual) {
    return this == STRICT ? OnFailure.DENY : usual;
  }

  /**
   * Refuses limits and policies with which it cannot be kept.
   *
   * @throws IllegalArgumentException naming the limit, and what to do
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
