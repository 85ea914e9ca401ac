package io.weir.cli.simulate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts over time, several beside each other.
 *
 * @param start the beginning of the first span
 * @param span the length of each span
 * @param bands the counted things, from the axis outwards
 */
record TimeSeries(Instant start, Duration span, List<Band> bands) {
  /** The most spans at which a bar is wide enough for a screen. */
  static final int MAX_SPANS = 150;

  /** Copies the list. */
  TimeSeries {
    bands = List.copyOf(bands);
  }

  /**
   * One counted thing.
   *
   * @param style its class in the style sheet
   * @param isBelow whether it is drawn below the axis
   */
  record Band(String name, String style, boolean isBelow, List<Long> counts) {
    long sum() {
      return counts.stream().mapToLong(Long::longValue).sum();
    }
  }

  int spans() {
    return bands.isEmpty() ? 0 : bands.get(0).counts().size();
  }

  /** The same series with fewer, longer spans on round times. */
  TimeSeries joined() {
    if (spans() == 0) {
      return this;
    }
    long step = Ticks.joined(span, spans(), MAX_SPANS).toMillis();
    long first = Math.floorDiv(start.toEpochMilli(), step);
    long end = start.toEpochMilli() + spans() * span.toMillis() - 1;
    int many = (int) (Math.floorDiv(end, step) - first + 1);
    List<Band> joined = new ArrayList<>();
    for (Band band : bands) {
      long[] counts = new long[many];
      for (int i = 0; i < spans(); i++) {
        long at = start.toEpochMilli() + i * span.toMillis();
        counts[(int) (Math.floorDiv(at, step) - first)] += band.counts().get(i);
      }
      List<Long> list = new ArrayList<>();
      for (long count : counts) {
        list.add(count);
      }
      joined.add(new Band(band.name(), band.style(), band.isBelow(), list));
    }
    return new TimeSeries(
        Instant.ofEpochMilli(first * step), Duration.ofMillis(step), List.copyOf(joined));
  }
}
