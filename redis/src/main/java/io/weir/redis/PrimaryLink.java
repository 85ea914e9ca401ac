package io.weir.redis;

import io.weir.redis.RedisSettings.Topology;
import java.util.function.Function;

/** The way to one primary: by its address, by its Unix socket, or as the sentinels tell. */
final class PrimaryLink implements Link {
  private final Dialer dialer;
  private final Shard shard;

  PrimaryLink(RedisSettings settings, Dialer dialer, Function<String, Gate> gates) {
    this.dialer = dialer;
    String name =
        settings.topology() == Topology.SOCKET
            ? settings.socket().orElseThrow().toString()
            : settings.nodes().get(0).toString();
    this.shard =
        new Shard(
            name,
            gates.apply(name),
            dialer,
            settings.connections(),
            () -> dialer.dial(settings.nodes().isEmpty() ? null : settings.nodes().get(0)),
            Shard.Detour.NONE);
    shard.open();
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
  public void suspect(byte[] key) {
    shard.suspect();
  }

  @Override
  public void close() {
    shard.close();
    dialer.close();
  }
}
