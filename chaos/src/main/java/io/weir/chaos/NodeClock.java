package io.weir.chaos;

import io.weir.TimeSource;
import java.time.Duration;
import java.time.Instant;

/**
 * The wall clock of a node with an offset that can change at run time. It uses Weir's own clock
 * interface, because libfaketime would disturb how a JVM waits. The monotonic clock is not
 * affected.
 */
final class NodeClock implements TimeSource {
  private volatile long aheadNanos;

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
    long told = time.epochNanos();
    return Duration.ofNanos(told - machineNanos());
  }

  private static long machineNanos() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000_000L + now.getNano();
  }
}
