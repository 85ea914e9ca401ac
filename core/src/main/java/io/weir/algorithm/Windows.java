package io.weir.algorithm;

import io.weir.Limit;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;

/** A timeline cut into windows, numbered from its start. */
abstract class Windows {
  /** The window in which {@code now} lies. */
  abstract long index(long now);

  /** The moment at which window {@code index} begins. */
  abstract long start(long index);

  /** At least as large as the number of any window. */
  abstract long largestIndex();

  static Windows of(Limit.Span span, ZoneId zone, Timeline timeline) {
    return span instanceof Limit.Length length
        ? new Even(length.period().toMillis(), timeline)
        : new OfCalendar((Limit.Calendar) span, zone, timeline);
  }

  /** Windows of one length, aligned to the epoch. */
  static final class Even extends Windows {
    private final long length;
    private final long phase;

    Even(long length, Timeline timeline) {
      this.length = length;
      this.phase = timeline.phase(length);
    }

    @Override
    long index(long now) {
      return (now + phase) / length;
    }

    @Override
    long start(long index) {
      return index * length - phase;
    }

    @Override
    long largestIndex() {
      return (Timeline.LENGTH + phase) / length + 2;
    }
  }

  /**
   * Windows as long as a zone's calendar makes them: a day may have 23 or 25 hours. Finding one
   * needs a calendar computation, so the last one found is cached.
   */
  static final class OfCalendar extends Windows {
    private final Limit.Calendar unit;
    private final ZoneId zone;
    private final Timeline timeline;
    private final long base;
    private volatile Window last;

    OfCalendar(Limit.Calendar unit, ZoneId zone, Timeline timeline) {
      this.unit = unit;
      this.zone = zone;
      this.timeline = timeline;
      this.base = number(timeline.earliestEpochMillis());
      this.last = new Window(0, 0, 0);
    }

    @Override
    long index(long now) {
      Window window = last;
      if (now < window.start || now >= window.end) {
        window = find(now);
        last = window;
      }
      return window.index;
    }

    private Window find(long now) {
      long index = number(timeline.epochMillis(now)) - base;
      // Where clocks are put back over midnight, the old date occurs twice; its window does not.
      while (start(index + 1) <= now && start(index) < start(index + 1)) {
        index++;
      }
      return new Window(index, start(index), start(index + 1));
    }

    @Override
    long start(long index) {
      LocalDate date =
          switch (unit) {
            case DAY -> LocalDate.ofEpochDay(base + index);
            case WEEK -> LocalDate.ofEpochDay((base + index) * 7 - 3);
            case MONTH -> LocalDate.EPOCH.plusMonths(base + index);
            case YEAR -> LocalDate.EPOCH.plusYears(base + index);
          };
      return moment(date.atStartOfDay(zone).toInstant());
    }

    /** The moment on the timeline; a start beyond its end is later than every moment. */
    private long moment(Instant start) {
      long millis;
      try {
        millis = timeline.clampedMillis(start.toEpochMilli());
      } catch (ArithmeticException beyondAllClocks) {
        millis = start.getEpochSecond() < 0 ? 1 : Timeline.LENGTH;
      }
      return millis == Timeline.LENGTH - 1 ? Timeline.LENGTH : millis;
    }

    @Override
    long largestIndex() {
      return Timeline.LENGTH / 86_400_000 + 3;
    }

    /** The window's number, counted from that of the epoch. */
    private long number(long epochMillis) {
      LocalDate date = LocalDate.ofInstant(Instant.ofEpochMilli(epochMillis), zone);
      return switch (unit) {
        case DAY -> date.toEpochDay();
        case WEEK ->
            // The epoch was a Thursday; the Monday before it is day -3.
            (date.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY)).toEpochDay() + 3) / 7;
        case MONTH -> ChronoUnit.MONTHS.between(LocalDate.EPOCH, date.withDayOfMonth(1));
        case YEAR -> ChronoUnit.YEARS.between(LocalDate.EPOCH, date.withDayOfYear(1));
      };
    }

    private record Window(long index, long start, long end) {}
  }
}
