package io.weir.cli.simulate;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Round positions along an axis. */
final class Ticks {
  private static final long SECOND = 1000;
  private static final long MINUTE = 60 * SECOND;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;

  private static final long[] STEPS = {
    1,
    2,
    5,
    10,
    20,
    50,
    100,
    200,
    500,
    SECOND,
    2 * SECOND,
    5 * SECOND,
    10 * SECOND,
    15 * SECOND,
    30 * SECOND,
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    7 * DAY,
    14 * DAY,
    28 * DAY,
    91 * DAY,
    182 * DAY,
    364 * DAY
  };

  private static final DateTimeFormatter MILLIS = form("ss.SSS");
  private static final DateTimeFormatter SECONDS = form("HH:mm:ss");
  private static final DateTimeFormatter MINUTES = form("HH:mm");
  private static final DateTimeFormatter DATE = form("d MMM");
  private static final DateTimeFormatter YEAR = form("MMM yyyy");

  private Ticks() {}

  /**
   * A moment on an axis.
   *
   * @param isMajor whether it is kept when space is short
   */
  record Moment(long epochMillis, String label, boolean isMajor) {}

  private static DateTimeFormatter form(String pattern) {
    return DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH).withZone(ZoneOffset.UTC);
  }

  /** At most {@code max} moments from {@code from} to {@code to}, on round times in UTC. */
  static List<Moment> moments(long from, long to, int max) {
    long step = step(to - from, max);
    List<Moment> moments = new ArrayList<>();
    long at = -Math.floorDiv(-from, step) * step;
    for (; at <= to && moments.size() <= max; at += step) {
      moments.add(new Moment(at, label(at, step), Math.floorDiv(at, step) % 2 == 0));
    }
    return moments;
  }

  private static long step(long length, int max) {
    for (long step : STEPS) {
      if (length / step < max) {
        return step;
      }
    }
    long longestStep = STEPS[STEPS.length - 1];
    return longestStep * (length / longestStep / max + 1);
  }

  private static String label(long at, long step) {
    Instant instant = Instant.ofEpochMilli(at);
    if (step >= 28 * DAY) {
      return YEAR.format(instant);
    }
    if (step >= DAY || (step >= MINUTE && Math.floorMod(at, DAY) == 0)) {
      return DATE.format(instant);
    }
    return (step >= MINUTE ? MINUTES : step >= SECOND ? SECONDS : MILLIS).format(instant);
  }

  /** A round distance between numbers, of which about {@code many} fit below {@code max}. */
  static long step(long max, long many) {
    long minimum = Math.max(1, -Math.floorDiv(-max, many));
    long power = 1;
    while (true) {
      for (long digit : new long[] {1, 2, 5}) {
        if (digit * power >= minimum) {
          return digit * power;
        }
      }
      power *= 10;
    }
  }

  /** Joins the spans of a timeline so that there are at most {@code max}; a round length. */
  static Duration joined(Duration span, int spans, int max) {
    long millis = span.toMillis();
    for (long step : STEPS) {
      if (step >= millis && step % millis == 0 && -Math.floorDiv(-spans * millis, step) < max) {
        return Duration.ofMillis(step);
      }
    }
    return span.multipliedBy(spans / max + 1);
  }
}
