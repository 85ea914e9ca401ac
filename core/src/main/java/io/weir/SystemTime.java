package io.weir;

import java.time.Instant;
import java.util.function.LongSupplier;

/**
 * The wall clock carried forward by the monotonic clock. Costs one read of the monotonic clock; the
 * wall clock is read once a second.
 */
final class SystemTime implements TimeSource {
  /*
   * An anchor ties a moment of the monotonic clock to a moment of the epoch. Between two reads of
   * the wall clock, time is the anchor's moment plus what the monotonic clock has advanced since.
   * If the wall clock is ahead, a new anchor is set there: time steps forward. If it is behind, an
   * anchor is set from which time runs 15/16 as fast until the two meet: a step back by one second
   * is absorbed in 16 seconds. A difference of more than an hour, which would take most of a day,
   * is absorbed at half speed.
   *
   * The slower run begins a little after the anchor was set. A thread that still uses the old
   * anchor then does not see time go back when it reads the new one. The wall clock is read before
   * the monotonic one: a thread that is held up between the two reads is then late, until the next
   * read, and not early.
   */

  static final SystemTime INSTANCE = new SystemTime(System::nanoTime, SystemTime::wallNanos);

  private static final int AT_FULL_SPEED = Integer.MAX_VALUE;
  private static final long LOOK_NANOS = 1_000_000_000;
  private static final long GRACE_NANOS = 1_000_000;
  private static final long TOLERANCE_NANOS = 1_000_000;
  private static final long FAR_BEHIND_NANOS = 3_600_000_000_000L;

  private final LongSupplier monotonic;
  private final LongSupplier wall;
  private volatile Anchor anchor;

  SystemTime(LongSupplier monotonic, LongSupplier wall) {
    this.monotonic = monotonic;
    this.wall = wall;
    long wallTime = wall.getAsLong();
    anchor = new Anchor(monotonic.getAsLong(), wallTime, AT_FULL_SPEED);
  }

  @Override
  public TimeSource steady() {
    long ahead = epochNanos() - monotonic.getAsLong();
    return () -> ahead + monotonic.getAsLong();
  }

  @Override
  public long epochNanos() {
    while (true) {
      Anchor current = anchor;
      long elapsed = monotonic.getAsLong() - current.monotonic;
      if (elapsed <= LOOK_NANOS) {
        return current.after(elapsed);
      }
      look(current);
    }
  }

  // A different anchor means that another thread has just read the wall clock.
  @SuppressWarnings("ReferenceEquality")
  private synchronized void look(Anchor seen) {
    if (anchor != seen) {
      return;
    }
    long wallTime = wall.getAsLong();
    long ticks = monotonic.getAsLong();
    long now = seen.after(ticks - seen.monotonic);
    long ahead = now - wallTime;
    if (ahead < 0) {
      anchor = new Anchor(ticks, now - ahead, AT_FULL_SPEED);
    } else if (ahead <= TOLERANCE_NANOS) {
      anchor = new Anchor(ticks, now, AT_FULL_SPEED);
    } else {
      anchor = new Anchor(ticks, now, ahead > FAR_BEHIND_NANOS ? 1 : 4);
    }
  }

  private static long wallNanos() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000_000L + now.getNano();
  }

  /** Time runs slower than the monotonic clock by one part in 2^slowness. */
  private record Anchor(long monotonic, long epoch, int slowness) {
    long after(long elapsed) {
      long time = epoch + elapsed;
      boolean slower = slowness != AT_FULL_SPEED && elapsed > GRACE_NANOS;
      return slower ? time - (elapsed - GRACE_NANOS >> slowness) : time;
    }
  }
}
