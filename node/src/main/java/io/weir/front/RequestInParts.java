package io.weir.front;

import io.weir.arbiter.RequestTally;
import io.weir.rules.Ruling;
import org.jspecify.annotations.Nullable;

/**
 * Counts one request that several judges check one after the other, each by some of the rules. The
 * request counts once, by the combined decision. Thread-safe.
 *
 * <p>A refusal is counted at once. A request that passes is counted by the last judge. A request
 * that never reaches the last judge, such as one that authentication rejects, is counted at its
 * end.
 */
public final class RequestInParts {
  private final RequestTally tally;
  private int open;
  private boolean isOver;
  private boolean isCounted;
  private @Nullable Ruling soFar;

  RequestInParts(RequestTally tally) {
    this.tally = tally;
  }

  boolean isOf(RequestTally other) {
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
  public synchronized void step(Step step, boolean isLast) {
    open--;
    if (step instanceof Step.Refused refused) {
      count(refused.ruling());
    } else if (step instanceof Step.Pass pass) {
      soFar = pass.ruling();
      if (isLast) {
        count(pass.ruling());
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
    Ruling all = soFar;
    if (isOver && open == 0 && all != null) {
      count(all);
    }
  }

  private void count(Ruling ruling) {
    if (!isCounted) {
      isCounted = true;
      tally.count(ruling);
    }
  }
}
