package io.weir.client.pace;

import io.weir.client.quota.Quota;
import java.time.Duration;
import java.util.Optional;

/** A request would wait for longer than it may. It was not sent. */
public final class LongWaitException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Optional<Quota> quota;
  private final Duration expected;

  LongWaitException(Optional<Quota> quota, Duration expected) {
    super("would wait for " + expected, null, false, false);
    this.quota = quota;
    this.expected = expected;
  }

  /** The limit that it would wait for, as the server last reported it. */
  public Optional<Quota> quota() {
    return quota;
  }

  /** The expected wait, as far as it is known. */
  public Duration expected() {
    return expected;
  }
}
