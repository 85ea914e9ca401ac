package io.weir.client.pace;

import io.weir.client.quota.Quota;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Combines the limits that apply to one request. */
final class LimitPacers {
  private LimitPacers() {}

  /** Nanoseconds until the next may go; zero if it may go now. */
  static long delay(List<LimitPacer> limitPacers, long now) {
    long maxDelay = 0;
    for (LimitPacer limitPacer : limitPacers) {
      maxDelay = Math.max(maxDelay, limitPacer.delay(now));
    }
    return maxDelay;
  }

  /** Like {@code delay}, but by the server's report, not capped by how long it is trusted. */
  static long foreseen(List<LimitPacer> limitPacers, long now) {
    long maxDelay = 0;
    for (LimitPacer limitPacer : limitPacers) {
      maxDelay = Math.max(maxDelay, limitPacer.foreseen(now));
    }
    return maxDelay;
  }

  /** Like {@code foreseen}, for a request behind {@code ahead} others. */
  static long foreseen(List<LimitPacer> limitPacers, int ahead, long now) {
    double queue = 0;
    for (LimitPacer limitPacer : limitPacers) {
      queue = Math.max(queue, limitPacer.queue(ahead, now));
    }
    return (long) Math.min(foreseen(limitPacers, now) + queue, 1e18);
  }

  /** Reports the limit with the longest wait. */
  static LongWaitException tooLong(List<LimitPacer> limitPacers, long now, long expected) {
    Optional<Quota> quota =
        limitPacers.stream()
            .max(Comparator.comparingLong(limitPacer -> limitPacer.foreseen(now)))
            .map(LimitPacer::last);
    return new LongWaitException(quota, Duration.ofNanos(expected));
  }
}
