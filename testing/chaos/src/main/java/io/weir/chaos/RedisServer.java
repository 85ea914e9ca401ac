package io.weir.chaos;

import io.weir.rig.Await;
import io.weir.rig.Ports;
import io.weir.rig.Program;
import io.weir.rig.RedisProgram;
import io.weir.rig.RespSocket;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** A Redis or Sentinel at a place of a network, with its own clock where supported. */
final class RedisServer implements AutoCloseable {
  private static final String SETTINGS = "redis.conf";
  private static final String SOCKET = "redis.sock";
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final Peer peer;
  private final int port;
  private final Program program;
  private final Optional<FakeClock> clock;

  private RedisServer(Peer peer, int port, Program program, Optional<FakeClock> clock) {
    this.peer = peer;
    this.port = port;
    this.program = program;
    this.clock = clock;
  }

  /** A Redis; {@code options} are lines of its configuration. */
  static RedisServer server(Peer peer, String... options) {
    List<String> lines = new ArrayList<>();
    lines.add("save \"\"");
    lines.add("repl-diskless-sync yes");
    lines.add("repl-diskless-sync-delay 0");
    lines.add("repl-timeout 5");
    lines.add("maxmemory-policy noeviction");
    lines.add("replica-announce-ip " + peer.address());
    lines.addAll(List.of(options));
    Path directory = Program.directory(peer.name());
    return start(peer, directory, FakeClock.in(directory), lines);
  }

  /** A Sentinel. */
  static RedisServer sentinel(Peer peer, String... options) {
    List<String> lines = new ArrayList<>(List.of(options));
    lines.add("sentinel announce-ip " + peer.address());
    return start(peer, Program.directory(peer.name()), Optional.empty(), lines, "--sentinel");
  }

