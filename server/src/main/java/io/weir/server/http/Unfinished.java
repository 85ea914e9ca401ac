package io.weir.server.http;

import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Something that somebody has begun to send and not ended: what is kept of it is counted, and it is
 * waited for only so long.
 *
 * <p>Most bodies come whole with their head. So nothing is counted or timed before the event loop
 * has handed on everything that it has read: what has ended by then costs next to nothing.
 */
public final class Unfinished implements Handler<Void> {
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
  private @Nullable Vertx vertx; // while it is counted and timed
  private long timer;
  private long bytes;
  private long counted;
  private boolean isOpen;
  private boolean isLookedAfter;

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
    isOpen = true;
    Context context = Vertx.currentContext();
    if (!isLookedAfter && context != null) {
      isLookedAfter = true;
      context.runOnContext(this);
    }
  }

  /** Whether it has begun and not ended. */
  public boolean isOpen() {
    return isOpen;
  }

  /** Everything is handed on that was read together with its beginning. */
  @Override
  public void handle(Void nothing) {
    isLookedAfter = false;
    if (isOpen && vertx == null) {
      vertx = Vertx.currentContext().owner();
      timer = vertx.setTimer(Math.max(1, patienceMillis), late -> giveUp(Trouble.SLOW));
      count();
    }
  }

  /** So many bytes are kept of it now. */
  public void keeps(long now) {
    bytes = now;
    if (vertx != null) {
      count();
    }
  }

  private void count() {
    if (bytes < counted) {
      all.release(counted - bytes);
    } else if (bytes > counted && !all.keep(bytes - counted)) {
      giveUp(Trouble.CROWDED);
      return;
    }
    counted = bytes;
  }

  private void giveUp(Trouble why) {
    end();
    giveUp.accept(why);
  }

  /** It is whole, or nobody wants it any more. */
  public void end() {
    isOpen = false;
    bytes = 0;
    if (vertx != null) {
      vertx.cancelTimer(timer);
      vertx = null;
      all.release(counted);
      counted = 0;
    }
  }
}
