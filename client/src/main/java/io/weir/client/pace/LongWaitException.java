package io.weir.client.pace;

import io.weir.client.quota.Quota;
import java.time.Duration;
import java.util.Optional;

/** A request would wait for longer than it may. Nothing was sent. */
public final class LongWaitException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Optional<Quota> quota;
  private final Duration expected;

  LongWaitException(Optional<Quota> quota, Duration expected) {
    super("would wait for " + expected, null, false, false);
    this.quota = quota;
    this.expected = expected;
  }

  /** The limit that it would wait for, as it was told last. */
  public Optional<Quota> quota() {
    return quota;
  }

  /** How long it would wait, as far as that can be told. */
  public Duration expected() {
    return expected;
  }
}
