package io.weir.rules.replay.count;

import io.weir.rules.replay.OutcomeSeries;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A time axis of spans, never more than {@link OutcomeSeries#MAX_SPANS}: when the range of times
 * grows, spans become longer.
 *
 * <p>Times may come in any order. A span's count is at its number modulo the size of a series, so
 * the range can grow at both ends without moves.
 */
public final class TimeSpans {
  /** Each is a multiple of the one before, so that spans can be merged. */
  private static final long[] MILLIS = {
    1,
    5,
    10,
    50,
    100,
    500,
    1000,
    5000,
    10_000,
    30_000,
    60_000,
    300_000,
    600_000,
    1_800_000,
    3_600_000,
    10_800_000,
    21_600_000,
    43_200_000,
    86_400_000
  };

  private final List<Series> all = new ArrayList<>();
  private int step;
  private long span = MILLIS[0];
  private long first = Long.MAX_VALUE;
  private long last = Long.MIN_VALUE;

  /** A row of counts along this axis. */
  final class Series {
    private long[] counts = new long[OutcomeSeries.MAX_SPANS];

    private Series() {}

    /** Counts in the span at a place from {@link #placeOf}. */
    void add(int place) {
      counts[place]++;
    }

    private void join(long factor) {
      long[] joined = new long[OutcomeSeries.MAX_SPANS];
      for (long number = first; number <= last; number++) {
        joined[place(Math.floorDiv(number, factor))] += counts[place(number)];
      }
      counts = joined;
    }

    List<Long> counts() {
      List<Long> list = new ArrayList<>();
      for (long number = first; number <= last; number++) {
        list.add(counts[place(number)]);
      }
      return list;
    }
  }

  Series series() {
    Series series = new Series();
    all.add(series);
    return series;
  }

  /** The place of a time in all series; valid until the next call. */
  int placeOf(long epochMillis) {
    long number = Math.floorDiv(epochMillis, span);
    while (number < first || number > last) {
      long newFirst = Math.min(first, number);
      long newLast = Math.max(last, number);
      if (newLast - newFirst < OutcomeSeries.MAX_SPANS) {
        first = newFirst;
        last = newLast;
      } else {
        coarsen();
        number = Math.floorDiv(epochMillis, span);
      }
    }
    return place(number);
  }

  private void coarsen() {
    long next = step + 1 < MILLIS.length ? MILLIS[step + 1] : 2 * span;
    long factor = next / span;
    all.forEach(series -> series.join(factor));
    step++;
    span = next;
    first = Math.floorDiv(first, factor);
    last = Math.floorDiv(last, factor);
  }

  private static int place(long number) {
    return Math.floorMod(number, OutcomeSeries.MAX_SPANS);
  }

  boolean isEmpty() {
    return first > last;
  }

  Instant start() {
    return isEmpty() ? Instant.EPOCH : Instant.ofEpochMilli(first * span);
  }

  Duration span() {
    return Duration.ofMillis(span);
  }

  /** A series of zeros, for an outcome that never occurred. */
  List<Long> zeros() {
    return isEmpty() ? List.of() : java.util.Collections.nCopies((int) (last - first + 1), 0L);
  }
}
