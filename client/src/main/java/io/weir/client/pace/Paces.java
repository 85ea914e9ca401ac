package io.weir.client.pace;

import io.weir.client.quota.Quota;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** What several limits mean for a request that all of them apply to. */
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

  /** As a delay, but told by the server rather than by how long it is believed. */
  static long foreseen(List<Pace> paces, long now) {
    long longest = 0;
    for (Pace pace : paces) {
      longest = Math.max(longest, pace.foreseen(now));
    }
    return longest;
  }

  /** As foreseen, for one who comes after so many others. */
  static long foreseen(List<Pace> paces, int ahead, long now) {
    double queue = 0;
    for (Pace pace : paces) {
      queue = Math.max(queue, pace.queue(ahead, now));
    }
    return (long) Math.min(foreseen(paces, now) + queue, 1e18);
  }

  /** Says which limit holds a request up most. */
  static LongWaitException tooLong(List<Pace> paces, long now, long expected) {
    Optional<Quota> quota =
        paces.stream().max(Comparator.comparingLong(pace -> pace.foreseen(now))).map(Pace::last);
    return new LongWaitException(quota, Duration.ofNanos(expected));
  }
}
