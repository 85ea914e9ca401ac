package io.weir.redis;

import io.netty.util.concurrent.EventExecutor;
import io.weir.redis.RedisFailure.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One primary: its breaker and its connections.
 *
 * <p>With several connections a key stays on one of them, and uses another only while its own is
 * down. The breaker is notified of the first that comes up and of the last that goes down.
 */
final class Shard implements ReconnectingConnection.Owner {
  /** The other shards, if there are any. */
  interface OtherShards {
    /** Whether {@code scriptCall}, which this shard has rejected, is handled by another. */
    boolean take(RespConnection respConnection, ScriptCall scriptCall, ErrorReply error);

    /** This shard is reachable. */
    default void reached() {}

    /** This shard is unreachable. */
    default void lost(RedisFailure why) {}
  }

  /** A call that waits for the first connection. */
  private record QueuedCall(ScriptCall scriptCall, boolean asking) {}

  private static final int MAX_HELD = 1024;

  private final String name;
  private final CircuitBreaker circuitBreaker;
  private final OtherShards otherShards;
  private final EventExecutor taskExecutor;
  private final List<ReconnectingConnection> reconnectingConnections = new ArrayList<>();
  private final ReconnectingConnection first;
  private volatile long usedAt = System.nanoTime();

  // Only used by the task thread.
  private final Deque<QueuedCall> queuedCall = new ArrayDeque<>();
  private boolean hasFailed;

  Shard(
      String name,
      CircuitBreaker circuitBreaker,
      EventExecutor taskExecutor,
      int connections,
      Supplier<CompletionStage<RespConnection>> dial,
      OtherShards otherShards) {
    this.name = name;
    this.circuitBreaker = circuitBreaker;
    this.taskExecutor = taskExecutor;
    this.otherShards = otherShards;
    for (int i = 0; i < connections; i++) {
      reconnectingConnections.add(new ReconnectingConnection(taskExecutor, name, dial, this));
    }
    this.first = reconnectingConnections.get(0);
  }

  void open() {
    reconnectingConnections.forEach(ReconnectingConnection::open);
  }

  String name() {
    return name;
  }

  CircuitBreaker circuitBreaker() {
    return circuitBreaker;
  }

  void send(ScriptCall scriptCall) {
    RespConnection respConnection = wire(scriptCall.keys()[0]);
    if (respConnection == null) {
      scriptCall.fail(first.down());
    } else {
      respConnection.send(scriptCall);
    }
  }

  /** A connection for {@code key}, or any that is up; null if none is. */
  @Nullable RespConnection wire(byte[] key) {
    if (reconnectingConnections.size() == 1) {
      return first.respConnection();
    }
    int start = Math.floorMod(Arrays.hashCode(key), reconnectingConnections.size());
    for (int i = 0; i < reconnectingConnections.size(); i++) {
      RespConnection respConnection =
          reconnectingConnections
              .get((start + i) % reconnectingConnections.size())
              .respConnection();
      if (respConnection != null) {
        return respConnection;
      }
    }
    return null;
  }

  /** The connections that are up. */
  List<RespConnection> respConnections() {
    return reconnectingConnections.stream()
        .map(ReconnectingConnection::respConnection)
        .filter(Objects::nonNull)
        .toList();
  }

  /** Any connection that is up; null if none is. */
  @Nullable RespConnection respConnection() {
    return wire(new byte[0]);
  }

  /**
   * Sends a call that another node has redirected to this shard. A new node may not be connected
   * yet: its first calls wait for the connection, or until their deadline.
   */
  void sendWhenUp(ScriptCall scriptCall, boolean asking) {
    usedAt = System.nanoTime();
    RespConnection respConnection = wire(scriptCall.keys()[0]);
    if (respConnection != null) {
      send(respConnection, scriptCall, asking);
      return;
    }
    taskExecutor.execute(
        () -> {
          RespConnection now = wire(scriptCall.keys()[0]);
          if (now != null) {
            send(now, scriptCall, asking);
          } else if (hasFailed || queuedCall.size() >= MAX_HELD) {
            scriptCall.fail(first.down());
          } else {
            queuedCall.add(new QueuedCall(scriptCall, asking));
          }
        });
  }

  private static void send(RespConnection respConnection, ScriptCall scriptCall, boolean asking) {
    if (asking) {
      respConnection.sendAsking(scriptCall);
    } else {
      respConnection.send(scriptCall);
    }
  }

  /** It has slots. */
  void touch() {
    usedAt = System.nanoTime();
  }

  /** Whether it has had no slot, and no call from another node, for that long. */
  boolean isIdleFor(long nanos) {
    return System.nanoTime() - usedAt > nanos;
  }

  void suspect() {
    replace(new RedisFailure(Kind.TIMEOUT, name + " has not answered for long"));
  }

  void replace(RedisFailure why) {
    reconnectingConnections.forEach(reconnectingConnection -> reconnectingConnection.replace(why));
  }

  /** Drops connections to servers other than {@code server}. */
  void leaveAllBut(String server, RedisFailure why) {
    for (ReconnectingConnection reconnectingConnection : reconnectingConnections) {
      RespConnection respConnection = reconnectingConnection.respConnection();
      if (respConnection != null && !respConnection.server().equals(server)) {
        reconnectingConnection.replace(why);
      }
    }
  }

  void close() {
    reconnectingConnections.forEach(ReconnectingConnection::close);
  }

  @Override
  public void up(ReconnectingConnection reconnectingConnection) {
    hasFailed = false;
    if (reconnectingConnections.stream().filter(ReconnectingConnection::isUp).count() == 1) {
      circuitBreaker.connected();
    }
    for (QueuedCall next = queuedCall.poll(); next != null; next = queuedCall.poll()) {
      sendWhenUp(next.scriptCall, next.asking);
    }
    otherShards.reached();
  }

  @Override
  public void down(ReconnectingConnection reconnectingConnection, RedisFailure why) {
    if (reconnectingConnections.stream().noneMatch(ReconnectingConnection::isUp)) {
      hasFailed = true;
      circuitBreaker.disconnected(why);
      for (QueuedCall next = queuedCall.poll(); next != null; next = queuedCall.poll()) {
        next.scriptCall.fail(why);
      }
      otherShards.lost(why);
    }
  }

  @Override
  public boolean detour(RespConnection respConnection, ScriptCall scriptCall, ErrorReply error) {
    RedisFailure redisFailure = error.redisFailure();
    if (redisFailure.kind() == Kind.READ_ONLY) {
      // Another server is the primary now: the next dial looks it up.
      scriptCall.fail(redisFailure);
      replace(redisFailure);
      return true;
    }
    return otherShards.take(respConnection, scriptCall, error);
  }
}
