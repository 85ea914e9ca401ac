package io.weir;

import java.time.Instant;
import java.util.function.LongSupplier;

/**
 * The wall clock carried forward by the monotonic clock. Costs one read of the monotonic clock; the
 * wall clock is looked at once a second.
 */
final class SystemTime implements TimeSource {
  /*
   * An anchor ties a moment of the monotonic clock to a moment of the epoch. Between two looks at
   * the wall clock, time is the anchor's moment plus what the monotonic clock has run since. A look
   * that finds the wall clock ahead sets a new anchor there: time steps forward. A look that finds
   * it behind sets an anchor from which time runs 15/16 as fast, until the two meet: a wall clock
   * that was set back by one second is met after 16. A difference of more than an hour, where that
   * would take most of a day, is met at half speed.
   *
   * The slower run begins a little after the anchor was set, so that a thread that still goes by the
   * old anchor does not see time go back when it reads the new one. The wall clock is read first:
   * a thread that is held up between the two reads is late then, until the next look, and not early.
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
    long told = wall.getAsLong();
    anchor = new Anchor(monotonic.getAsLong(), told, AT_FULL_SPEED);
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

  @SuppressWarnings("ReferenceEquality") // another thread has looked if it is not the very same
  private synchronized void look(Anchor seen) {
    if (anchor != seen) {
      return;
    }
    long told = wall.getAsLong();
    long ticks = monotonic.getAsLong();
    long now = seen.after(ticks - seen.monotonic);
    long ahead = now - told;
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
