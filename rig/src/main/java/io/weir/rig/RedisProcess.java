package io.weir.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A real Redis on a port of this machine, with a directory of its own; nothing is kept on disk
 * unless asked for.
 *
 * <pre>{@code
 * try (RedisProcess redis = RedisProcess.start(RedisProgram.jar(), "maxmemory 1mb")) {
 *   redis.call("SET", "key", "value");
 *   redis.suspend();
 * }
 * }</pre>
 *
 * <p>The rig has a user of its own, so that it gets in whatever a test does to the others.
 */
public final class RedisProcess implements AutoCloseable {
  private static final String RIG = "rig";
  private static final Duration START = Duration.ofSeconds(20);

  private final RedisProgram program;
  private final Kind kind;
  private final List<String> options;
  private final Path directory;
  private final int port;
  private Process process;

  /** What it is to be. */
  enum Kind {
    SERVER,
    SENTINEL
  }

  private RedisProcess(RedisProgram program, Kind kind, List<String> options) {
    this.program = program;
    this.kind = kind;
    this.options = options;
    this.directory = Undertaker.directory("redis");
    this.port = Ports.free();
  }

  /** Starts one from the jar; options are lines of a {@code redis.conf}. */
  public static RedisProcess start(String... options) {
    return start(RedisProgram.jar(), options);
  }

  /** Starts {@code program}; options are lines of a {@code redis.conf}. */
  public static RedisProcess start(RedisProgram program, String... options) {
    return start(program, Kind.SERVER, List.of(options));
  }

  /**
   * Starts {@code program} with a {@link #tlsPort} too.
   *
   * @param server whose certificate it shows
   * @param authority whom it trusts
   * @param clients whether it wants a certificate of those who call: {@code yes}, {@code no} or
   *     {@code optional}
   */
  public static RedisProcess startWithTls(
      RedisProgram program,
      Authority.Identity server,
      Authority authority,
      String clients,
      String... options) {
    List<String> lines = new ArrayList<>(List.of(options));
    lines.add("tls-port " + Ports.free());
    lines.add("tls-cert-file " + server.certificate());
    lines.add("tls-key-file " + server.key());
    lines.add("tls-ca-cert-file " + authority.certificate());
    lines.add("tls-auth-clients " + clients);
    return start(program, Kind.SERVER, lines);
  }

  /** Starts {@code program}, on another port if somebody was faster to take the first. */
  static RedisProcess start(RedisProgram program, Kind kind, List<String> options) {
    for (int attempt = 0; ; attempt++) {
      RedisProcess redis = new RedisProcess(program, kind, options);
      try {
        redis.writeSettings();
        redis.startAgain();
        return redis;
      } catch (IllegalStateException e) {
        String log = redis.log();
        redis.close();
        if (attempt == 3 || !log.contains("Address already in use")) {
          throw e;
        }
      }
    }
  }

