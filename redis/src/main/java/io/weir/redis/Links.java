package io.weir.redis;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Opens the link that fits the settings. */
final class Links {
  private Links() {}

  /** A link whose replies are told as they come. */
  static Link open(
      RedisSettings settings,
      Supplier<List<Script>> scripts,
      Gate.Factory gates,
      Consumer<ServerReport> reports) {
    return open(settings, scripts, gates, reports, () -> null);
  }

  /**
   * Opens a link and begins to connect; does not wait for it.
   *
   * @param scripts those in use, loaded at each connection
   * @param gates makes the gates of the shards
   * @param reports told of each server that we connect to; must not block
   * @param acknowledgements those of a connection, if replies are to wait for any
   * @throws IllegalArgumentException if a file that the settings name cannot be used
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
