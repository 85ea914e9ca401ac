package io.weir.bench.service;

import io.weir.bench.program.RedisServer;
import io.weir.bench.program.RunningProgram;
import io.weir.bench.server.Launcher;
import io.weir.bench.server.ServerProcess;
import io.weir.bench.server.WeirProgram;
import io.weir.bench.service.floor.BareResponse;
import io.weir.bench.service.floor.EmptyService;
import io.weir.bench.service.floor.PlainHttp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Starts the servers under test. */
final class Servers {
  private final Path jar;
  private final WeirProgram weir;
  private final Launcher launcher;

  /**
   * @param jar of Weir
   */
  Servers(Path jar, Launcher launcher) {
    this.jar = jar;
    this.weir = new WeirProgram(jar, launcher);
    this.launcher = launcher;
  }

  ServerProcess emptyService() throws IOException {
    return floor(EmptyService.class);
  }

  ServerProcess bareResponse() throws IOException {
    return floor(BareResponse.class);
  }

  ServerProcess plainHttp() throws IOException {
    return floor(PlainHttp.class);
  }

  /** With Weir's jar first on the class path, for the same Vert.x and Netty. */
  private ServerProcess floor(Class<?> main) throws IOException {
    int port = RunningProgram.freePort();
    String path = jar + ":" + System.getProperty("java.class.path");
    return launcher.jvm(
        main.getSimpleName(),
        RunningProgram.newDirectory("floor"),
        List.of("-cp", path, main.getName(), "" + port),
        port,
        Optional.empty());
  }

  /** Weir with its memory store. */
  ServerProcess weir(String rules) throws IOException {
    return weir.service(rules);
  }

  /** Weir with a Redis. */
  ServerProcess weirOnRedis(String rules) throws IOException {
    return weir.serviceOnRedis(rules);
  }

  /** envoyproxy/ratelimit with a Redis; its statistics are kept and not sent. */
  ServerProcess ratelimit(Path program) throws IOException {
    RedisServer redis = launcher.redis();
    Path directory = RunningProgram.newDirectory("ratelimit");
    Path config = Files.createDirectories(directory.resolve("ratelimit/config"));
    Files.writeString(config.resolve("bench.yaml"), Rules.envoy());
    int port = RunningProgram.freePort();
    Map<String, String> environment =
        Map.ofEntries(
            Map.entry("RUNTIME_ROOT", directory.toString()),
            Map.entry("RUNTIME_SUBDIRECTORY", "ratelimit"),
            Map.entry("RUNTIME_WATCH_ROOT", "false"),
            Map.entry("USE_STATSD", "false"),
            Map.entry("LOG_LEVEL", "error"),
            Map.entry("BACKEND_TYPE", "redis"),
            Map.entry("REDIS_SOCKET_TYPE", "tcp"),
            Map.entry("REDIS_PIPELINE_WINDOW", "150us"), // as its documentation advises
            Map.entry("REDIS_URL", "127.0.0.1:" + redis.port()),
            Map.entry("HOST", "127.0.0.1"),
            Map.entry("PORT", "" + RunningProgram.freePort()),
            Map.entry("GRPC_HOST", "127.0.0.1"),
            Map.entry("GRPC_PORT", "" + port),
            Map.entry("DEBUG_HOST", "127.0.0.1"),
            Map.entry("DEBUG_PORT", "" + RunningProgram.freePort()));
    return launcher.pinned(
        "envoyproxy/ratelimit",
        directory,
        environment,
        List.of(program.toString()),
        port,
        Optional.of(redis));
  }

  /** Gubernator, as a cluster of one node: without a cluster it has no peer to use. */
  ServerProcess gubernator(Path program) throws IOException {
    int port = RunningProgram.freePort();
    String address = "127.0.0.1:" + port;
    String gossip = "127.0.0.1:" + RunningProgram.freePort();
    return launcher.pinned(
        "Gubernator",
        RunningProgram.newDirectory("gubernator"),
        Map.of(
            "GUBER_GRPC_ADDRESS",
            address,
            "GUBER_ADVERTISE_ADDRESS",
            address,
            "GUBER_HTTP_ADDRESS",
            "127.0.0.1:" + RunningProgram.freePort(),
            "GUBER_PEER_DISCOVERY_TYPE",
            "member-list",
            "GUBER_MEMBERLIST_ADDRESS",
            gossip,
            "GUBER_MEMBERLIST_BIND_ADDRESS",
            gossip,
            "GUBER_MEMBERLIST_KNOWN_NODES",
            gossip,
            "OTEL_TRACES_EXPORTER",
            "none", // there is no trace collector
            "OTEL_TRACES_SAMPLER",
            "always_off",
            "GUBER_LOG_LEVEL",
            "error"),
        List.of(program.toString()),
        port,
        Optional.empty());
  }

  /** Limitador with its memory store. */
  ServerProcess limitador(Path program, int descriptors) throws IOException {
    return limitador(program, descriptors, List.of("memory"), Optional.empty());
  }

  /** Limitador with a Redis. */
  ServerProcess limitadorOnRedis(Path program, int descriptors) throws IOException {
    RedisServer redis = launcher.redis();
    List<String> storage = List.of("redis", "redis://127.0.0.1:" + redis.port());
    return limitador(program, descriptors, storage, Optional.of(redis));
  }

  private ServerProcess limitador(
      Path program, int descriptors, List<String> storage, Optional<RedisServer> redis)
      throws IOException {
    Path directory = RunningProgram.newDirectory("limitador");
    Path file = Files.writeString(directory.resolve("limits.yaml"), Rules.limitador(descriptors));
    int port = RunningProgram.freePort();
    List<String> command =
        new ArrayList<>(
            List.of(
                program.toString(),
                "--rls-ip",
                "127.0.0.1",
                "--rls-port",
                "" + port,
                "--http-ip",
                "127.0.0.1",
                "--http-port",
                "" + RunningProgram.freePort(),
                file.toString()));
    command.addAll(storage);
    return launcher.pinned("Limitador", directory, Map.of(), command, port, redis);
  }
}
