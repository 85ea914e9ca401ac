package io.weir.logs;

import io.weir.TimeSource;
import java.util.concurrent.atomic.AtomicLong;

/** Lets one event a minute through, the first one at once. Thread-safe. */
public final class OncePerMinute {
  private static final long NANOS = 60_000_000_000L;

  private final TimeSource clock;
  private final AtomicLong next;

  /** Follows the system's clock. */
  public OncePerMinute() {
    this(TimeSource.system().steady());
  }

  /**
   * Follows a clock.
   *
   * @param clock without steps, see {@link TimeSource#steady}
   */
  public OncePerMinute(TimeSource clock) {
    this.clock = clock;
    this.next = new AtomicLong(clock.epochNanos());
  }

  /** Whether this event is let through. */
  public boolean isDue() {
    long now = clock.epochNanos();
    long due = next.get();
    return now - due >= 0 && next.compareAndSet(due, now + NANOS);
  }
}
