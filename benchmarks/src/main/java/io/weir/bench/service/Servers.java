package io.weir.bench.service;

import io.weir.bench.contest.Launcher;
import io.weir.bench.contest.Service;
import io.weir.bench.contest.WeirProgram;
import io.weir.bench.program.RedisServer;
import io.weir.bench.program.Running;
import io.weir.bench.service.floor.BareAnswer;
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

  Service emptyService() throws IOException {
    return floor(EmptyService.class);
  }

  Service bareAnswer() throws IOException {
    return floor(BareAnswer.class);
  }

  Service plainHttp() throws IOException {
    return floor(PlainHttp.class);
  }

  /** With Weir's jar first on the class path, for the same Vert.x and Netty. */
  private Service floor(Class<?> main) throws IOException {
    int port = Running.freePort();
    String path = jar + ":" + System.getProperty("java.class.path");
    return launcher.jvm(
        main.getSimpleName(),
        Running.newDirectory("floor"),
        List.of("-cp", path, main.getName(), "" + port),
        port,
        Optional.empty());
  }

  /** Weir with its memory store. */
  Service weir(String rules) throws IOException {
    return weir.service(rules);
  }

  /** Weir with a Redis. */
  Service weirOnRedis(String rules) throws IOException {
    return weir.serviceOnRedis(rules);
  }

  /** envoyproxy/ratelimit with a Redis; its statistics are kept and not sent. */
  Service ratelimit(Path program) throws IOException {
    RedisServer redis = launcher.redis();
    Path directory = Running.newDirectory("ratelimit");
    Path config = Files.createDirectories(directory.resolve("ratelimit/config"));
    Files.writeString(config.resolve("bench.yaml"), Rules.envoy());
    int port = Running.freePort();
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
            Map.entry("PORT", "" + Running.freePort()),
            Map.entry("GRPC_HOST", "127.0.0.1"),
            Map.entry("GRPC_PORT", "" + port),
            Map.entry("DEBUG_HOST", "127.0.0.1"),
            Map.entry("DEBUG_PORT", "" + Running.freePort()));
    return launcher.pinned(
        "envoyproxy/ratelimit",
        directory,
        environment,
        List.of(program.toString()),
        port,
        Optional.of(redis));
  }

  /** Gubernator, as a cluster of one node: without a cluster it has no peer to use. */
  Service gubernator(Path program) throws IOException {
    int port = Running.freePort();
    String address = "127.0.0.1:" + port;
    String gossip = "127.0.0.1:" + Running.freePort();
    return launcher.pinned(
        "Gubernator",
        Running.newDirectory("gubernator"),
        Map.of(
            "GUBER_GRPC_ADDRESS",
            address,
            "GUBER_ADVERTISE_ADDRESS",
            address,
            "GUBER_HTTP_ADDRESS",
            "127.0.0.1:" + Running.freePort(),
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
  Service limitador(Path program, int descriptors) throws IOException {
    return limitador(program, descriptors, List.of("memory"), Optional.empty());
  }

  /** Limitador with a Redis. */
  Service limitadorOnRedis(Path program, int descriptors) throws IOException {
    RedisServer redis = launcher.redis();
    List<String> storage = List.of("redis", "redis://127.0.0.1:" + redis.port());
    return limitador(program, descriptors, storage, Optional.of(redis));
  }

  private Service limitador(
      Path program, int descriptors, List<String> storage, Optional<RedisServer> redis)
      throws IOException {
    Path directory = Running.newDirectory("limitador");
    Path file = Files.writeString(directory.resolve("limits.yaml"), Rules.limitador(descriptors));
    int port = Running.freePort();
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
                "" + Running.freePort(),
                file.toString()));
    command.addAll(storage);
    return launcher.pinned("Limitador", directory, Map.of(), command, port, redis);
  }
}
