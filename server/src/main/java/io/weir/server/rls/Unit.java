package io.weir.server.rls;

import io.weir.Limit;
import java.time.Duration;

/** The times that Envoy has names for; the order is that of its numbers. */
enum Unit {
  UNKNOWN,
  SECOND,
  MINUTE,
  HOUR,
  DAY,
  MONTH,
  YEAR,
  WEEK;

  private static final Unit[] BY_NUMBER = values();

  /** The unit of a number that a caller sent. */
  static Unit numbered(long number) {
    return number < 0 || number >= BY_NUMBER.length ? UNKNOWN : BY_NUMBER[(int) number];
  }

  /** The time that a limit's permits are for. */
  static Unit of(Limit limit) {
    if (limit instanceof Limit.FixedWindow window) {
      return window.span() instanceof Limit.Length length
          ? lasting(length.period())
          : calendar((Limit.Calendar) window.span());
    }
    if (limit instanceof Limit.TokenBucket bucket) {
      return lasting(bucket.period());
    }
    if (limit instanceof Limit.LeakyBucket bucket) {
      return lasting(bucket.period());
    }
    if (limit instanceof Limit.SlidingLog log) {
      return lasting(log.period());
    }
    if (limit instanceof Limit.SlidingWindow window) {
      return lasting(window.period());
    }
    return lasting(((Limit.SlidingEpochs) limit).period());
  }

  private static Unit lasting(Duration period) {
    if (period.getNano() != 0 || period.getSeconds() > Integer.MAX_VALUE) {
      return UNKNOWN;
    }
    return switch ((int) period.getSeconds()) {
      case 1 -> SECOND;
      case 60 -> MINUTE;
      case 60 * 60 -> HOUR;
      case 24 * 60 * 60 -> DAY;
      case 7 * 24 * 60 * 60 -> WEEK;
      case 30 * 24 * 60 * 60 -> MONTH;
      case 365 * 24 * 60 * 60 -> YEAR;
      default -> UNKNOWN;
    };
  }

  private static Unit calendar(Limit.Calendar span) {
    return switch (span) {
      case DAY -> DAY;
      case WEEK -> WEEK;
      case MONTH -> MONTH;
      case YEAR -> YEAR;
    };
  }
}
