package io.weir.redis;

import io.weir.Limit;
import java.math.BigInteger;
import java.time.Duration;

/**
 * The share of a limit of one of {@code n} nodes while they cannot call Redis: an nth.
 *
 * <p>It has two forms: the limit that is {@link #kept}, in which every permit costs n; and the
 * limit that callers see, {@link #asLimit}, in normal permits.
 */
final class NodeShare {
  /*
   * An nth of "10 per second" by 4 nodes is 2.5 per second. That is not a limit unless the period
   * is stretched. But a bucket of another period is another bucket, so each change of the number of
   * nodes would start with fresh ones. Instead a node keeps the whole limit, and charges n × c for
   * a request of cost c. That is exact for each algorithm and each n, and the buckets stay the same
   * when n changes:
   *
   *     window, log, epochs     n × c fits while no more than ⌊N / n⌋ are taken
   *     token and leaky bucket  in any T at most ⌊(capacity + r × T) / n⌋
   *
   * so all n nodes together stay within the limit. A limit that holds less than n cannot be
   * divided, so every node may give one permit: the kept limit holds n, at the same rate. (A bucket
   * that would take over 50 years to hold n gets n in 50 years.)
   */
  private static final long MAX_MILLIS = Limit.MAX_PERIOD.toMillis();

  private NodeShare() {}

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
   * The share of {@code limit} as a limit: an nth of the permits, rounded down, but at least one.
   * For a bucket, it is an nth of the rate: exact if there is such a limit, else rounded down, but
   * at least one in the longest period.
   */
  static Limit asLimit(Limit limit, int nodes) {
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
      long max = fillable.min(BigInteger.valueOf(Limit.MAX_PERMITS)).longValueExact();
      long micros = period.toMillis() * 1000;
      long min = permits > micros ? ceil(2, permits, micros) : 1;
      return Math.max(min, Math.min(wanted, max));
    }
  }
}
