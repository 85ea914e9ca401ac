package io.weir;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** A clock for tests and recordings that moves only when it is set. Starts at the epoch. */
public final class ManualTime implements TimeSource {
  private final AtomicLong nanos = new AtomicLong();
  private final boolean sharedByKeys;

  ManualTime(boolean sharedByKeys) {
    this.sharedByKeys = sharedByKeys;
  }

  @Override
  public boolean isSharedByKeys() {
    return sharedByKeys;
  }

  @Override
  public long epochNanos() {
    return nanos.get();
  }

  /** Moves on by {@code duration}, or back if it is negative. */
  public ManualTime advance(Duration duration) {
    nanos.addAndGet(duration.toNanos());
    return this;
  }

  /** Moves to {@code instant}. */
  public ManualTime set(Instant instant) {
    return setNanos(
        Math.addExact(
            Math.multiplyExact(instant.getEpochSecond(), 1_000_000_000L), instant.getNano()));
  }

  /** Moves to {@code nanos} nanoseconds since the epoch. */
  public ManualTime setNanos(long nanos) {
    this.nanos.set(nanos);
    return this;
  }

  @Override
  public String toString() {
    return "ManualTime[" + nanos + " ns]";
  }
}
