package io.weir.insight.whatif;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The recorded demand on a rule.
 *
 * @param startMillis when the first slot began
 * @param sinceMillis when the recording began
 * @param requestsBySlot how many requests came in each slot, of all callers
 * @param refused how many of them were refused
 * @param callers the recorded callers with at least one request
 * @param share the share of callers that is in the sample: 1 if all are
 * @param sampling one in how many decisions was noted, at the lowest sampling rate; each represents
 *     that many
 */
public record RecordedDemand(
    Resolution range,
    long startMillis,
    long sinceMillis,
    int[] requestsBySlot,
    int[] refused,
    List<OfCaller> callers,
    double share,
    int sampling) {

  public static RecordedDemand none(Resolution range, long nowMillis) {
    int[] zeros = new int[range.slots()];
    long start = range.startMillis(Math.floorDiv(nowMillis, 1000));
    return new RecordedDemand(range, start, nowMillis, zeros, zeros, List.of(), 1, 1);
  }

  /** How many requests came. */
  public long requests() {
    return sum(requestsBySlot);
  }

  /** How many requests were refused. */
  public long refusals() {
    return sum(refused);
  }

  public static long sum(int[] slots) {
    return IntStream.of(slots).asLongStream().sum();
  }

  /**
   * The demand of one caller.
   *
   * @param cost how many permits each request cost, on average
   * @param isHeavy whether the caller represents only itself; else it also represents callers
   *     outside the sample
   */
  public record OfCaller(int[] requestsBySlot, int[] refused, double cost, boolean isHeavy) {
    /** How many requests came. */
    public long requests() {
      return sum(requestsBySlot);
    }
  }
}
