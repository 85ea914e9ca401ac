package io.weir.redis;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Opens the link for the settings. */
final class Links {
  private Links() {}

  /** A link that releases replies as they arrive. */
  static Link open(
      RedisSettings settings,
      Supplier<List<Script>> scripts,
      Gate.Factory gates,
      Consumer<ServerReport> reports) {
    return open(settings, scripts, gates, reports, () -> null);
  }

  /**
   * Opens a link and starts to connect, without waiting for it.
   *
   * @param scripts the scripts in use, loaded on each connection
   * @param gates creates the gates of the shards
   * @param reports receives a report of each connected server; must not block
   * @param acknowledgements creates those of a connection, if replies must wait for any
   * @throws IllegalArgumentException if a file in the settings cannot be used
   */
  static Link open(
      RedisSettings settings,
      Supplier<List<Script>> scripts,
      Gate.Factory gates,
      Consumer<ServerReport> reports,
      Supplier<@Nullable Acknowledgements> acknowledgements) {
    Dialer dialer = new Dialer(settings, scripts, reports, acknowledgements);
    return switch (settings.topology()) {
      case SINGLE, SOCKET, SENTINEL -> new PrimaryLink(settings, dialer, gates);
      case CLUSTER -> new ClusterLink(settings, dialer, gates);
    };
  }
}
