package io.weir.front;

import io.weir.arbiter.RequestTally;
import io.weir.rules.Ruling;
import org.jspecify.annotations.Nullable;

/**
 * Counts one request that several judges judge one after the other, by some of the rules each:
 * once, by what all of them said together.
 *
 * <p>A refusal is counted at once. A request that passes is counted by the last judge; one that
 * never meets it, such as a request that authentication turns away, is counted when it is over.
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

  /** A judge is asked, whose {@link #step} follows. */
  public synchronized void ask() {
    open++;
  }

  /**
   * A judge has said what is to be done.
   *
   * @param isLast whether no other judge is asked of this request
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
      isCounted = true; // it was decided by no rule
    }
  }

  /** The request is over, as far as whoever judged it first can tell. */
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
