package io.weir.rules.envoy;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.OnFailure;
import io.weir.Origin;
import io.weir.rules.LimitGroup;
import io.weir.rules.engine.LimiterHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts as envoyproxy/ratelimit does. Every hit counts, even a refused one, so a counter can grow
 * beyond its limit. A request is over the limit if the counter is over it after the request.
 */
public final class EnvoyCounting {
  /*
   * A fixed window is replaced by a twin with the same span and the maximum size. The twin refuses
   * no request, and its remaining permits show how much was counted:
   *
   *      limit 10 a minute; the twin has 2147483648, of which 2147483635 are left after 3 hits
   *      13 were counted: over by 3; the 3 hits went from 10 to 13
   *
   * A check with 0 hits is over the limit only if the counter is already above the limit; at the
   * limit one more passes. envoyproxy/ratelimit does the same.
   *
   * Limits of algorithms that envoyproxy/ratelimit does not have are not replaced: their refused
   * hits do not count. Limits with on_failure: local are not replaced either, because a
   * local share of the twin's size would be no limit at all.
   */

  private EnvoyCounting() {}

  /**
   * The limits to count by, in place of the configured ones; the same list if nothing is replaced.
   */
  public static List<Limit> of(LimitGroup limitGroup) {
    boolean isKept =
        limitGroup.rule().policy().onFailure() == OnFailure.LOCAL
            || limitGroup.limits().stream().noneMatch(Limit.FixedWindow.class::isInstance);
    return isKept
        ? limitGroup.limits()
        : limitGroup.limits().stream().map(EnvoyCounting::twin).toList();
  }

  private static Limit twin(Limit limit) {
    return limit instanceof Limit.FixedWindow window
        ? new Limit.FixedWindow(Limit.MAX_PERMITS, window.span(), window.zone())
        : limit;
  }

  /** Whether every limit counts every hit, even beyond the limit. */
  static boolean countsAll(LimiterHandle limiterHandle) {
    return limiterHandle.isCounting()
        && limiterHandle.limits().stream().allMatch(Limit.FixedWindow.class::isInstance);
  }

  /**
   * How much more must be counted after a decision. If the hits do not fit into the twin, this is
   * the twin's remainder, so that it becomes full.
   */
  public static long room(LimiterHandle limiterHandle, Decision counted) {
    boolean isFull = !counted.allowed() && counted.origin() != Origin.FAILURE;
    return isFull && countsAll(limiterHandle) ? counted.remaining() : 0;
  }

  /** Translates a decision by twins into one by the limits themselves. */
  public static Decision explain(List<Limit> limits, Decision counted) {
    // If the twin refused, because it or another limit was full, the limit is exceeded anyway.
    return explain(limits, counted, counted.allowed() ? 0 : counted.cost());
  }

  /** {@link #explain} for a peek, which counted nothing. */
  public static Decision explainPeek(List<Limit> limits, Decision peek) {
    return explain(limits, peek, peek.cost());
  }

  private static Decision explain(List<Limit> limits, Decision counted, long uncounted) {
    long millis = counted.time().toEpochMilli();
    if (counted.origin() == Origin.FAILURE) {
      return Decision.onFailure(counted.allowed(), counted.cost(), limits, millis);
    }
    List<LimitStatus> statuses = new ArrayList<>(limits.size());
    boolean allowed = true;
    for (int i = 0; i < limits.size(); i++) {
      LimitStatus limitStatus = counted.standings().get(i);
      LimitStatus explained =
          limits.get(i).equals(limitStatus.limit())
              ? limitStatus
              : explain(limits.get(i), limitStatus, counted.cost(), uncounted);
      statuses.add(explained);
      allowed &= explained.allows();
    }
    Duration delay = allowed ? counted.delay() : Duration.ZERO;
    return Decision.of(counted.cost(), delay, statuses, millis, counted.origin());
  }

  private static LimitStatus explain(Limit limit, LimitStatus twin, long cost, long uncounted) {
    long count = twin.limit().capacity() - twin.remaining();
    long left = Math.max(0, limit.permits() - count);
    long reset = twin.resetAfter().toNanos();
    long growth = count == 0 ? 0 : reset;
    if (count + uncounted <= limit.permits()) {
      return LimitStatus.of(limit, left, 0, growth, reset);
    }
    return cost > limit.permits()
        ? LimitStatus.neverFits(limit, left, growth, reset)
        : LimitStatus.of(limit, left, Math.max(1, reset), growth, reset);
  }
}
