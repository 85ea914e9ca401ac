package io.weir.server.http;

import org.jspecify.annotations.Nullable;

/**
 * Something that somebody has begun to send and not ended: what is kept of it is counted, and it is
 * waited for only so long. It belongs to the event loop that it was begun on.
 */
public abstract class Unfinished extends Lookout.Watched {
  /** Why nobody waits for the rest. */
  public enum Trouble {
    /** It does not come in time. */
    SLOW,
    /** All that have not ended are too much together. */
    CROWDED
  }

  private final KeptBytes all;
  private final long patienceMillis;
  private @Nullable Lookout lookout; // while it is open
  private long roundsLeft;
  private long counted;

  /**
   * Nothing so far.
   *
   * @param all what it is counted among
   */
  protected Unfinished(KeptBytes all, long patienceMillis) {
    this.all = all;
    this.patienceMillis = patienceMillis;
  }

  /** It begins; on an event loop. */
  public void begin() {
    if (lookout == null) {
      roundsLeft = rounds(patienceMillis);
      lookout = Lookout.here();
      lookout.add(this);
    }
  }

  /** Whether it has begun and not ended. */
  public boolean isOpen() {
    return lookout != null;
  }

  /** So many bytes are kept of it now. */
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

  /** Waits no longer; is called once, and nothing is counted any more then. */
  protected abstract void giveUp(Trouble why);

  /** It is whole, or nobody wants it any more. */
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
