package io.weir.arbiter;

import io.weir.TimeSource;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** How changes of the rules went. */
public final class Reloads {
  private final TimeSource time;
  private final LongAdder taken = new LongAdder();
  private final LongAdder rejected = new LongAdder();
  private volatile Instant since;

  public Reloads(TimeSource time) {
    this.time = time;
    this.since = now();
  }

  /** How often rules that had changed were taken up. */
  public long taken() {
    return taken.sum();
  }

  /** How often rules that had changed were wrong, so that the old ones stayed. */
  public long rejected() {
    return rejected.sum();
  }

  /** Since when the rules in force are in force. */
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
