package io.weir.server.traffic;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/**
 * The counters of an upstream server. Thread-safe.
 *
 * @param <F> the kinds of failures
 */
public final class UpstreamTraffic<F extends Enum<F>> {
  private final String label;
  private final EnumCounters<StatusClass> requests =
      new EnumCounters<>(EnumSet.allOf(StatusClass.class));
  private final EnumCounters<RetryReason> retries =
      new EnumCounters<>(EnumSet.allOf(RetryReason.class));
  private final EnumCounters<F> errors;
  private final LatencyHistogram responses = new LatencyHistogram();
  private final LongAdder ejections = new LongAdder();
  private final LongAdder out = new LongAdder();

  UpstreamTraffic(String label, Set<F> errors) {
    this.label = label;
    this.errors = new EnumCounters<>(errors);
  }

  /** The label of the server: {@code http://10.0.0.7:9000}. */
  public String label() {
    return label;
  }

  /** Requests for which this server was tried last, by status class. */
  public EnumCounters<StatusClass> requests() {
    return requests;
  }

  /** Retries that were made because this server failed. */
  public EnumCounters<RetryReason> retries() {
    return retries;
  }

  /**
   * Attempts that failed because of this server, except those retried as {@link RetryReason#CLOSED}
   * or {@link RetryReason#REFUSED}.
   */
  public EnumCounters<F> errors() {
    return errors;
  }

  /** The time from the start of an attempt, including connecting, to the response head. */
  public LatencyHistogram responses() {
    return responses;
  }

  /** Records the start or end of an ejection. */
  public void out(boolean isOut) {
    if (isOut) {
      ejections.increment();
      out.increment();
    } else {
      out.decrement();
    }
  }

  /** The number of ejections. */
  public long ejections() {
    return ejections.sum();
  }

  /** Whether the server is ejected now. */
  public boolean isOut() {
    return out.sum() > 0;
  }
}
