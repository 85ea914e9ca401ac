package io.weir.server.http;

import java.time.Duration;
import java.util.Optional;

/** Times as programs are told them: in whole milliseconds, so that nobody comes too early. */
public final class Millis {
  /** Of a request that can never fit, as in a file of decisions. */
  private static final long NEVER = -1;

  private Millis() {}

  /** Rounded up. */
  public static long of(Duration duration) {
    return Math.addExact(
        Math.multiplyExact(duration.getSeconds(), 1000),
        (duration.getNano() + 999_999) / 1_000_000);
  }

  /** Rounded up; −1 if that time never comes. */
  public static long orNever(Optional<Duration> wait) {
    return wait.isPresent() ? of(wait.get()) : NEVER;
  }
}
