package io.weir.tck;

import io.weir.Limit;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Draws random limits, costs and times, with a preference for edge cases. */
public final class InputGenerator {
  private static final long YEAR_MILLIS = 31_557_600_000L;
  private static final long[] AWKWARD_PERMITS = {
    1, 2, 3, 7, 37, 101, 1009, 65_537, 999_983, 1_000_003, 2_147_483_647L, 1L << 31
  };
  private static final long[] AWKWARD_MILLIS = {
    1, 2, 3, 7, 60, 999, 1000, 1001, 60_000, 3_600_000, 86_400_000, YEAR_MILLIS, 49 * YEAR_MILLIS
  };
  private static final List<ZoneId> ZONES =
      List.of(
          ZoneId.of("UTC"),
          ZoneId.of("Europe/Paris"),
          ZoneId.of("America/New_York"),
          ZoneId.of("America/Havana"), // clocks change at midnight
          ZoneId.of("America/St_Johns"), // at a minute past it, until 2011
          ZoneId.of("Australia/Lord_Howe"), // by half an hour
          ZoneId.of("Asia/Kathmandu"), // 5:45 ahead
          ZoneId.of("Pacific/Apia")); // has no 30 December 2011

  private final SplittableRandom random;

  /** Produces the same draws for the same seed. */
  public InputGenerator(long seed) {
    random = new SplittableRandom(seed);
  }

  /** From {@code low} to {@code high}, both included. */
  public long between(long low, long high) {
    return high == Long.MAX_VALUE
        ? random.nextLong(low - 1, high) + 1
        : random.nextLong(low, high + 1);
  }

  /** True once in {@code chances}. */
  public boolean oneIn(int chances) {
    return random.nextInt(chances) == 0;
  }

