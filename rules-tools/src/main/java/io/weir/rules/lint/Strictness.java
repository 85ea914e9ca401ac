package io.weir.rules.lint;

import io.weir.Limit;
import io.weir.rules.Cost;
import java.math.BigInteger;
import java.time.Duration;

/**
 * Compares limits: whether one never allows what the other would refuse, given that it counts at
 * least the same requests. <i>True</i> is always certain, whatever the traffic.
 *
 * <p>Two bounds do most of the work. A token bucket allows at most {@code burst + T × rate} in any
 * T: 10 per second with a burst of 100 is never more than 700 in a minute. So a window of 1000 a
 * minute behind it never refuses. A sliding log allows at most N in any period, so any limit over
 * that time or less sees at most N.
 */
final class Strictness {
  /** A log rounds times up to the next tick, so it covers slightly more than its period. */
  private static final Duration LOGS_ROUNDING = Duration.ofMillis(2);

  private Strictness() {}

  /** Whether {@code loose} never refuses what {@code strict} allows. */
  static boolean isAtLeastAsStrict(Limit strict, Limit loose) {
    if (strict.permits() == 0) {
      return true;
    }
    if (loose.permits() == 0 || strict.capacity() > loose.capacity() || countsRejected(loose)) {
      return false;
    }
    if (strict instanceof Limit.TokenBucket bucket) {
      return isStrict(bucket, loose);
    }
    if (strict instanceof Limit.SlidingLog log) {
      return isStrict(log, loose);
    }
    return isSameBut(strict, loose) || isWindowOver(strict, loose);
  }

  /** Whether {@code strict} takes at least as many permits for a request as {@code loose}. */
  static boolean takesAtLeast(Cost strict, Cost loose) {
    return strict.equals(loose)
        || (strict instanceof Cost.Fixed more
            && loose instanceof Cost.Fixed less
            && more.permits() >= less.permits());
  }

  private static boolean countsRejected(Limit limit) {
    return (limit instanceof Limit.SlidingLog log && log.countRejected())
        || (limit instanceof Limit.SlidingEpochs epochs && epochs.countRejected());
  }

  private static boolean isStrict(Limit.TokenBucket strict, Limit loose) {
    if (loose instanceof Limit.TokenBucket bucket) {
      return strict.tick().equals(bucket.tick())
          && isSlower(strict, bucket.permits(), bucket.period());
    }
    if (loose instanceof Limit.SlidingLog log) {
      return allowsAtMost(log.period().plus(LOGS_ROUNDING), strict, log.permits());
    }
    if (loose instanceof Limit.SlidingEpochs epochs) {
      return allowsAtMost(epochs.period(), strict, epochs.permits());
    }
    return loose instanceof Limit.FixedWindow window
        && window.span() instanceof Limit.Length length
        && allowsAtMost(length.period(), strict, window.permits());
  }

  private static boolean isStrict(Limit.SlidingLog strict, Limit loose) {
    if (loose instanceof Limit.TokenBucket bucket) {
      return bucket.tick().equals(strict.tick())
          && compareRates(strict.permits(), strict.period(), bucket.permits(), bucket.period())
              <= 0;
    }
    Duration seen =
        loose instanceof Limit.SlidingLog log
            ? log.period()
            : loose instanceof Limit.SlidingEpochs epochs ? epochs.period() : lengthOf(loose);
    return !seen.isZero() && seen.compareTo(strict.period()) <= 0;
  }

  /** The length of a fixed window; zero if it is another algorithm, or a calendar window. */
  private static Duration lengthOf(Limit limit) {
    return limit instanceof Limit.FixedWindow window && window.span() instanceof Limit.Length length
        ? length.period()
        : Duration.ZERO;
  }

  /** Whether they differ only in how much they allow, not in what they count and when. */
  private static boolean isSameBut(Limit strict, Limit loose) {
    if (strict instanceof Limit.LeakyBucket mine) {
      return loose instanceof Limit.LeakyBucket theirs
          && mine.permits() == theirs.permits()
          && mine.period().equals(theirs.period());
    }
    return strict.sharesBucketsWith(loose);
  }

  /**
   * Whether the windows of {@code loose}, all aligned to the epoch, lie within those of {@code
   * strict}.
   */
  private static boolean isWindowOver(Limit strict, Limit loose) {
    Duration inner = lengthOf(loose);
    Duration outer = lengthOf(strict);
    if (strict instanceof Limit.SlidingWindow window) {
      outer = window.period();
    } else if (strict instanceof Limit.SlidingEpochs epochs) {
      outer = epochs.period();
    }
    return !inner.isZero() && !outer.isZero() && outer.toMillis() % inner.toMillis() == 0;
  }

  private static boolean isSlower(Limit.TokenBucket bucket, long permits, Duration period) {
    return compareRates(bucket.permits(), bucket.period(), permits, period) <= 0;
  }

  private static int compareRates(
      long permits, Duration period, long others, Duration otherPeriod) {
    return period.equals(otherPeriod)
        ? Long.compare(permits, others)
        : times(permits, otherPeriod).compareTo(times(others, period));
  }

  /** Whether a bucket allows at most {@code permits} within {@code time}. */
  private static boolean allowsAtMost(Duration time, Limit.TokenBucket bucket, long permits) {
    return times(bucket.permits(), time)
            .add(times(bucket.burst(), bucket.period()))
            .compareTo(times(permits, bucket.period()))
        <= 0;
  }

  private static BigInteger times(long permits, Duration period) {
    return BigInteger.valueOf(permits).multiply(BigInteger.valueOf(period.toMillis()));
  }
}
