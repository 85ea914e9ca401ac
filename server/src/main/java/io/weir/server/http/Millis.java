package io.weir.server.http;

import java.time.Duration;
import java.util.Optional;

/** Converts waits to whole milliseconds, rounded up so that clients do not retry too early. */
public final class Millis {
  /** The wait of a request that can never be allowed, as in a decision log. */
  private static final long NEVER = -1;

  private Millis() {}

  /** The milliseconds of {@code duration}, rounded up. */
  public static long of(Duration duration) {
    return Math.addExact(
        Math.multiplyExact(duration.getSeconds(), 1000),
        (duration.getNano() + 999_999) / 1_000_000);
  }

  /** The milliseconds of {@code wait}, rounded up; −1 if it is empty. */
  public static long orNever(Optional<Duration> wait) {
    return wait.isPresent() ? of(wait.get()) : NEVER;
  }
}
