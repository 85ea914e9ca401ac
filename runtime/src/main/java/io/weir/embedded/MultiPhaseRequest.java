package io.weir.embedded;

import io.weir.decision.RequestCounters;
import io.weir.rules.RequestDecision;
import org.jspecify.annotations.Nullable;

/**
 * Counts one request that several guards check one after the other, each by some of the rules. The
 * request counts once, by the combined decision. Thread-safe.
 *
 * <p>A refusal is counted at once. A request that passes is counted by the last guard. A request
 * that never reaches the last guard, such as one that authentication rejects, is counted at its
 * end.
 */
public final class MultiPhaseRequest {
  private final RequestCounters counters;
  private int open;
  private boolean isOver;
  private boolean isCounted;
  private @Nullable RequestDecision soFar;

  MultiPhaseRequest(RequestCounters counters) {
    this.counters = counters;
  }

  boolean isOf(RequestCounters other) {
    return counters == other;
  }

  /** A guard starts its check; its {@link #step} follows. */
  public synchronized void begin() {
    open++;
  }

  /**
   * A guard has finished its check.
   *
   * @param isLast whether no other guard checks this request
   */
  public synchronized void step(FilterAction filterAction, boolean isLast) {
    open--;
    if (filterAction instanceof FilterAction.Refused refused) {
      count(refused.requestDecision());
    } else if (filterAction instanceof FilterAction.Pass pass) {
      soFar = pass.requestDecision();
      if (isLast) {
        count(pass.requestDecision());
      } else {
        countIfOver();
      }
    } else {
      isCounted = true; // no rule decided it
    }
  }

  /** The request ends, as far as the first guard can see. */
  public synchronized void end() {
    isOver = true;
    countIfOver();
  }

  private void countIfOver() {
    RequestDecision all = soFar;
    if (isOver && open == 0 && all != null) {
      count(all);
    }
  }

  private void count(RequestDecision requestDecision) {
    if (!isCounted) {
      isCounted = true;
      counters.count(requestDecision);
    }
  }
}
