package io.weir.redis;

import io.netty.util.concurrent.EventExecutor;
import io.weir.redis.RedisFailure.Kind;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection that reconnects: when its {@link RespConnection} is gone, it dials again.
 *
 * <p>The first attempt is immediate, then after 50 ms and twice as long after each failure, up to
 * half a second. Each delay varies by up to a fifth, so that nodes do not reconnect at the same
 * time.
 */
// Netty's futures are ignored where their failure also comes as an event.
@SuppressWarnings("FutureReturnValueIgnored")
final class ReconnectingConnection {
  private static final long FIRST_WAIT_MILLIS = 50;
  private static final long MAX_WAIT_MILLIS = 500;

  /** After a connection that lasted this long, the next is dialed at once. */
  private static final long GOOD_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The user of the connection. */
  interface Owner {
    void up(ReconnectingConnection reconnectingConnection);

    void down(ReconnectingConnection reconnectingConnection, RedisFailure why);

    boolean detour(RespConnection respConnection, ScriptCall scriptCall, ErrorReply error);

    /** Receives a message; returns whether it was subscribed to. */
    default boolean message(@Nullable Object message) {
      return false;
    }
  }

  private final EventExecutor taskExecutor;
  private final Supplier<CompletionStage<RespConnection>> dial;
  private final Owner owner;
  private volatile @Nullable RespConnection respConnection;
  private volatile RedisFailure down;

  // From here on: only used by the task thread.
  private int failures;
  private long upSince;
  private boolean closed;

  ReconnectingConnection(
      EventExecutor taskExecutor,
      String server,
      Supplier<CompletionStage<RespConnection>> dial,
      Owner owner) {
    this.taskExecutor = taskExecutor;
    this.dial = dial;
    this.owner = owner;
    this.down = new RedisFailure(Kind.DISCONNECTED, "not yet connected to " + server);
  }

  void open() {
    taskExecutor.execute(this::dial);
  }

  boolean isUp() {
    return respConnection != null;
  }

  /** The connection; null if there is none. */
  @Nullable RespConnection respConnection() {
    return respConnection;
  }

  /** Why there is no connection. */
  RedisFailure down() {
    return down;
  }

  /** Drops the current connection, if any, and makes a new one. */
  void replace(RedisFailure why) {
    RespConnection current = respConnection;
    if (current != null) {
      current.close(why);
    }
  }

  void close() {
    RedisFailure why = new RedisFailure(Kind.DISCONNECTED, "closed");
    replace(why);
    inTaskExecutor(
        () -> {
          closed = true;
          replace(why); // it was dialed just before
        });
  }

  private void dial() {
    if (closed) {
      return;
    }
    CompletionStage<RespConnection> dialed;
    try {
      dialed = dial.get();
    } catch (RuntimeException e) {
      failed(new RedisFailure(Kind.DISCONNECTED, String.valueOf(e.getMessage())));
      return;
    }
    dialed.whenComplete(
        (made, error) ->
            inTaskExecutor(
                () -> {
                  if (error != null) {
                    failed(RedisConnector.failure("Redis", error));
                  } else {
                    connected(made);
                  }
                }));
  }

  private void failed(RedisFailure why) {
    down = why;
    if (!closed) {
      owner.down(this, why);
      redial();
    }
  }

  private void connected(RespConnection made) {
    if (closed) {
      made.close(new RedisFailure(Kind.DISCONNECTED, "closed"));
      return;
    }
    upSince = System.nanoTime();
    respConnection = made;
    made.owner(new Keeper());
    owner.up(this);
  }

  private void inTaskExecutor(Runnable task) {
    try {
      taskExecutor.execute(task);
    } catch (RejectedExecutionException e) {
      // The dialer is closed.
    }
  }

  private void redial() {
    long wait = failures == 0 ? 0 : FIRST_WAIT_MILLIS << Math.min(failures - 1, 10);
    wait = Math.min(wait, MAX_WAIT_MILLIS);
    failures++;
    if (wait == 0) {
      taskExecutor.execute(this::dial);
      return;
    }
    long fifth = wait / 5;
    wait += ThreadLocalRandom.current().nextLong(-fifth, fifth + 1);
    taskExecutor.schedule(this::dial, wait, TimeUnit.MILLISECONDS);
  }

  /** Receives the events of the current connection. */
  private final class Keeper implements RespConnection.Owner {
    @Override
    public boolean detour(RespConnection of, ScriptCall scriptCall, ErrorReply error) {
      return owner.detour(of, scriptCall, error);
    }

    @Override
    public boolean message(@Nullable Object message) {
      return owner.message(message);
    }

    @Override
    public void closed(RespConnection gone, RedisFailure why) {
      // At once, on the I/O thread, so that the next call is not sent to a dead connection.
      down = why;
      respConnection = null;
      inTaskExecutor(
          () -> {
            if (System.nanoTime() - upSince >= GOOD_NANOS) {
              failures = 0;
            }
            failed(why);
          });
    }
  }
}
