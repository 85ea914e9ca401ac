package io.weir.bench.server;

import io.weir.bench.program.Cores;
import io.weir.bench.program.Programs;
import io.weir.bench.program.RedisServer;
import io.weir.bench.program.RunningProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Starts servers: JVMs on all cores with the same flags, other programs on their core. */
public final class Launcher {
  /**
   * A JVM with one core chooses the serial collector. One that starts on all cores would choose
   * another collector, and its threads would wait for one another once the JVM is pinned to one
   * core.
   */
  private static final List<String> JVM_FLAGS = List.of("-Xms512m", "-Xmx512m", "-XX:+UseSerialGC");

  private final Cores cores;
  private final Optional<Path> flights;
  private String redisVersion = "";

  /**
   * Creates a launcher.
   *
   * @param flights the directory for JVMs' flight recordings, if any
   */
  public Launcher(Cores cores, Optional<Path> flights) {
    this.cores = cores;
    this.flights = flights;
  }

  /**
   * A JVM that listens on this port.
   *
   * @param words the arguments after the flags
   */
  public ServerProcess jvm(
      String name, Path directory, List<String> words, int port, Optional<RedisServer> redis)
      throws IOException {
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
    command.addAll(words);
    RunningProgram runningProgram = RunningProgram.start(name, directory, Map.of(), command);
    return new ServerProcess(runningProgram, port, true, redis).recorded(flight(name + "-" + port));
  }

  private Optional<Path> flight(String name) {
    return flights.map(directory -> directory.toAbsolutePath().resolve(name + ".jfr"));
  }

  /** A program that listens on this port. */
  public ServerProcess pinned(
      String name,
      Path directory,
      Map<String, String> environment,
      List<String> command,
      int port,
      Optional<RedisServer> redis)
      throws IOException {
    RunningProgram runningProgram =
        RunningProgram.start(name, directory, environment, cores.atServer(command));
    return new ServerProcess(runningProgram, port, false, redis);
  }

  /** A Redis on its core. */
  public RedisServer redis() throws IOException {
    RedisServer redis = new RedisServer(Programs.redisServer(), cores::atStore);
    redisVersion = redis.version();
    return redis;
  }

  /** The version of Redis, once one has run. */
  public String redisVersion() {
    return redisVersion;
  }
}
