package io.weir.rules.http;

import io.weir.Limit;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.TemporalAdjusters;

/** The time in which a limit gives its whole quota: the {@code w} of a policy. */
final class PolicyWindow {
  /** For a limit with a quota that never comes back, or comes back within a second. */
  static final long NONE = 0;

  private PolicyWindow() {}

  /** Whole seconds, rounded up; {@link #NONE} below one second. */
  static long seconds(Limit limit, Instant now) {
    if (limit instanceof Limit.TokenBucket || limit instanceof Limit.LeakyBucket) {
      return toFill(limit.capacity(), limit.permits(), limit.period());
    }
    if (limit instanceof Limit.FixedWindow window) {
      return wholeSeconds(length(window, now));
    }
    return wholeSeconds(limit.period());
  }

  /** {@code size × period / permits}, in parts, because the product may not fit. */
  private static long toFill(long size, long permits, Duration period) {
    if (permits == 0) {
      return NONE;
    }
    long millis = period.toMillis();
    long rest = size * (millis % permits);
    long floor = size * (millis / permits) + rest / permits;
    return floor < 1000 ? NONE : ceiling(floor + (rest % permits == 0 ? 0 : 1), 1000);
  }

  private static long wholeSeconds(Duration window) {
    long millis = window.toMillis();
    return millis < 1000 ? NONE : ceiling(millis, 1000);
  }

  private static long ceiling(long dividend, long divisor) {
    return -Math.floorDiv(-dividend, divisor);
  }

  private static Duration length(Limit.FixedWindow window, Instant now) {
    if (window.span() instanceof Limit.Length length) {
      return length.period();
    }
    Limit.Calendar unit = (Limit.Calendar) window.span();
    LocalDate first = first(unit, LocalDate.ofInstant(now, window.zone()));
    LocalDate next = next(unit, first);
    // If clocks are put back over midnight, the old date occurs twice, but its window does not.
    while (!start(next, window.zone()).isAfter(now)) {
      first = next;
      next = next(unit, first);
    }
    return Duration.between(start(first, window.zone()), start(next, window.zone()));
  }

  private static Instant start(LocalDate date, ZoneId zone) {
    return date.atStartOfDay(zone).toInstant();
  }

  private static LocalDate first(Limit.Calendar unit, LocalDate date) {
    return switch (unit) {
      case DAY -> date;
      case WEEK -> date.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
      case MONTH -> date.withDayOfMonth(1);
      case YEAR -> date.withDayOfYear(1);
    };
  }

  private static LocalDate next(Limit.Calendar unit, LocalDate first) {
    return switch (unit) {
      case DAY -> first.plusDays(1);
      case WEEK -> first.plusWeeks(1);
      case MONTH -> first.plusMonths(1);
      case YEAR -> first.plusYears(1);
    };
  }
}
