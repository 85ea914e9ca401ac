package io.weir.redis;

import io.weir.algorithm.Algorithm.Mark;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The message to Redis at the end of a lease of logs: the unspent rest, and when the others were
 * spent. The lease was charged as if all permits were spent at its end; now their entries move to
 * the actual times.
 */
final class LeaseClosing {
  /*
   * Ages count from a moment before the call is sent, less the possible difference of the clock
   * rates. So the permits were spent at Redis's time minus their age, or before.
   *
   * It is sent once. Without a reply it is unknown whether it was done, and where the charges
   * are. Then these permits come back only with time.
   */

  private static final int MICRO = 1000;

  private final ChargeMarks charged;
  private final long rest;
  private final long[] spent;
  private final long[] agesMicros;
  private volatile @Nullable List<ChargeMarks> moved;

  /**
   * @param charged identifies the charge of the lease
   * @param spent how many in each part of its time
   * @param agesNanos how long ago at least
   */
  LeaseClosing(ChargeMarks charged, long rest, long[] spent, long[] agesNanos) {
    this.charged = charged;
    this.rest = rest;
    this.spent = spent;
    this.agesMicros = new long[agesNanos.length];
    for (int i = 0; i < agesNanos.length; i++) {
      long minNanos = agesNanos[i] - agesNanos[i] / Grant.CLOCKS_AGREE_TO - Grant.MARGIN_NANOS;
      agesMicros[i] = Math.max(0, minNanos) / MICRO;
    }
  }

  ChargeMarks charged() {
    return charged;
  }

  /** How many were spent in each part of its time. */
  long[] spent() {
    return spent.clone();
  }

  PackedNumbers pack(PackedNumbers request) {
    int groups = 0;
    for (long some : spent) {
      groups += some > 0 ? 1 : 0;
    }
    request.number(rest, 4).number(groups, 1);
    for (int i = 0; i < spent.length; i++) {
      if (spent[i] > 0) {
        request.number(spent[i], 4).number(agesMicros[i], 7);
      }
    }
    return request;
  }

  /** Redis has done it at {@code epochMicros}. */
  void done(long epochMicros) {
    List<ChargeMarks> chargeMarks = new ArrayList<>(spent.length);
    for (long age : agesMicros) {
      long tick = Math.floorDiv(epochMicros - age + MICRO - 1, MICRO);
      List<Mark> ofLimits = new ArrayList<>(charged.marks().size());
      for (Mark mark : charged.marks()) {
        ofLimits.add(new Mark(Math.min(mark.time(), tick), 0));
      }
      chargeMarks.add(new ChargeMarks(charged.scriptPlan(), ofLimits));
    }
    moved = chargeMarks;
  }

  /** Identifies the charges of {@code part}; empty while that is unknown. */
  ChargeMarks marks(int part) {
    List<ChargeMarks> known = moved;
    return known == null ? new ChargeMarks(charged.scriptPlan(), List.of()) : known.get(part);
  }
}
