package io.weir.rules;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.Origin;
import io.weir.Standing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts as envoyproxy/ratelimit does: every hit counts, also a refused one, so that a counter
 * grows beyond its limit; a request is over the limit if the counter is after it.
 */
final class Counting {
  /*
   * A fixed window has a twin of the same span and the greatest size that there is. It refuses
   * nobody, and what it says to be left tells how much was counted:
   *
   *      limit 10 a minute; the twin has 2147483648, of which 2147483635 are left after 3 hits
   *      13 were counted: over by 3; the 3 hits went from 10 to 13
   *
   * Who only looks, with 0 hits, is over if the counter is above the limit already: at the limit one
   * more passes. That is how it is there.
   *
   * Limits that envoyproxy/ratelimit does not know, of other algorithms, stay as they are: what they
   * refuse does not count. So does a limit of which a local share is to be kept for failures, since a
   * share of the twin's size would be no limit at all.
   */

  private Counting() {}

  /** The limits to count by in place of a meter's own; the same list if there is nothing to do. */
  static List<Limit> of(Meter meter) {
    boolean isKept =
        meter.rule().policy().onFailure() == OnFailure.LOCAL
            || meter.limits().stream().noneMatch(Limit.FixedWindow.class::isInstance);
    return isKept ? meter.limits() : meter.limits().stream().map(Counting::twin).toList();
  }

  private static Limit twin(Limit limit) {
    return limit instanceof Limit.FixedWindow window
        ? new Limit.FixedWindow(Limit.MAX_PERMITS, window.span(), window.zone())
        : limit;
  }

  /** Whether every hit is counted by every limit, also beyond it. */
  static boolean countsAll(Bound bound) {
    return bound.isCounting()
        && bound.limits().stream().allMatch(Limit.FixedWindow.class::isInstance);
  }

  /**
   * How much more has to be counted after a decision: where hits would go beyond the twin's own
   * size, what is left of it, so that it is full.
   */
  static long room(Bound bound, Decision counted) {
    boolean isFull = !counted.allowed() && counted.origin() != Origin.FAILURE;
    return isFull && countsAll(bound) ? counted.remaining() : 0;
  }

  /** What a decision by twins means for the limits themselves. */
  static Decision explain(List<Limit> limits, Decision counted) {
    // Where the twin could not take it, because it or another limit was full, it is over all the
    // same.
    return explain(limits, counted, counted.allowed() ? 0 : counted.cost());
  }

  /** {@link #explain} of what would be decided: nothing was counted. */
  static Decision explainPeek(List<Limit> limits, Decision peeked) {
    return explain(limits, peeked, peeked.cost());
  }

  private static Decision explain(List<Limit> limits, Decision counted, long uncounted) {
    long millis = counted.time().toEpochMilli();
    if (counted.origin() == Origin.FAILURE) {
      return Decision.onFailure(counted.allowed(), counted.cost(), limits, millis);
    }
    List<Standing> standings = new ArrayList<>(limits.size());
    boolean allowed = true;
    for (int i = 0; i < limits.size(); i++) {
      Standing standing = counted.standings().get(i);
      Standing meant =
          limits.get(i).equals(standing.limit())
              ? standing
              : explain(limits.get(i), standing, counted.cost(), uncounted);
      standings.add(meant);
      allowed &= meant.allows();
    }
    Duration delay = allowed ? counted.delay() : Duration.ZERO;
    return Decision.of(counted.cost(), delay, standings, millis, counted.origin());
  }

  private static Standing explain(Limit limit, Standing twin, long cost, long uncounted) {
    long count = twin.limit().capacity() - twin.remaining();
    long left = Math.max(0, limit.permits() - count);
    long reset = twin.resetAfter().toNanos();
    long growth = count == 0 ? 0 : reset;
    if (count + uncounted <= limit.permits()) {
      return Standing.of(limit, left, 0, growth, reset);
    }
    return cost > limit.permits()
        ? Standing.neverFits(limit, left, growth, reset)
        : Standing.of(limit, left, Math.max(1, reset), growth, reset);
  }
}
