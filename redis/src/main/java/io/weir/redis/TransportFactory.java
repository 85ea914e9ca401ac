package io.weir.redis;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Opens the transport that the settings require. */
final class TransportFactory {
  private TransportFactory() {}

  /** A transport that releases replies as they arrive. */
  static RedisTransport open(
      RedisSettings settings,
      Supplier<List<Script>> scripts,
      CircuitBreaker.Factory breakers,
      Consumer<ServerReport> reports) {
    return open(settings, scripts, breakers, reports, () -> null);
  }

  /**
   * Opens a transport and starts to connect, without waiting for it.
   *
   * @param scripts the scripts in use, loaded on each connection
   * @param breakers creates the breakers of the shards
   * @param reports receives a report of each connected server; must not block
   * @param acknowledgements creates those of a connection, if replies must wait for any
   * @throws IllegalArgumentException if a file in the settings cannot be used
   */
  static RedisTransport open(
      RedisSettings settings,
      Supplier<List<Script>> scripts,
      CircuitBreaker.Factory breakers,
      Consumer<ServerReport> reports,
      Supplier<@Nullable Acknowledgements> acknowledgements) {
    RedisConnector redisConnector =
        new RedisConnector(settings, scripts, reports, acknowledgements);
    return switch (settings.topology()) {
      case SINGLE, SOCKET, SENTINEL -> new PrimaryTransport(settings, redisConnector, breakers);
      case CLUSTER -> new ClusterTransport(settings, redisConnector, breakers);
    };
  }
}
