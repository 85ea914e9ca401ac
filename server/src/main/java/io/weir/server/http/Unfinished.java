package io.weir.server.http;

import org.jspecify.annotations.Nullable;

/**
 * A message that is not complete yet, with a timeout and a share in a memory budget. Confined to
 * the event loop on which it began.
 */
public abstract class Unfinished extends Lookout.Watched {
  /** Why the rest is not awaited. */
  public enum Trouble {
    /** The timeout expired. */
    SLOW,
    /** All incomplete messages together exceed the memory budget. */
    CROWDED
  }

  private final KeptBytes all;
  private final long patienceMillis;
  private @Nullable Lookout lookout; // while it is open
  private long roundsLeft;
  private long counted;

  /**
   * Not begun yet.
   *
   * @param all the memory budget
   */
  protected Unfinished(KeptBytes all, long patienceMillis) {
    this.all = all;
    this.patienceMillis = patienceMillis;
  }

  /** Starts the timeout; called on an event loop. */
  public void begin() {
    if (lookout == null) {
      roundsLeft = rounds(patienceMillis);
      lookout = Lookout.here();
      lookout.add(this);
    }
  }

  /** Whether it has begun and is not complete. */
  public boolean isOpen() {
    return lookout != null;
  }

  /** Sets the number of bytes that are buffered for it. */
  public void keeps(long now) {
    if (lookout == null) {
      return;
    }
    if (now < counted) {
      all.release(counted - now);
    } else if (now > counted && !all.keep(now - counted)) {
      end();
      giveUp(Trouble.CROWDED);
      return;
    }
    counted = now;
  }

  @Override
  protected void look(long nanos) {
    if (--roundsLeft == 0) {
      end();
      giveUp(Trouble.SLOW);
    }
  }

  /**
   * Called at most once, after the timeout or the budget ended the message; its bytes are freed.
   */
  protected abstract void giveUp(Trouble why);

  /** Ends it, because it is complete or no longer needed; frees its bytes. */
  public void end() {
    if (lookout != null) {
      lookout.remove(this);
      lookout = null;
      if (counted > 0) {
        all.release(counted);
        counted = 0;
      }
    }
  }
}
