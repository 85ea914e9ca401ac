package io.weir.bench.service;

import io.weir.bench.program.Cores;
import io.weir.bench.program.Programs;
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

/** Starts what is to be measured. */
final class Servers {
  /** Of Weir and of the empty services alike. */
  private static final List<String> JVM_FLAGS = List.of("-Xms512m", "-Xmx512m", "-XX:+UseG1GC");

  private final Path weir;
  private final Cores cores;
  private final Optional<Path> flights;
  private String redisVersion = "";

  /**
   * @param weir its jar
   * @param flights where JVMs leave flight recordings, if anywhere
   */
  Servers(Path weir, Cores cores, Optional<Path> flights) {
    this.weir = weir;
    this.cores = cores;
    this.flights = flights;
  }

  /** The version of Redis, once there was one. */
  String redisVersion() {
    return redisVersion;
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

  /** With Weir's jar first: the very same Vert.x and Netty. */
  private Service floor(Class<?> main) throws IOException {
    int port = Running.freePort();
    List<String> command = java();
    command.addAll(
        List.of(
            "-cp", weir + ":" + System.getProperty("java.class.path"), main.getName(), "" + port));
    Path directory = Running.newDirectory("floor");
    Running running = Running.start(main.getSimpleName(), directory, Map.of(), command);
    return new Service(running, port, true, Optional.empty())
        .recorded(flight(main.getSimpleName()));
  }

  /** Weir with its memory store. */
  Service weir(String rules) throws IOException {
    return weir(rules, "memory", Optional.empty());
  }

  /** Weir with a Redis. */
  Service weirOnRedis(String rules) throws IOException {
    RedisServer redis = redis();
    return weir(rules, "redis://127.0.0.1:" + redis.port(), Optional.of(redis));
  }

  private Service weir(String rules, String store, Optional<RedisServer> redis) throws IOException {
    Path directory = Running.newDirectory("weir");
    Path file = Files.writeString(directory.resolve("rules.yaml"), rules);
    int port = Running.freePort();
    List<String> command = java();
    command.addAll(
        List.of(
            "-jar",
            weir.toString(),
            "serve",
            "--rules",
            file.toString(),
            "--store",
            store,
            "--store-timeout",
            "1s", // peers wait even longer; what is not answered in time would be allowed unasked
            "--service-port",
            "" + port,
            "--gateway-port",
            "" + Running.freePort(),
            "--admin-port",
            "" + Running.freePort()));
    return new Service(Running.start("weir", directory, Map.of(), command), port, true, redis)
        .recorded(flight("weir-" + port));
  }

  private List<String> java() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JVM_FLAGS);
    command.add("--enable-native-access=ALL-UNNAMED");
    if (Runtime.version().feature() >= 23) {
      command.add("--sun-misc-unsafe-memory-access=allow");
    }
    if (flights.isPresent()) {
      command.add("-XX:StartFlightRecording:settings=profile");
    }
    return command;
  }

  /** Where a recording goes. */
  private Optional<Path> flight(String name) {
    return flights.map(directory -> directory.toAbsolutePath().resolve(name + ".jfr"));
  }

  /** envoyproxy/ratelimit with a Redis; its statistics are kept and not sent. */
  Service ratelimit(Path program) throws IOException {
    RedisServer redis = redis();
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
    return pinned(
        "envoyproxy/ratelimit",
        directory,
        environment,
        List.of(program.toString()),
        port,
        Optional.of(redis));
  }

  /** Gubernator, a cluster of one node: without a cluster it knows nobody to ask. */
  Service gubernator(Path program) throws IOException {
    int port = Running.freePort();
    String address = "127.0.0.1:" + port;
    String gossip = "127.0.0.1:" + Running.freePort();
    return pinned(
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
            "none", // it would trace to nobody
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
    RedisServer redis = redis();
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
    return pinned("Limitador", directory, Map.of(), command, port, redis);
  }

  private Service pinned(
      String name,
      Path directory,
      Map<String, String> environment,
      List<String> command,
      int port,
      Optional<RedisServer> redis)
      throws IOException {
    Running running = Running.start(name, directory, environment, cores.atServer(command));
    return new Service(running, port, false, redis);
  }

  private RedisServer redis() throws IOException {
    RedisServer redis = new RedisServer(Programs.redisServer(), cores::atStore);
    redisVersion = redis.version();
    return redis;
  }
}
