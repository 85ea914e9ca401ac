package io.weir.chaos;

import io.weir.TimeSource;
import java.time.Duration;
import java.time.Instant;

/**
 * The wall clock of a node, which can be put forward and back while it runs: the machine's, and so
 * much more. libfaketime would spoil how a JVM waits; this is Weir's own seam, and the monotonic
 * clock stays as it is.
 */
final class NodeClock implements TimeSource {
  private volatile long aheadNanos;

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
