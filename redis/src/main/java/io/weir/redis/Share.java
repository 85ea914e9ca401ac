package io.weir.redis;

import io.weir.Limit;
import java.math.BigInteger;
import java.time.Duration;

/**
 * What one of {@code n} nodes may give of a limit while they cannot ask Redis: an nth.
 *
 * <p>Two forms of it: the limit that is {@link #kept}, on which every permit costs n; and the limit
 * that callers are {@link #told}, in permits as they know them.
 */
final class Share {
  /*
   * An nth of "10 per second" by 4 nodes is 2.5 per second: not a limit, unless the period is
   * stretched, and a bucket of another period is another bucket, so that each change of the number
   * of nodes would begin with fresh ones. Instead a node keeps the whole limit, and a request of
   * cost c is charged n × c there. That is exact for each algorithm and each n, and when n changes
   * the buckets stay as they are:
   *
   *     window, log, epochs     n × c fits while no more than ⌊N / n⌋ are taken
   *     token and leaky bucket  in any T at most ⌊(capacity + r × T) / n⌋
   *
   * so all n nodes together stay within the limit. Where a limit holds less than n there is nothing
   * to divide; every node may give one then: the limit that is kept holds n, at the same rate. (A
   * bucket that would take over 50 years to hold n gets n in 50 years.)
   */
  private static final long MAX_MILLIS = Limit.MAX_PERIOD.toMillis();

  private Share() {}

  /** {@code limit}, with room for one permit that costs {@code nodes}. */
  static Limit kept(Limit limit, int nodes) {
    if (limit.capacity() == 0 || limit.capacity() >= nodes) {
      return limit;
    }
    if (limit instanceof Limit.TokenBucket that) {
      long permits = Math.max(that.permits(), slowest(nodes, that.period()));
      return new Limit.TokenBucket(permits, that.period(), nodes);
    }
    if (limit instanceof Limit.LeakyBucket that) {
      long permits = Math.max(that.permits(), slowest(nodes, that.period()));
      return new Limit.LeakyBucket(permits, that.period(), nodes - 1L);
    }
    return withPermits(limit, nodes);
  }

  /** The fewest permits per period that fill a bucket of {@code capacity} in the longest period. */
  private static long slowest(long capacity, Duration period) {
    return ceil(capacity, period.toMillis(), MAX_MILLIS);
  }

  /**
   * The share of {@code limit} as a limit: an nth of the permits, rounded down, but at least one;
   * an nth of a bucket's rate, exactly where such a limit can be, else rounded down, but at least
   * one in the longest period.
   */
  static Limit told(Limit limit, int nodes) {
    if (limit.capacity() == 0 || nodes == 1) {
      return limit;
    }
    if (limit instanceof Limit.TokenBucket that) {
      Rate rate = Rate.of(that.permits(), that.period(), nodes);
      return new Limit.TokenBucket(rate.permits, rate.period, rate.capacity(that.burst() / nodes));
    }
    if (limit instanceof Limit.LeakyBucket that) {
      Rate rate = Rate.of(that.permits(), that.period(), nodes);
      return new Limit.LeakyBucket(
          rate.permits, rate.period, rate.capacity((that.queue() + 1) / nodes) - 1);
    }
    return withPermits(limit, Math.max(1, limit.permits() / nodes));
  }

  private static Limit withPermits(Limit limit, long permits) {
    if (limit instanceof Limit.FixedWindow that) {
      return new Limit.FixedWindow(permits, that.span(), that.zone());
    }
    if (limit instanceof Limit.SlidingWindow that) {
      return new Limit.SlidingWindow(permits, that.period());
    }
    if (limit instanceof Limit.SlidingEpochs that) {
      return new Limit.SlidingEpochs(permits, that.period(), that.epochs(), that.countRejected());
    }
    Limit.SlidingLog that = (Limit.SlidingLog) limit;
    return new Limit.SlidingLog(permits, that.period(), that.countRejected());
  }

  /** ⌈a × b / c⌉. */
  private static long ceil(long a, long b, long c) {
    BigInteger divisor = BigInteger.valueOf(c);
    return BigInteger.valueOf(a)
        .multiply(BigInteger.valueOf(b))
        .add(divisor.subtract(BigInteger.ONE))
        .divide(divisor)
        .longValueExact();
  }

  private record Rate(long permits, Duration period) {
    static Rate of(long permits, Duration period, int nodes) {
      long shared = BigInteger.valueOf(permits).gcd(BigInteger.valueOf(nodes)).longValueExact();
      long stretch = nodes / shared;
      long millis = period.toMillis();
      if (millis <= MAX_MILLIS / stretch) {
        return new Rate(permits / shared, Duration.ofMillis(millis * stretch));
      }
      if (permits >= nodes) {
        return new Rate(permits / nodes, period);
      }
      return new Rate(1, Duration.ofMillis(Math.min(MAX_MILLIS, ceil(millis, nodes, permits))));
    }

    /** The capacity nearest to {@code wanted} that a bucket of this rate can have. */
    long capacity(long wanted) {
      BigInteger fillable =
          BigInteger.valueOf(permits)
              .multiply(BigInteger.valueOf(MAX_MILLIS))
              .divide(BigInteger.valueOf(period.toMillis()));
      long most = fillable.min(BigInteger.valueOf(Limit.MAX_PERMITS)).longValueExact();
      long micros = period.toMillis() * 1000;
      long least = permits > micros ? ceil(2, permits, micros) : 1;
      return Math.max(least, Math.min(wanted, most));
    }
  }
}
