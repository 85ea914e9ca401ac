package io.weir.chaos;

import io.weir.TimeSource;
import java.time.Duration;
import java.time.Instant;

/**
 * The clocks of a node: a wall clock with an offset and a monotonic clock with a rate, both of
 * which can change at run time. They use the clock interfaces of Weir, because libfaketime would
 * disturb how a JVM waits.
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

  /** Sets it this far ahead of the machine's, or behind it, wherever it is now. */
  void put(Duration ahead) {
    aheadNanos = ahead.toNanos();
  }

  @Override
  public long epochNanos() {
    return machineNanos() + aheadNanos;
  }

  /** How far {@code time} is ahead of the machine's wall clock; less if the reading takes long. */
  static Duration ahead(TimeSource time) {
    long nanos = time.epochNanos();
    return Duration.ofNanos(nanos - machineNanos());
  }

  private static long machineNanos() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000_000L + now.getNano();
  }
}
