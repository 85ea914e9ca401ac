package io.weir.client.pace;

import io.weir.client.quota.Quota;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Combines the limits that apply to one request. */
final class Paces {
  private Paces() {}

  /** Nanoseconds until the next may go; zero if it may go now. */
  static long delay(List<Pace> paces, long now) {
    long longest = 0;
    for (Pace pace : paces) {
      longest = Math.max(longest, pace.delay(now));
    }
    return longest;
  }

  /** Like {@code delay}, but by what the server said, not capped by how long it is trusted. */
  static long foreseen(List<Pace> paces, long now) {
    long longest = 0;
    for (Pace pace : paces) {
      longest = Math.max(longest, pace.foreseen(now));
    }
    return longest;
  }

  /** Like {@code foreseen}, for a request behind {@code ahead} others. */
  static long foreseen(List<Pace> paces, int ahead, long now) {
    double queue = 0;
    for (Pace pace : paces) {
      queue = Math.max(queue, pace.queue(ahead, now));
    }
    return (long) Math.min(foreseen(paces, now) + queue, 1e18);
  }

  /** Reports the limit with the longest wait. */
  static LongWaitException tooLong(List<Pace> paces, long now, long expected) {
    Optional<Quota> quota =
        paces.stream().max(Comparator.comparingLong(pace -> pace.foreseen(now))).map(Pace::last);
    return new LongWaitException(quota, Duration.ofNanos(expected));
  }
}
