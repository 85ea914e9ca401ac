package io.weir.server.traffic;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/**
 * What is counted of a server behind the gateway. Thread-safe.
 *
 * @param <F> why a request fails
 */
public final class UpstreamTraffic<F extends Enum<F>> {
  private final String label;
  private final Counters<StatusClass> requests = new Counters<>(EnumSet.allOf(StatusClass.class));
  private final Counters<RetryReason> retries = new Counters<>(EnumSet.allOf(RetryReason.class));
  private final Counters<F> errors;
  private final Latencies responses = new Latencies();
  private final LongAdder ejections = new LongAdder();
  private final LongAdder out = new LongAdder();

  UpstreamTraffic(String label, Set<F> errors) {
    this.label = label;
    this.errors = new Counters<>(errors);
  }

  /** How it is called: {@code http://10.0.0.7:9000}. */
  public String label() {
    return label;
  }

  /** Requests by what their clients got, of which this server was the last that was asked. */
  public Counters<StatusClass> requests() {
    return requests;
  }

  /** Further attempts that were made because this server failed. */
  public Counters<RetryReason> retries() {
    return retries;
  }

  /** Attempts that failed by its doing, and were not repeated at once. */
  public Counters<F> errors() {
    return errors;
  }

  /** From asking it, connecting included, until the head of its response had come. */
  public Latencies responses() {
    return responses;
  }

  /** It is left out from now on, or it is back. */
  public void out(boolean isOut) {
    if (isOut) {
      ejections.increment();
      out.increment();
    } else {
      out.decrement();
    }
  }

  /** How often it was left out. */
  public long ejections() {
    return ejections.sum();
  }

  /** Whether it is left out now. */
  public boolean isOut() {
    return out.sum() > 0;
  }
}
