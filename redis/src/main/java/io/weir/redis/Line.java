package io.weir.redis;

import io.netty.util.concurrent.EventExecutor;
import io.weir.redis.Failure.Kind;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection that comes back: when its {@link Wire} is gone, it dials again.
 *
 * <p>At once for the first time, then after 50 ms and twice as long after each failure, up to half
 * a second, each time up to a fifth more or less so that nodes do not come all together.
 */
// Netty's futures are ignored where their failure also comes as an event.
@SuppressWarnings("FutureReturnValueIgnored")
final class Line {
  private static final long FIRST_WAIT_MILLIS = 50;
  private static final long LONGEST_WAIT_MILLIS = 500;

  /** A connection that lasted this long was a good one: the next is dialled at once. */
  private static final long GOOD_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Who uses the line. */
  interface Owner {
    void up(Line line);

    void down(Line line, Failure why);

    boolean detour(Wire wire, Call call, ErrorReply error);

    /** A message; answers whether it was subscribed to. */
    default boolean message(@Nullable Object message) {
      return false;
    }
  }

  private final EventExecutor clerk;
  private final Supplier<CompletionStage<Wire>> dial;
  private final Owner owner;
  private volatile @Nullable Wire wire;
  private volatile Failure down;

  // From here on: of the clerk alone.
  private int failures;
  private long upSince;
  private boolean closed;

  Line(EventExecutor clerk, String server, Supplier<CompletionStage<Wire>> dial, Owner owner) {
    this.clerk = clerk;
    this.dial = dial;
    this.owner = owner;
    this.down = new Failure(Kind.DISCONNECTED, "not yet connected to " + server);
  }

  void open() {
    clerk.execute(this::dial);
  }

  boolean isUp() {
    return wire != null;
  }

  /** The connection, if there is one. */
  @Nullable Wire wire() {
    return wire;
  }

  /** Why there is none. */
  Failure down() {
    return down;
  }

  /** Gives up the connection that there is, if any, and makes a new one. */
  void replace(Failure why) {
    Wire current = wire;
    if (current != null) {
      current.close(why);
    }
  }

  void close() {
    Failure why = new Failure(Kind.DISCONNECTED, "closed");
    replace(why);
    inClerk(
        () -> {
          closed = true;
          replace(why); // what was dialed just before
        });
  }

  private void dial() {
    if (closed) {
      return;
    }
    CompletionStage<Wire> dialed;
    try {
      dialed = dial.get();
    } catch (RuntimeException e) {
      failed(new Failure(Kind.DISCONNECTED, String.valueOf(e.getMessage())));
      return;
    }
    dialed.whenComplete(
        (made, error) ->
            inClerk(
                () -> {
                  if (error != null) {
                    failed(Dialer.failure("Redis", error));
                  } else {
                    connected(made);
                  }
                }));
  }

  private void failed(Failure why) {
    down = why;
    if (!closed) {
      owner.down(this, why);
      redial();
    }
  }

  private void connected(Wire made) {
    if (closed) {
      made.close(new Failure(Kind.DISCONNECTED, "closed"));
      return;
    }
    upSince = System.nanoTime();
    wire = made;
    made.owner(new Keeper());
    owner.up(this);
  }

  private void inClerk(Runnable task) {
    try {
      clerk.execute(task);
    } catch (RejectedExecutionException e) {
      // All is closed.
    }
  }

  private void redial() {
    long wait = failures == 0 ? 0 : FIRST_WAIT_MILLIS << Math.min(failures - 1, 10);
    wait = Math.min(wait, LONGEST_WAIT_MILLIS);
    failures++;
    if (wait == 0) {
      clerk.execute(this::dial);
      return;
    }
    long fifth = wait / 5;
    wait += ThreadLocalRandom.current().nextLong(-fifth, fifth + 1);
    clerk.schedule(this::dial, wait, TimeUnit.MILLISECONDS);
  }

  /** Hears of the wire that is in use. */
  private final class Keeper implements Wire.Owner {
    @Override
    public boolean detour(Wire of, Call call, ErrorReply error) {
      return owner.detour(of, call, error);
    }

    @Override
    public boolean message(@Nullable Object message) {
      return owner.message(message);
    }

    @Override
    public void closed(Wire gone, Failure why) {
      // At once, on the I/O thread: the next call must not be sent into the void.
      down = why;
      wire = null;
      inClerk(
          () -> {
            if (System.nanoTime() - upSince >= GOOD_NANOS) {
              failures = 0;
            }
            failed(why);
          });
    }
  }
}
