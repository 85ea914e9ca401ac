package io.weir.server.http;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Something that somebody has begun to send and not ended: what is kept of it is counted, and it is
 * waited for only so long. It belongs to the event loop that it was begun on.
 */
public final class Unfinished {
  /** Why nobody waits for the rest. */
  public enum Trouble {
    /** It does not come in time. */
    SLOW,
    /** All that have not ended are too much together. */
    CROWDED
  }

  private final HalfSent all;
  private final long patienceMillis;
  private final Consumer<Trouble> giveUp;
  private @Nullable Lookout lookout; // while it is open
  private @Nullable Context context;
  private long counted;

  // The lookout's: its neighbours there, and the round in which it is late.
  @Nullable Unfinished before;
  @Nullable Unfinished after;
  long due;

  /**
   * Nothing so far.
   *
   * @param all what it is counted among
   * @param giveUp is told once why, and nothing is counted any more then
   */
  public Unfinished(HalfSent all, long patienceMillis, Consumer<Trouble> giveUp) {
    this.all = all;
    this.patienceMillis = patienceMillis;
    this.giveUp = giveUp;
  }

  /** It begins; on an event loop. */
  public void begin() {
    if (lookout == null) {
      context = Vertx.currentContext();
      lookout = Lookout.here();
      lookout.watch(this, patienceMillis);
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
      giveUp(Trouble.CROWDED);
      return;
    }
    counted = now;
  }

  /** It has not come in time. */
  void isLate() {
    if (context != null) {
      context.runOnContext(
          now -> {
            if (isOpen()) {
              giveUp(Trouble.SLOW);
            }
          });
    }
  }

  private void giveUp(Trouble why) {
    end();
    giveUp.accept(why);
  }

  /** It is whole, or nobody wants it any more. */
  public void end() {
    if (lookout != null) {
      lookout.forget(this);
      lookout = null;
      if (counted > 0) {
        all.release(counted);
        counted = 0;
      }
    }
  }
}