  private void writeSettings() {
    List<String> lines = new ArrayList<>();
    lines.add("bind 127.0.0.1");
    lines.add("port " + port);
    lines.add("dir " + directory);
    lines.add("logfile redis.log");
    lines.add("daemonize no");
    lines.add("user " + RIG + " on >" + RIG + " ~* &* +@all");
    if (kind == Kind.SERVER) {
      lines.add("unixsocket " + socket());
      lines.add("save \"\"");
      lines.add("repl-diskless-sync yes");
      lines.add("repl-diskless-sync-delay 0");
      if (program.major() >= 7) {
        lines.add("enable-debug-command yes");
      }
    }
    lines.addAll(options);
    try {
      Files.write(settings(), lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path settings() {
    return directory.resolve("redis.conf");
  }

  /** Starts it again on the same port, with what it has on disk, and waits until it answers. */
  public synchronized void startAgain() {
    List<String> command = new ArrayList<>(List.of(program.file().toString(), "redis.conf"));
    if (kind == Kind.SENTINEL) {
      command.add("--sentinel");
    }
    try {
      process =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve("output").toFile())
              .start();
      process.getOutputStream().close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Undertaker.born(process);
    awaitAnswer();
  }

  private void awaitAnswer() {
    long start = System.nanoTime();
    while (!answers()) {
      if (!process.isAlive()) {
        Undertaker.died(process);
        throw new IllegalStateException(program + " did not start:\n" + log());
      }
      if (System.nanoTime() - start > START.toNanos()) {
        throw new IllegalStateException(program + " does not answer:\n" + log());
      }
      pause();
    }
  }

  private static void pause() {
    try {
      Thread.sleep(1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private boolean answers() {
    try {
      return "PONG".equals(call("PING"));
    } catch (UncheckedIOException e) {
      if (e.getCause() instanceof ConnectException) {
        return false;
      }
      throw e;
    } catch (RespSocket.RedisError loading) {
      return false;
    }
  }

  /** Which program it runs. */
  public RedisProgram program() {
    return program;
  }

  /** The number of its process. */
  public synchronized long pid() {
    return process.pid();
  }

  /** Its port on 127.0.0.1. */
  public int port() {
    return port;
  }

  /** Its port for TLS. */
  public int tlsPort() {
    return options.stream()
        .filter(line -> line.startsWith("tls-port "))
        .mapToInt(line -> Integer.parseInt(line.substring("tls-port ".length())))
        .findFirst()
        .orElseThrow();
  }

  /** Its Unix socket. */
  public Path socket() {
    return directory.resolve("redis.sock");
  }

  /** Its directory, removed in the end. */
  public Path directory() {
    return directory;
  }

  /** {@code redis://127.0.0.1:port}. */
  public String url() {
    return "redis://127.0.0.1:" + port;
  }

  /** {@code 127.0.0.1:port}. */
  public String address() {
    return "127.0.0.1:" + port;
  }

  /** A connection by hand, as the rig's own user, who may do anything. */
  public RespSocket connect() {
    RespSocket connection = new RespSocket(port);
    try {
      connection.call("AUTH", RIG, RIG);
      return connection;
    } catch (RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  /** Runs a command, as the rig's own user; bulk strings are read as UTF-8. */
  public Object call(String... command) {
    try (RespSocket connection = connect()) {
      return connection.call(command);
    }
  }

  /** Runs a command, as the rig's own user. */
  public Object call(byte[]... command) {
    try (RespSocket connection = connect()) {
      return connection.call(command);
    }
  }

  /** The fields of {@code INFO section}. */
  public Map<String, String> info(String section) {
    return fields((String) call("INFO", section));
  }

  /** The field {@code name} of {@code INFO section}, or an empty string. */
  public String info(String section, String name) {
    return info(section).getOrDefault(name, "");
  }

  /** How often {@code command}, in small letters, was called. */
  public long calls(String command) {
    String counts = info("commandstats", "cmdstat_" + command);
    return counts.isEmpty()
        ? 0
        : Long.parseLong(counts.substring("calls=".length(), counts.indexOf(',')));
  }

  /** Lines of the form {@code name:value}. */
  static Map<String, String> fields(String text) {
    Map<String, String> fields = new HashMap<>();
    text.lines()
        .filter(line -> line.indexOf(':') > 0)
        .forEach(
            line ->
                fields.put(
                    line.substring(0, line.indexOf(':')), line.substring(line.indexOf(':') + 1)));
    return fields;
  }

  /** Forgets all keys. */
  public void flush() {
    call("FLUSHALL");
  }

  /** Whether its process lives, suspended or not. */
  public synchronized boolean isRunning() {
    return process.isAlive();
  }

  /** Stops it in an orderly way; what it was told to keep is on disk. */
  public synchronized void stop() {
    if (process.isAlive()) {
      signal("CONT");
      process.destroy();
      await(Duration.ofSeconds(5));
    }
    kill();
  }

  /** Kills it: {@code kill -9}. */
  public synchronized void kill() {
    process.destroyForcibly();
    await(Duration.ofSeconds(20));
    Undertaker.died(process);
  }

  private void await(Duration patience) {
    try {
      process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** Makes it hang: it keeps its connections, and does nothing. */
  public synchronized void suspend() {
    signal("STOP");
  }

  /** Lets it go on after {@link #suspend}. */
  public synchronized void resume() {
    signal("CONT");
  }

  private void signal(String name) {
    try {
      Process kill =
          new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      kill.waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** Kills it and starts it with nothing, on the same port. */
  public synchronized void restartEmpty() {
    kill();
    startAgainEmpty();
  }

  /** Starts it with nothing, on the same port. */
  public synchronized void startAgainEmpty() {
    for (String kept : List.of("dump.rdb", "appendonly.aof", "appendonlydir")) {
      remove(directory.resolve(kept));
    }
    startAgain();
  }

  /** Saves, kills and starts it on the same port: the keys are still there. */
  public synchronized void restartWithData() {
    call("SAVE");
    kill();
    startAgain();
  }

  /** What it has logged. */
  public String log() {
    StringBuilder text = new StringBuilder();
    for (String name : List.of("output", "redis.log")) {
      try {
        text.append(Files.readString(directory.resolve(name)));
      } catch (IOException none) {
        text.append("no ").append(name).append('\n');
      }
    }
    return text.toString();
  }

  /** Ends it, and removes its directory. */
  @Override
  public synchronized void close() {
    if (process != null) {
      kill();
    }
    remove(directory);
  }

  private static void remove(Path path) {
    if (!Files.exists(path)) {
      return;
    }
    try (Stream<Path> all = Files.walk(path)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return program + " on port " + port;
  }
}
