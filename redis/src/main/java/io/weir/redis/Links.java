package io.weir.redis;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Opens the link that fits the settings. */
final class Links {
  private Links() {}

  /**
   * Opens a link and begins to connect; does not wait for it.
   *
   * @param scripts those in use, loaded at each connection
   * @param gates makes the gates of the shards
   * @param reports told of each server that we connect to; must not block
   * @throws IllegalArgumentException if a file that the settings name cannot be used
   */
  static Link open(
      RedisSettings settings,
      Supplier<List<Script>> scripts,
      Gate.Factory gates,
      Consumer<ServerReport> reports) {
    Dialer dialer = new Dialer(settings, scripts, reports);
    return switch (settings.topology()) {
      case SINGLE, SOCKET, SENTINEL -> new PrimaryLink(settings, dialer, gates);
      case CLUSTER -> new ClusterLink(settings, dialer, gates);
    };
  }
}
