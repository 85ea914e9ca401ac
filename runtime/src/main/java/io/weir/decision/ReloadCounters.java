package io.weir.decision;

import io.weir.TimeSource;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Counts changes of the rules. Thread-safe. */
public final class ReloadCounters {
  private final TimeSource time;
  private final LongAdder taken = new LongAdder();
  private final LongAdder rejected = new LongAdder();
  private volatile Instant since;

  public ReloadCounters(TimeSource time) {
    this.time = time;
    this.since = now();
  }

  /** How many changed rule sets came into force. */
  public long taken() {
    return taken.sum();
  }

  /** How many changed rule sets were invalid, so that the old rules stayed in force. */
  public long rejected() {
    return rejected.sum();
  }

  /** When the rules in force came into force. */
  public Instant since() {
    return since;
  }

  void take() {
    since = now();
    taken.increment();
  }

  void reject() {
    rejected.increment();
  }

  private Instant now() {
    return Instant.ofEpochMilli(TimeUnit.NANOSECONDS.toMillis(time.epochNanos()));
  }
}
