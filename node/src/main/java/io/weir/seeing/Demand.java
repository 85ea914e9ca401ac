package io.weir.seeing;

import java.util.List;
import java.util.stream.IntStream;

/**
 * What was asked of a rule, as far as it was recorded.
 *
 * @param startMillis when the first slot began
 * @param sinceMillis when the recording began
 * @param asked how many requests came in each slot, of all callers
 * @param refused how many of them were refused
 * @param callers those that were recorded and asked for something
 * @param share one in how many callers is in the sample, as a share: 1 if everybody is
 * @param sampling one decision in how many was looked at, at the thinnest; each stands for as many
 */
public record Demand(
    Grain range,
    long startMillis,
    long sinceMillis,
    int[] asked,
    int[] refused,
    List<OfCaller> callers,
    double share,
    int sampling) {

  static Demand none(Grain range, long nowMillis) {
    int[] zeros = new int[range.slots()];
    long start = range.startMillis(Math.floorDiv(nowMillis, 1000));
    return new Demand(range, start, nowMillis, zeros, zeros, List.of(), 1, 1);
  }

  /** How many requests came. */
  public long requests() {
    return sum(asked);
  }

  /** How many requests were refused. */
  public long refusals() {
    return sum(refused);
  }

  static long sum(int[] slots) {
    return IntStream.of(slots).asLongStream().sum();
  }

  /**
   * What one caller asked for.
   *
   * @param cost how many permits each request asked for, on average
   * @param isHeavy whether it stands for itself alone; else for all those that the sample left out
   */
  public record OfCaller(int[] asked, int[] refused, double cost, boolean isHeavy) {
    /** How many requests came. */
    public long requests() {
      return sum(asked);
    }
  }
}
