package io.weir;

/**
 * Where a limiter has its time from: the one seam between Weir and the clocks.
 *
 * <p>A source should not go back; if it does, nothing is granted twice. Its range is that of
 * nanoseconds since the epoch in a {@code long}, the years 1677 to 2262.
 */
@FunctionalInterface
public interface TimeSource {
  /** Nanoseconds since the epoch. */
  long epochNanos();

  /**
   * Whether a moment has come for all keys alike, as it has by a clock. A moment out of a recording
   * has come for the key that is asked for, and by it nobody else's bucket may be forgotten.
   */
  default boolean isSharedByKeys() {
    return true;
  }

  /**
   * A source that goes on from here without steps: where this one follows the wall clock, the
   * monotonic clock alone, which in time goes a little wrong.
   */
  default TimeSource steady() {
    return this;
  }

  /**
   * The wall clock, carried forward by the monotonic clock: steps forward are followed at once,
   * steps back by running slower until the wall clock has caught up.
   */
  static TimeSource system() {
    return SystemTime.INSTANCE;
  }

  /**
   * {@link #system()} for another wall clock than the system's: {@code wall}, which may step,
   * carried forward by the monotonic clock. It is looked at once a second.
   */
  static TimeSource following(TimeSource wall) {
    return new SystemTime(System::nanoTime, wall::epochNanos);
  }

  /**
   * The system's time as of the last millisecond, kept by a daemon thread: reading it costs a
   * nanosecond instead of a call to the clock. It is late by a millisecond, or by more while that
   * thread is not scheduled.
   */
  static TimeSource coarse() {
    return CoarseTime.instance();
  }

  /** A clock for tests, which stands still until it is told to move. */
  static ManualTime manual() {
    return new ManualTime(true);
  }

  /**
   * The times of a recording, set before each request: in order for each key, not across keys. No
   * key is ever forgotten by it.
   */
  static ManualTime recorded() {
    return new ManualTime(false);
  }
}
