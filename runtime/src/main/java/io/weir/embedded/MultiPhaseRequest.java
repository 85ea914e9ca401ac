package io.weir.embedded;

import io.weir.decision.RequestCounters;
import io.weir.rules.RequestDecision;
import org.jspecify.annotations.Nullable;

/**
 * Counts one request that several judges check one after the other, each by some of the rules. The
 * request counts once, by the combined decision. Thread-safe.
 *
 * <p>A refusal is counted at once. A request that passes is counted by the last judge. A request
 * that never reaches the last judge, such as one that authentication rejects, is counted at its
 * end.
 */
public final class MultiPhaseRequest {
  private final RequestCounters tally;
  private int open;
  private boolean isOver;
  private boolean isCounted;
  private @Nullable RequestDecision soFar;

  MultiPhaseRequest(RequestCounters tally) {
    this.tally = tally;
  }

  boolean isOf(RequestCounters other) {
    return tally == other;
  }

  /** A judge starts its check; its {@link #step} follows. */
  public synchronized void ask() {
    open++;
  }

  /**
   * A judge has finished its check.
   *
   * @param isLast whether no other judge checks this request
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

  /** The request ends, as far as the first judge can see. */
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
      tally.count(requestDecision);
    }
  }
}
