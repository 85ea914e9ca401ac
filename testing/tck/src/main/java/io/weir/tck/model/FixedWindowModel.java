package io.weir.tck.model;

import io.weir.Limit;
import java.math.BigInteger;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.TemporalAdjusters;

/** A counter for each window of the clock or the calendar. */
final class FixedWindowModel extends Model {
  private final Limit.Span span;
  private final ZoneId zone;
  private WindowCounts windowCounts = new WindowCounts();

  FixedWindowModel(Limit.FixedWindow limit) {
    super(limit);
    span = limit.span();
    zone = limit.zone();
  }

  @Override
  boolean fits(long cost, Fraction now) {
    Fraction window = start(now);
    return !windowCounts.isClosed(window) && windowCounts.at(window) + cost <= limit.permits();
  }

  @Override
  Fraction take(long cost, Fraction time) {
    Fraction window = start(now(time));
    windowCounts.add(window, cost);
    return window;
  }

  @Override
  void giveBack(Fraction mark, long cost, long permits, Fraction now) {
    windowCounts.takeOff(mark, permits);
  }

  /** Counts in the current window, which a reservation may have opened. */
  @Override
  void force(long cost, Fraction time) {
    Fraction now = start(now(time));
    Fraction window = windowCounts.newest().map(now::max).orElse(now);
    windowCounts.add(window, cost, limit.permits());
  }

  @Override
  void refund(long permits, Fraction now) {
    windowCounts.newest().ifPresent(window -> windowCounts.takeOff(window, permits));
  }

  @Override
  Fraction reset(Fraction now) {
    return end(now).minus(now);
  }

  private Fraction start(Fraction now) {
    if (span instanceof Limit.Length length) {
      return now.roundedDownTo(millis(length.period()));
    }
    LocalDate first = firstDay(dateAt(now));
    // Where clocks go back over midnight the date occurs twice; its window began the first time.
    while (!midnight(next(first)).isAbove(now)) {
      first = next(first);
    }
    return midnight(first);
  }

  private Fraction end(Fraction now) {
    if (span instanceof Limit.Length length) {
      return start(now).plus(millis(length.period()));
    }
    LocalDate day = firstDay(dateAt(now));
    while (!midnight(day).isAbove(now)) {
      day = next(day);
    }
    return midnight(day);
  }

  private LocalDate dateAt(Fraction now) {
    return Instant.ofEpochMilli(now.floor().longValueExact()).atZone(zone).toLocalDate();
  }

  /** The first day of the window that {@code day} belongs to. */
  private LocalDate firstDay(LocalDate day) {
    return switch ((Limit.Calendar) span) {
      case DAY -> day;
      case WEEK -> day.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
      case MONTH -> day.withDayOfMonth(1);
      case YEAR -> day.withDayOfYear(1);
    };
  }

  private LocalDate next(LocalDate firstDay) {
    return switch ((Limit.Calendar) span) {
      case DAY -> firstDay.plusDays(1);
      case WEEK -> firstDay.plusWeeks(1);
      case MONTH -> firstDay.plusMonths(1);
      case YEAR -> firstDay.plusYears(1);
    };
  }

  private Fraction midnight(LocalDate day) {
    Instant instant = day.atStartOfDay(zone).toInstant();
    BigInteger seconds = BigInteger.valueOf(instant.getEpochSecond());
    return new Fraction(seconds.multiply(BigInteger.valueOf(1000)), BigInteger.ONE)
        .plus(Fraction.of(instant.getNano(), 1_000_000));
  }

  @Override
  Fraction reach(Fraction now) {
    return end(end(now)).minus(now).minus(tick);
  }

  @Override
  boolean goOnFrom(Model found, Fraction time) {
    windowCounts = ((FixedWindowModel) found).windowCounts.copy();
    Fraction now = now(time);
    boolean isRelic = windowCounts.isClosed(end(now));
    if (isRelic) {
      long largest = windowCounts.newest().map(windowCounts::at).orElse(0L);
      windowCounts.clear();
      windowCounts.add(start(now), Math.max(limit.permits(), largest));
    }
    return isRelic;
  }
}
