package io.weir.server.connection;

import org.jspecify.annotations.Nullable;

/**
 * A message that is not complete yet, with a timeout and a share in a memory budget. Confined to
 * the event loop on which it began.
 */
public abstract class PartialMessage extends TimeoutSweeper.Watched {
  /** Why the rest is not awaited. */
  public enum AbortReason {
    /** The timeout expired. */
    SLOW,
    /** All incomplete messages together exceed the memory budget. */
    CROWDED,
    /** Its client address has begun too many others since. */
    DISPLACED
  }

  private final MemoryBudget all;
  private final long timeoutMillis;
  private @Nullable TimeoutSweeper timeoutSweeper; // while it is open
  private long roundsLeft;
  private long counted;

  /**
   * Not begun yet.
   *
   * @param all the memory budget
   */
  public PartialMessage(MemoryBudget all, long timeoutMillis) {
    this.all = all;
    this.timeoutMillis = timeoutMillis;
  }

  /** Starts the timeout; called on an event loop. */
  public void begin() {
    if (timeoutSweeper == null) {
      roundsLeft = rounds(timeoutMillis);
      timeoutSweeper = TimeoutSweeper.here();
      timeoutSweeper.add(this);
    }
  }

  /** Whether it has begun and is not complete. */
  public boolean isOpen() {
    return timeoutSweeper != null;
  }

  /** Sets the number of bytes that are buffered for it. */
  public void keeps(long now) {
    if (timeoutSweeper == null) {
      return;
    }
    if (now < counted) {
      all.release(counted - now);
    } else if (now > counted && !all.keep(now - counted)) {
      end();
      giveUp(AbortReason.CROWDED);
      return;
    }
    counted = now;
  }

  @Override
  public void look() {
    if (--roundsLeft == 0) {
      end();
      giveUp(AbortReason.SLOW);
    }
  }

  /**
   * Called at most once, after the timeout or the budget ended the message; its bytes are freed.
   */
  public abstract void giveUp(AbortReason why);

  /** Ends it, because it is complete or no longer needed; frees its bytes. */
  public void end() {
    if (timeoutSweeper != null) {
      timeoutSweeper.remove(this);
      timeoutSweeper = null;
      if (counted > 0) {
        all.release(counted);
        counted = 0;
      }
    }
  }
}
