package io.weir.redis;

import io.weir.redis.RedisFailure.Kind;
import io.weir.redis.RedisSettings.Node;
import io.weir.redis.RedisSettings.Topology;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The transport to one primary: by its address, by its Unix socket, or through sentinels. */
// Netty's futures are ignored where a failure needs no action.
@SuppressWarnings("FutureReturnValueIgnored")
final class PrimaryTransport implements RedisTransport {
  private static final int LOOK_SECONDS = 5;

  private final RedisConnector redisConnector;
  private final Shard shard;
  private final @Nullable ReconnectingConnection watch;

  PrimaryTransport(
      RedisSettings settings, RedisConnector redisConnector, CircuitBreaker.Factory breakers) {
    this.redisConnector = redisConnector;
    int connections = settings.connections();
    byte[] probed = (settings.prefix() + ":probe").getBytes(StandardCharsets.UTF_8);
    if (settings.topology() == Topology.SENTINEL) {
      String name = settings.master();
      Sentinels sentinels = new Sentinels(redisConnector, settings.nodes(), name);
      shard =
          new Shard(
              name,
              breakers.create(name, () -> probed),
              redisConnector.taskExecutor(),
              connections,
              sentinels::dialPrimary,
              PrimaryTransport::explain);
      FailoverWatch owner = new FailoverWatch(sentinels, shard);
      watch =
          new ReconnectingConnection(
              redisConnector.taskExecutor(), "a sentinel", sentinels::dialWatch, owner);
      watch.open();
      // A half-open connection to a sentinel delivers no messages.
      redisConnector
          .taskExecutor()
          .scheduleWithFixedDelay(owner::look, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
    } else {
      Node node = settings.nodes().isEmpty() ? null : settings.nodes().get(0);
      String name = node == null ? settings.socket().orElseThrow().toString() : node.toString();
      shard =
          new Shard(
              name,
              breakers.create(name, () -> probed),
              redisConnector.taskExecutor(),
              connections,
              () -> redisConnector.dial(node),
              PrimaryTransport::explain);
      watch = null;
    }
    shard.open();
  }

  private static boolean explain(
      RespConnection respConnection, ScriptCall scriptCall, ErrorReply error) {
    if (!error.is("MOVED") && !error.is("ASK")) {
      return false;
    }
    String why =
        respConnection.server() + " is a node of a cluster; use redis-cluster:// (" + error.text();
    scriptCall.fail(new RedisFailure(Kind.OTHER, why + ")"));
    return true;
  }

  /**
   * Leaves a primary when the sentinels have promoted another. A primary that is cut off from them,
   * but not from us, would accept our calls and lose them.
   */
  private record FailoverWatch(Sentinels sentinels, Shard shard)
      implements ReconnectingConnection.Owner {
    /** Fetches changes that were announced while there was no connection. */
    @Override
    public void up(ReconnectingConnection reconnectingConnection) {
      look();
    }

    @Override
    public void down(ReconnectingConnection reconnectingConnection, RedisFailure why) {}

    @Override
    public boolean detour(RespConnection respConnection, ScriptCall scriptCall, ErrorReply error) {
      return false;
    }

    @Override
    public boolean message(@Nullable Object message) {
      Node primary = sentinels.switched(message);
      if (primary != null) {
        follow(primary);
      }
      return true;
    }

    void look() {
      sentinels
          .primary()
          .whenComplete(
              (primary, error) -> {
                if (error == null) {
                  follow(primary);
                }
              });
    }

    private void follow(Node primary) {
      shard.leaveAllBut(
          primary.toString(), new RedisFailure(Kind.READ_ONLY, primary + " is the primary now"));
    }
  }

  @Override
  public void send(ScriptCall scriptCall) {
    shard.send(scriptCall);
  }

  @Override
  public CircuitBreaker breaker(byte[] key) {
    return shard.circuitBreaker();
  }

  @Override
  public void look() {
    shard.respConnections().forEach(redisConnector::look);
  }

  @Override
  public boolean isThisThread() {
    return redisConnector.isThisThread();
  }

  @Override
  public void suspect(byte[] key) {
    shard.suspect();
  }

  @Override
  public void close() {
    shard.close();
    if (watch != null) {
      watch.close();
    }
    redisConnector.close();
  }
}
