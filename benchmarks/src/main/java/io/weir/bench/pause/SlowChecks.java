package io.weir.bench.pause;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The slow checks, and their causes. */
final class SlowChecks {
  static final long TENTH_OF_A_MILLISECOND = 100_000;
  static final long MILLISECOND = 1_000_000;

  private final List<SlowCheck> checks = new ArrayList<>();

  /**
   * @param waitedNanos how long this thread was ready to run without a processor, since the last
   *     reading: at most a few hundred checks earlier
   */
  record SlowCheck(long start, long end, int keys, long waitedNanos) {
    long nanos() {
      return end - start;
    }
  }

  /** Why a check was slow. */
  enum Cause {
    SAFEPOINT,
    OFF_PROCESSOR,
    TABLE_OR_UNKNOWN
  }

  void add(long start, long end, int keys, long waitedNanos) {
    checks.add(new SlowCheck(start, end, keys, waitedNanos));
  }

  long count(long atLeastNanos, List<Safepoint> safepoints, Cause cause) {
    return checks.stream()
        .filter(check -> check.nanos() >= atLeastNanos && cause(check, safepoints) == cause)
        .count();
  }

  /** The longest check of a cause; 0 if there is none. */
  long worst(List<Safepoint> safepoints, Cause cause) {
    return checks.stream()
        .filter(check -> cause(check, safepoints) == cause)
        .mapToLong(SlowCheck::nanos)
        .max()
        .orElse(0);
  }

  /** The number of keys at the longest check without an external cause. */
  int keysAtWorst(List<Safepoint> safepoints) {
    return checks.stream()
        .filter(check -> cause(check, safepoints) == Cause.TABLE_OR_UNKNOWN)
        .max(Comparator.comparingLong(SlowCheck::nanos))
        .map(SlowCheck::keys)
        .orElse(0);
  }

  /**
   * A cause must explain half of the time: a check that also met a short safepoint counts as the
   * table's.
   */
  private static Cause cause(SlowCheck check, List<Safepoint> safepoints) {
    long stopped = safepoints.stream().mapToLong(s -> s.overlap(check.start, check.end)).sum();
    if (2 * stopped >= check.nanos()) {
      return Cause.SAFEPOINT;
    }
    return 2 * check.waitedNanos >= check.nanos() ? Cause.OFF_PROCESSOR : Cause.TABLE_OR_UNKNOWN;
  }
}
