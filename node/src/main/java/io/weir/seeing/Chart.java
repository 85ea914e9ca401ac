package io.weir.seeing;

import java.util.List;

/**
 * Counts over a range of time.
 *
 * @param end where the last slot ends, in seconds since the epoch; it may be in the future
 */
public record Chart(Range range, long end, List<Line> lines) {
  /** Where the first slot begins, in seconds since the epoch. */
  public long start() {
    return end - (long) range.slots() * range.step();
  }
}
