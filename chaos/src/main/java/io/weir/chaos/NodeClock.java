package io.weir.chaos;

import io.weir.TimeSource;
import java.time.Duration;
import java.time.Instant;

/**
 * The clocks of a node: its wall clock, which can be put forward and back while it runs, and the
 * monotonic one, which can go faster or slower. Both are the machine's, and so much more.
 * libfaketime would spoil how a JVM waits; these are Weir's own seams.
 */
final class NodeClock implements TimeSource {
  private static final long MILLION = 1_000_000;

  private volatile long aheadNanos;
  private volatile Rate rate = new Rate(System.nanoTime(), System.nanoTime(), 0);

  /** From the moment {@code since} on, when the clock was at {@code nanos}. */
  private record Rate(long since, long nanos, long millionths) {
    long at(long moment) {
      long gone = moment - since;
      return nanos + gone + gone / MILLION * millionths;
    }
  }

  /** Lets the monotonic clock be faster by so many millionths from now on, without a step. */
  void setRate(long millionths) {
    long now = System.nanoTime();
    rate = new Rate(now, rate.at(now), millionths);
  }

  /** The monotonic clock. */
  long nanos() {
    return rate.at(System.nanoTime());
  }

  /** Puts it so far ahead of the machine's, or behind it, wherever it is now. */
  void put(Duration ahead) {
    aheadNanos = ahead.toNanos();
  }

  @Override
  public long epochNanos() {
    return machineNanos() + aheadNanos;
  }

  /** How far {@code time} is ahead of the machine's wall clock; less, if it takes long to look. */
  static Duration ahead(TimeSource time) {
    long told = time.epochNanos();
    return Duration.ofNanos(told - machineNanos());
  }

  private static long machineNanos() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000_000L + now.getNano();
  }
}
