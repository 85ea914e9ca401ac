package io.weir.insight.series;

import java.util.List;

/**
 * Counts over a range of time.
 *
 * @param end where the last slot ends, in seconds since the epoch; it may be in the future
 */
public record Chart(SeriesRange seriesRange, long end, List<ChartSeries> lines) {
  /** Where the first slot begins, in seconds since the epoch. */
  public long start() {
    return end - (long) seriesRange.slots() * seriesRange.step();
  }
}
