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
 * A connection that reconnects: when its {@link Wire} is gone, it dials again.
 *
 * <p>The first attempt is immediate, then after 50 ms and twice as long after each failure, up to
 * half a second. Each delay varies by up to a fifth, so that nodes do not reconnect at the same
 * time.
 */
// Netty's futures are ignored where their failure also comes as an event.
@SuppressWarnings("FutureReturnValueIgnored")
final class Line {
  private static final long FIRST_WAIT_MILLIS = 50;
  private static final long LONGEST_WAIT_MILLIS = 500;

  /** After a connection that lasted this long, the next is dialed at once. */
  private static final long GOOD_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The user of the line. */
  interface Owner {
    void up(Line line);

    void down(Line line, Failure why);

    boolean detour(Wire wire, Call call, ErrorReply error);

    /** Receives a message; returns whether it was subscribed to. */
    default boolean message(@Nullable Object message) {
      return false;
    }
  }

  private final EventExecutor clerk;
  private final Supplier<CompletionStage<Wire>> dial;
  private final Owner owner;
  private volatile @Nullable Wire wire;
  private volatile Failure down;

  // From here on: only used by the clerk thread.
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

  /** The connection; null if there is none. */
  @Nullable Wire wire() {
    return wire;
  }

  /** Why there is no connection. */
  Failure down() {
    return down;
  }

  /** Drops the current connection, if any, and makes a new one. */
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
          replace(why); // it was dialed just before
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
      // The dialer is closed.
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

  /** Receives the events of the current wire. */
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
      // At once, on the I/O thread, so that the next call is not sent to a dead connection.
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