  private static RedisServer start(
      Peer peer,
      Path directory,
      Optional<FakeClock> clock,
      List<String> options,
      String... arguments) {
    for (int attempt = 0; ; attempt++) {
      int port = Ports.free();
      List<String> lines = new ArrayList<>();
      lines.add("bind " + peer.address());
      lines.add("port " + port);
      lines.add("protected-mode no");
      lines.add("dir " + directory);
      lines.add("unixsocket " + directory.resolve(SOCKET));
      lines.addAll(options);
      List<String> command = new ArrayList<>(peer.entrance());
      clock.ifPresent(it -> command.addAll(it.entrance()));
      command.add(RedisProgram.chosen().file().toString());
      command.add(SETTINGS);
      command.addAll(List.of(arguments));
      try {
        Files.write(directory.resolve(SETTINGS), lines);
        Program program =
            Program.start(directory, command, () -> "PONG".equals(call(directory, "PING")));
        return new RedisServer(peer, port, program, clock);
      } catch (IllegalStateException e) {
        if (attempt == 3 || !e.getMessage().contains("Address already in use")) {
          throw e;
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  Peer peer() {
    return peer;
  }

  int port() {
    return port;
  }

  /** {@code host:port}. */
  String address() {
    return peer.address() + ":" + port;
  }

  /** Runs a command; bulk strings are read as UTF-8. */
  Object call(String... command) {
    return call(program.directory(), command);
  }

  private static Object call(Path directory, String... command) {
    try {
      UnixSocket socket = UnixSocket.connect(directory.resolve(SOCKET));
      try (RespSocket redis = new RespSocket(socket.input(), socket.output(), socket);
          Watchdog watchdog = Watchdog.after(TIMEOUT, socket)) {
        return redis.call(command);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The field {@code name} of {@code INFO section}, or an empty string. */
  String info(String section, String name) {
    Map<String, String> fields =
        ((String) call("INFO", section))
            .lines()
            .filter(line -> line.indexOf(':') > 0)
            .collect(
                Collectors.toMap(
                    line -> line.substring(0, line.indexOf(':')),
                    line -> line.substring(line.indexOf(':') + 1),
                    (one, other) -> other));
    return fields.getOrDefault(name, "");
  }

  boolean isPrimary() {
    return info("replication", "role").equals("master");
  }

  /** Whether it follows {@code primary}, and has all of its data. */
  boolean follows(RedisServer primary) {
    return info("replication", "role").equals("slave")
        && info("replication", "master_port").equals(Integer.toString(primary.port))
        && info("replication", "master_link_status").equals("up");
  }

  /** Makes it a replica of {@code primary}. */
  void follow(RedisServer primary) {
    call("REPLICAOF", primary.peer.address(), Integer.toString(primary.port));
  }

  boolean isRunning() {
    return program.isRunning();
  }

  /** {@code kill -9}. */
  void kill() {
    program.kill();
  }

  /** {@code SIGSTOP}. */
  void suspend() {
    program.suspend();
  }

  /** {@code SIGCONT}, if it is stopped. */
  void resume() {
    program.resume();
  }

  /** Starts it again with its data from disk; there is none unless it was made to save. */
  void startAgain() {
    program.startAgain();
  }

  /** Starts it again as a replica of {@code primary}, so that it keeps the history of its file. */
  void startAgainAsReplicaOf(RedisServer primary) {
    String line = "replicaof " + primary.peer.address() + " " + primary.port + "\n";
    try {
      Files.writeString(
          program.directory().resolve(SETTINGS), "\n" + line, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    program.startAgain();
  }

  /** Makes it a primary, also for later starts. */
  void lead() {
    call("REPLICAOF", "NO", "ONE");
    call("CONFIG", "REWRITE");
  }

  /** Closes the connections of its replicas, which must not be able to reconnect. */
  void dropReplicas() {
    Await.holds(
        this + " has no replica",
        () -> {
          call("CLIENT", "KILL", "TYPE", "replica");
          return info("replication", "connected_slaves").equals("0");
        });
  }

  /** A reader that acknowledges its stream without keeping data. */
  ForgedReplica forgeReplica() {
    return ForgedReplica.of(program.directory().resolve(SOCKET));
  }

  /**
   * Makes it evict from now on. It receives enough extra keys that there is always something to
   * evict, and {@code less} memory than it uses.
   */
  void evict(String policy, long less) {
    call(
        "EVAL",
        "for i = 1, 2000 do redis.call('SET', 'ballast:' .. i, ARGV[1], 'PX', 7200000) end",
        "0",
        "x".repeat(1000));
    // Waits, since eviction does not count what is on its way to the replica.
    Await.holds("it is sent", () -> info("memory", "mem_not_counted_for_evict").length() <= 5);
    String evicted = info("stats", "evicted_keys");
    call("CONFIG", "SET", "maxmemory-samples", "64");
    call("CONFIG", "SET", "maxmemory-policy", policy);
    Await.holds(
        "it evicts",
        () -> {
          long room = Long.parseLong(info("memory", "used_memory")) - less;
          call("CONFIG", "SET", "maxmemory", Long.toString(room));
          return !info("stats", "evicted_keys").equals(evicted);
        });
  }

  /** Stops eviction. */
  void keepAll() {
    call("CONFIG", "SET", "maxmemory", "0");
    call("CONFIG", "SET", "maxmemory-policy", "noeviction");
    if (isPrimary()) {
      call("EVAL", "for i = 1, 2000 do redis.call('DEL', 'ballast:' .. i) end", "0");
    }
  }

  /** Reads every key, so that keys expired by its clock are removed. */
  void touchAll() {
    for (int round = 0; round < 3; round++) {
      String cursor = "0";
      do {
        cursor = (String) ((List<?>) call("SCAN", cursor, "COUNT", "10000")).get(0);
      } while (!cursor.equals("0"));
    }
  }

  /** Deletes its saved data. */
  void removeSaved() {
    try {
      Files.deleteIfExists(program.directory().resolve("dump.rdb"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Steps its clock forward, or back by a negative step. */
  void stepClock(Duration step) {
    clock.orElseThrow().step(step);
  }

  /** Corrects its clock, and returns by how much it was wrong. */
  Duration rightClock() {
    Duration wrong = clock.map(FakeClock::ahead).orElse(Duration.ZERO);
    clock.ifPresent(FakeClock::setRight);
    return wrong.abs();
  }

  @Override
  public void close() {
    program.close();
  }

  @Override
  public String toString() {
    return peer + " " + address();
  }
}
