package io.weir.insight.series;

import java.util.Arrays;
import java.util.Optional;

/** The length and resolution of a chart: the longer, the coarser. */
public enum SeriesRange {
  /** By the second. */
  MINUTES("5m", 1, 300),
  /** By ten seconds. */
  HOUR("1h", 10, 360),
  /** By five minutes. */
  DAY("24h", 300, 288);

  private final String text;
  private final int step;
  private final int slots;

  SeriesRange(String text, int step, int slots) {
    this.text = text;
    this.step = step;
    this.slots = slots;
  }

  /** The range with this name. */
  public static Optional<SeriesRange> of(String text) {
    return Arrays.stream(values()).filter(seriesRange -> seriesRange.text.equals(text)).findFirst();
  }

  /** The length of a slot, in seconds. */
  public int step() {
    return step;
  }

  /** How many slots there are. */
  public int slots() {
    return slots;
  }

  /** The number of the slot that contains a second. */
  long slot(long second) {
    return Math.floorDiv(second, step);
  }

  /** The name of the range, such as {@code 5m}. */
  @Override
  public String toString() {
    return text;
  }
}
