package io.weir.tck;

import io.weir.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/**
 * Different limits that share their buckets, as before and after a change of rules, or on the nodes
 * of a rolling deploy. They cover every algorithm, with another rate, another size or both, by
 * small and large ratios.
 *
 * @param name what differs
 * @param limits two or more, all of one algorithm and period
 */
public record MixedLimits(String name, List<Limit> limits) {
  private static final Duration PERIOD = Duration.ofSeconds(12);

  /** Large and small, for ratios of 1.5, 4 and 100; and three at once. */
  private static final List<List<Long>> SIZES =
      List.of(List.of(12L, 8L), List.of(40L, 10L), List.of(200L, 2L), List.of(10L, 40L, 15L));

  /** All combinations. */
  public static List<MixedLimits> all() {
    List<MixedLimits> all = new ArrayList<>();
    for (List<Long> sizes : SIZES) {
      all.addAll(ofSizes(sizes));
    }
    // One counts in microseconds, the other in milliseconds.
    all.add(
        new MixedLimits(
            "token-bucket, ticks",
            List.of(
                Limit.tokenBucket(5000).perSecond().burst(4),
                Limit.tokenBucket(7).perSecond().burst(5))));
    all.add(
        new MixedLimits(
            "leaky-bucket, ticks",
            List.of(
                Limit.leakyBucket(7).perSecond().queue(4),
                Limit.leakyBucket(3000).perSecond().queue(3))));
    return all;
  }

  /** The basic case of each algorithm: 40 in 12 s and 10. */
  public static List<MixedLimits> fortyAndTen() {
    return ofSizes(List.of(40L, 10L));
  }

  private static List<MixedLimits> ofSizes(List<Long> sizes) {
    List<MixedLimits> all = new ArrayList<>();
    long some = sizes.get(0);
    long largest = sizes.stream().mapToLong(n -> n).max().orElseThrow();
    long last = sizes.get(sizes.size() - 1);
    add(all, "token-bucket, rate", sizes, n -> Limit.tokenBucket(n).per(PERIOD).burst(some));
    add(all, "token-bucket, burst", sizes, n -> Limit.tokenBucket(some).per(PERIOD).burst(n));
    add(all, "token-bucket, both", sizes, n -> Limit.tokenBucket(n).per(PERIOD));
    add(
        all,
        "token-bucket, crosswise",
        sizes,
        n -> Limit.tokenBucket(n).per(PERIOD).burst(largest + last - Math.min(n, largest)));
    add(all, "leaky-bucket, rate", sizes, n -> Limit.leakyBucket(n).per(PERIOD).queue(some - 1));
    add(all, "leaky-bucket, queue", sizes, n -> Limit.leakyBucket(some).per(PERIOD).queue(n - 1));
    add(all, "leaky-bucket, both", sizes, n -> Limit.leakyBucket(n).per(PERIOD).queue(n - 1));
    add(all, "fixed-window", sizes, n -> Limit.fixedWindow(n).per(PERIOD));
    add(all, "fixed-window, calendar", sizes, n -> Limit.fixedWindow(n).per(Limit.Calendar.DAY));
    add(all, "sliding-window", sizes, n -> Limit.slidingWindow(n).per(PERIOD));
    add(all, "sliding-epochs", sizes, n -> epochs(n));
    add(all, "sliding-epochs, all rejected", sizes, n -> epochs(n).countingRejected());
    add(
        all,
        "sliding-epochs, some rejected",
        sizes,
        n -> n == last ? epochs(n).countingRejected() : epochs(n));
    add(
        all,
        "sliding-epochs, most rejected",
        sizes,
        n -> n == last ? epochs(n) : epochs(n).countingRejected());
    add(all, "sliding-log", sizes, n -> log(n));
    add(all, "sliding-log, all rejected", sizes, n -> log(n).countingRejected());
    add(
        all,
        "sliding-log, some rejected",
        sizes,
        n -> n == last ? log(n).countingRejected() : log(n));
    add(
        all,
        "sliding-log, most rejected",
        sizes,
        n -> n == last ? log(n) : log(n).countingRejected());
    return all;
  }

  private static Limit.SlidingEpochs epochs(long permits) {
    return Limit.slidingEpochs(permits).per(PERIOD).epochs(4);
  }

  private static Limit.SlidingLog log(long permits) {
    return Limit.slidingLog(permits).per(PERIOD);
  }

  private static void add(
      List<MixedLimits> all, String name, List<Long> sizes, LongFunction<Limit> limit) {
    List<Limit> limits = sizes.stream().map(size -> limit.apply(size)).toList();
    all.add(new MixedLimits(name + " " + sizes, limits));
  }

  /** The period of the limits: a day for calendar windows. */
  public Duration period() {
    return limits.get(0) instanceof Limit.FixedWindow window
            && window.span() instanceof Limit.Calendar
        ? Duration.ofDays(1)
        : InputGenerator.periodOf(limits.get(0));
  }

  /** The most that all of them together may grant: the largest rate with the largest size. */
  public Limit largest() {
    long permits = limits.stream().mapToLong(Limit::permits).max().orElseThrow();
    long capacity = limits.stream().mapToLong(Limit::capacity).max().orElseThrow();
    Limit first = limits.get(0);
    if (first instanceof Limit.TokenBucket bucket) {
      return Limit.tokenBucket(permits).per(bucket.period()).burst(capacity);
    } else if (first instanceof Limit.LeakyBucket bucket) {
      return Limit.leakyBucket(permits).per(bucket.period()).queue(capacity - 1);
    } else if (first instanceof Limit.FixedWindow) {
      return Limit.fixedWindow(permits).per(period()); // calendar days as well, which are in UTC
    }
    return limits.stream().filter(limit -> limit.permits() == permits).findFirst().orElseThrow();
  }

  /**
   * Verifies that no interval of {@code grants}, in order of time, has more than {@link #largest}
   * may grant. A refund is a grant of negative permits, never of a queue. For a queue, requests
   * must not leave faster than the fastest limit allows.
   */
  public void verify(List<AlgorithmBounds.Grant> grants) {
    if (largest() instanceof Limit.LeakyBucket bucket) {
      AlgorithmBounds.verifySpacing(bucket, grants);
    } else {
      AlgorithmBounds.verify(largest(), grants);
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
