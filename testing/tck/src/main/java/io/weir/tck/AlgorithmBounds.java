package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;

/** The most that each algorithm grants in an interval, as published. */
public final class AlgorithmBounds {
  /** Intervals of more grants consist of shorter ones, for which the bound is tighter. */
  private static final int MAX_GRANTS = 500;

  private AlgorithmBounds() {}

  /**
   * A grant.
   *
   * @param nanos when, since the epoch
   * @param permits how many
   * @param leavesAt when they may be used
   */
  public record Grant(long nanos, long permits, long leavesAt) {}

  /** Verifies every interval that begins and ends with one of {@code grants}, in order of time. */
  public static void verify(Limit limit, List<Grant> grants) {
    for (int first = 0; first < grants.size(); first++) {
      int end = Math.min(grants.size(), first + MAX_GRANTS);
      verifyFrom(limit, grants.subList(first, end));
    }
  }

  private static void verifyFrom(Limit limit, List<Grant> grants) {
    long start = grants.get(0).nanos();
    long permits = 0;
    for (Grant last : grants) {
      permits += last.permits();
      long length = last.nanos() - start;
      assertThat(BigInteger.valueOf(permits))
          .as("%s in %s up to %d ns", limit, Duration.ofNanos(length), last.nanos())
          .isLessThanOrEqualTo(bound(limit, start, last.nanos()));
    }
  }

  /** Verifies that delayed requests leave {@code period / permits} apart, to within a tick. */
  public static void verifySpacing(Limit.LeakyBucket limit, List<Grant> grants) {
    for (int i = 1; i < grants.size(); i++) {
      Grant before = grants.get(i - 1);
      long apart = grants.get(i).leavesAt() - before.leavesAt() + limit.tick().toNanos();
      assertThat(product(apart, limit.permits()))
          .as("%s: %s apart", limit, Duration.ofNanos(apart))
          .isGreaterThan(product(before.permits(), limit.period().toNanos()));
    }
  }

  /** The most permits that {@code limit} may grant from {@code start} to {@code end}. */
  private static BigInteger bound(Limit limit, long start, long end) {
    long length = end - start;
    long capacity = limit.capacity();
    if (limit instanceof Limit.TokenBucket bucket) {
      return flow(capacity, bucket.permits(), bucket.period(), length, limit.tick());
    } else if (limit instanceof Limit.LeakyBucket bucket) {
      return flow(capacity, bucket.permits(), bucket.period(), length, limit.tick());
    } else if (limit instanceof Limit.SlidingLog log) {
      return multiple(capacity, 1 + length / log.period().toNanos());
    } else if (limit instanceof Limit.SlidingWindow window) {
      long period = window.period().toNanos();
      if (length >= period) {
        return multiple(capacity, 2 * (1 + length / period));
      }
      long elapsed = Math.floorMod(Math.floorDiv(end, 1_000_000L) * 1_000_000L, period);
      BigInteger more =
          product(elapsed, capacity)
              .add(BigInteger.valueOf(period - 1))
              .divide(BigInteger.valueOf(period));
      return BigInteger.valueOf(capacity).add(more);
    } else if (limit instanceof Limit.SlidingEpochs epochs) {
      long period = epochs.period().toNanos();
      boolean withinAllButOne = length < period - period / epochs.epochs();
      return withinAllButOne
          ? BigInteger.valueOf(capacity)
          : multiple(capacity, 2 * (1 + length / period));
    } else if (limit instanceof Limit.FixedWindow window
        && window.span() instanceof Limit.Length span) {
      long period = span.period().toNanos();
      long windows = Math.floorDiv(end, period) - Math.floorDiv(start, period) + 1;
      return multiple(capacity, windows);
    }
    // The shortest calendar day is still longer than 12 hours.
    return multiple(capacity, 2 + length / Duration.ofHours(12).toNanos());
  }

  private static BigInteger flow(
      long capacity, long permits, Duration period, long length, Duration tick) {
    long ticks = (length + tick.toNanos() - 1) / tick.toNanos();
    return product(ticks * tick.toNanos(), permits)
        .divide(BigInteger.valueOf(period.toNanos()))
        .add(BigInteger.valueOf(capacity));
  }

  private static BigInteger multiple(long capacity, long times) {
    return product(capacity, times);
  }

  private static BigInteger product(long a, long b) {
    return BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
  }
}