  /** A random element of {@code choices}. */
  public <T> T of(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  private long of(long[] choices) {
    return choices[random.nextInt(choices.length)];
  }

  /** One limit, or up to three that apply together. */
  public List<Limit> limits() {
    if (!oneIn(3)) {
      return List.of(limit());
    }
    List<Limit> limits = new ArrayList<>();
    long size = between(2, 3);
    while (limits.size() < size) {
      Limit limit = limits.isEmpty() ? limit() : oneIn(2) ? limit() : like(limits.get(0));
      if (limits.stream().noneMatch(limit::sharesBucketsWith)) {
        limits.add(limit);
      }
    }
    return limits;
  }

  /** Any valid limit. */
  Limit limit() {
    while (true) {
      try {
        long permits = oneIn(30) ? 0 : oneIn(2) ? between(1, 20) : of(AWKWARD_PERMITS);
        long millis = oneIn(2) ? between(1, 10_000) : of(AWKWARD_MILLIS);
        return limit(permits, Duration.ofMillis(millis));
      } catch (IllegalArgumentException outOfRange) {
        // Not every combination is valid; draws again.
      }
    }
  }

  /** Another limit of about the same size, so that the two interact. */
  private Limit like(Limit limit) {
    Duration period = periodOf(limit);
    while (true) {
      try {
        long permits = Math.max(1, limit.permits() * between(1, 4) / 2);
        long times = between(1, 4);
        return limit(permits * times, period.multipliedBy(times));
      } catch (IllegalArgumentException outOfRange) {
        return limit();
      }
    }
  }

  /** Limits to replace {@code limits}: some with other numbers, some unrelated. */
  public List<Limit> instead(List<Limit> limits) {
    List<Limit> changed = new ArrayList<>();
    for (Limit limit : limits) {
      Limit other = oneIn(6) ? limit() : resized(limit);
      if (changed.stream().noneMatch(other::sharesBucketsWith)) {
        changed.add(other);
      }
    }
    return changed;
  }

  private Limit resized(Limit limit) {
    while (true) {
      try {
        long permits = oneIn(2) ? between(1, 20) : Math.max(1, limit.permits() * between(1, 6) / 3);
        long size = between(1, oneIn(2) ? 20 : 2 * permits);
        if (limit instanceof Limit.TokenBucket bucket) {
          return new Limit.TokenBucket(permits, bucket.period(), size);
        } else if (limit instanceof Limit.LeakyBucket bucket) {
          return new Limit.LeakyBucket(permits, bucket.period(), size - 1);
        } else if (limit instanceof Limit.FixedWindow window) {
          return new Limit.FixedWindow(permits, window.span(), window.zone());
        } else if (limit instanceof Limit.SlidingWindow window) {
          return new Limit.SlidingWindow(permits, window.period());
        } else if (limit instanceof Limit.SlidingEpochs epochs) {
          return new Limit.SlidingEpochs(permits, epochs.period(), epochs.epochs(), oneIn(2));
        } else if (limit instanceof Limit.SlidingLog log) {
          return new Limit.SlidingLog(Math.min(permits, 1_000_003), log.period(), oneIn(2));
        }
      } catch (IllegalArgumentException outOfRange) {
        // Not every combination is valid; draws again.
      }
    }
  }

  private Limit limit(long permits, Duration period) {
    return switch (random.nextInt(10)) {
      case 0, 1 -> tokenBucket(permits, period);
      case 2 ->
          Limit.leakyBucket(permits).per(period).queue(between(0, oneIn(2) ? 5 : 2 * permits));
      case 3 -> Limit.fixedWindow(permits).per(period);
      case 4 -> calendar(permits);
      case 5 -> Limit.slidingWindow(permits).per(period);
      case 6 -> epochs(permits, period);
      case 7 -> epochs(permits, period).countingRejected();
      case 8 -> log(permits, period);
      default -> log(permits, period).countingRejected();
    };
  }

  private Limit tokenBucket(long permits, Duration period) {
    if (permits == 0 || oneIn(3)) {
      return Limit.tokenBucket(permits).per(period);
    }
    if (oneIn(4)) {
      return Limit.tokenBucket(between(1, 20) * 1000).perSecond().burst(between(1, 50));
    }
    return Limit.tokenBucket(permits)
        .per(period)
        .burst(oneIn(2) ? between(1, 20) : between(1, 2 * permits));
  }

  private Limit calendar(long permits) {
    return Limit.fixedWindow(permits).per(of(List.of(Limit.Calendar.values()))).zone(of(ZONES));
  }

  private Limit.SlidingEpochs epochs(long permits, Duration period) {
    long millis = period.toMillis();
    List<Integer> divisors = new ArrayList<>();
    for (int n = 1; n <= 60; n++) {
      if (millis % n == 0) {
        divisors.add(n);
      }
    }
    return Limit.slidingEpochs(permits).per(period).epochs(of(divisors));
  }

  /** A log keeps an entry for each permit, so a million is enough. */
  private static Limit.SlidingLog log(long permits, Duration period) {
    return Limit.slidingLog(Math.min(permits, 1_000_003)).per(period);
  }

  /** The period of a limit; a month for a calendar window. */
  static Duration periodOf(Limit limit) {
    return limit instanceof Limit.FixedWindow window && window.span() instanceof Limit.Calendar
        ? Duration.ofDays(30)
        : limit.period();
  }

  /** A plausible cost of a request for one of {@code limits}. */
  public long cost(List<Limit> limits) {
    long capacity = limits.stream().mapToLong(Limit::capacity).min().orElseThrow();
    return switch (random.nextInt(12)) {
      case 0 -> 0;
      case 1 -> capacity;
      case 2 -> between(0, capacity);
      case 3 -> oneIn(3) ? capacity + 1 : 1;
      case 4 -> oneIn(5) ? Long.MAX_VALUE : 1;
      case 5, 6 -> Math.max(1, capacity / between(2, 5));
      default -> 1;
    };
  }

  /** A length of time on the scale of {@code limit}, in nanoseconds; often zero. */
  public long stepNanos(Limit limit) {
    long period = periodOf(limit).toNanos();
    long interval = Math.max(1, period / Math.max(1, limit.permits()));
    return switch (random.nextInt(8)) {
      case 0, 1, 2 -> 0;
      case 3 -> between(0, 2 * interval);
      case 4 -> interval;
      case 5 -> between(0, period);
      case 6 -> between(0, Math.min(period, 3_000_000));
      default -> oneIn(20) ? period + between(0, period) : between(0, period / 4);
    };
  }

  /** A start for the caller's milliseconds, from which a test moves on by up to 60 years. */
  long originMillis(Harness harness) {
    return harness.can(Harness.Ability.ANY_ORIGIN)
        ? originMillis()
        : Math.floorDiv(originOfThisCentury(), 1_000_000);
  }

  private long originMillis() {
    return switch (random.nextInt(8)) {
      case 0 -> Long.MIN_VALUE;
      case 1 -> -1;
      case 2 -> 0;
      case 3 -> Long.MAX_VALUE - 80 * YEAR_MILLIS;
      case 4 -> between(Long.MIN_VALUE, Long.MAX_VALUE - 80 * YEAR_MILLIS);
      case 5 -> between(-50 * YEAR_MILLIS, 50 * YEAR_MILLIS);
      default -> 1_790_000_000_000L;
    };
  }

  /** A start for a clock's nanoseconds, from which a test moves on by up to 60 years. */
  long originNanos(Harness harness) {
    return harness.can(Harness.Ability.ANY_ORIGIN) ? originNanos() : originOfThisCentury();
  }

  private long originNanos() {
    long eightyYears = 80 * YEAR_MILLIS * 1_000_000;
    return switch (random.nextInt(6)) {
      case 0 -> Long.MIN_VALUE;
      case 1 -> -1;
      case 2 -> 0;
      case 3 -> Long.MAX_VALUE - eightyYears;
      case 4 -> between(Long.MIN_VALUE, Long.MAX_VALUE - eightyYears);
      default -> 1_790_000_000_123_456_789L;
    };
  }

  /** From 2021 to 2040, in nanoseconds: later than the longest period after the epoch. */
  private long originOfThisCentury() {
    long year = YEAR_MILLIS * 1_000_000;
    return switch (random.nextInt(4)) {
      case 0 -> Harness.MIDNIGHT;
      case 1 -> Harness.MIDNIGHT - 1;
      case 2 -> between(51 * year, 70 * year);
      default -> 1_790_000_000_123_456_789L;
    };
  }
}
