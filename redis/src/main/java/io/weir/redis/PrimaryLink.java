package io.weir.redis;

import io.weir.redis.Failure.Kind;
import io.weir.redis.RedisSettings.Node;
import io.weir.redis.RedisSettings.Topology;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The link to one primary: by its address, by its Unix socket, or through sentinels. */
// Netty's futures are ignored where a failure needs no action.
@SuppressWarnings("FutureReturnValueIgnored")
final class PrimaryLink implements Link {
  private static final int LOOK_SECONDS = 5;

  private final Dialer dialer;
  private final Shard shard;
  private final @Nullable Line watch;

  PrimaryLink(RedisSettings settings, Dialer dialer, Gate.Factory gates) {
    this.dialer = dialer;
    int connections = settings.connections();
    byte[] probed = (settings.prefix() + ":probe").getBytes(StandardCharsets.UTF_8);
    if (settings.topology() == Topology.SENTINEL) {
      String name = settings.master();
      Sentinels sentinels = new Sentinels(dialer, settings.nodes(), name);
      shard =
          new Shard(
              name,
              gates.create(name, () -> probed),
              dialer.clerk(),
              connections,
              sentinels::dialPrimary,
              PrimaryLink::explain);
      Watch owner = new Watch(sentinels, shard);
      watch = new Line(dialer.clerk(), "a sentinel", sentinels::dialWatch, owner);
      watch.open();
      // A half-open connection to a sentinel delivers no messages.
      dialer
          .clerk()
          .scheduleWithFixedDelay(owner::look, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
    } else {
      Node node = settings.nodes().isEmpty() ? null : settings.nodes().get(0);
      String name = node == null ? settings.socket().orElseThrow().toString() : node.toString();
      shard =
          new Shard(
              name,
              gates.create(name, () -> probed),
              dialer.clerk(),
              connections,
              () -> dialer.dial(node),
              PrimaryLink::explain);
      watch = null;
    }
    shard.open();
  }

  private static boolean explain(Wire wire, Call call, ErrorReply error) {
    if (!error.is("MOVED") && !error.is("ASK")) {
      return false;
    }
    String why = wire.server() + " is a node of a cluster; use redis-cluster:// (" + error.text();
    call.fail(new Failure(Kind.OTHER, why + ")"));
    return true;
  }

  /**
   * Leaves a primary when the sentinels have promoted another. A primary that is cut off from them,
   * but not from us, would accept our calls and lose them.
   */
  private record Watch(Sentinels sentinels, Shard shard) implements Line.Owner {
    /** Fetches changes that were announced while there was no connection. */
    @Override
    public void up(Line line) {
      look();
    }

    @Override
    public void down(Line line, Failure why) {}

    @Override
    public boolean detour(Wire wire, Call call, ErrorReply error) {
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
          primary.toString(), new Failure(Kind.READ_ONLY, primary + " is the primary now"));
    }
  }

  @Override
  public void send(Call call) {
    shard.send(call);
  }

  @Override
  public Gate gate(byte[] key) {
    return shard.gate();
  }

  @Override
  public void look() {
    shard.wires().forEach(dialer::look);
  }

  @Override
  public boolean isThisThread() {
    return dialer.isThisThread();
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
    dialer.close();
  }
}
