package io.weir.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A real Redis on a port of this machine, with its own directory; without persistence unless
 * configured.
 *
 * <pre>{@code
 * try (RedisProcess redis = RedisProcess.start(RedisProgram.jar(), "maxmemory 1mb")) {
 *   redis.call("SET", "key", "value");
 *   redis.suspend();
 * }
 * }</pre>
 *
 * <p>The rig has its own Redis user, so it can connect whatever a test does to other users.
 */
public final class RedisProcess implements AutoCloseable {
  private static final String RIG = "rig";
  private static final String SETTINGS = "redis.conf";
  private static final String SOCKET = "redis.sock";

  private final RedisProgram program;
  private final List<String> options;
  private final int port;
  private final Program process;

  /** The role of the process. */
  enum Kind {
    SERVER,
    SENTINEL
  }

  private RedisProcess(RedisProgram program, List<String> options, int port, Program process) {
    this.program = program;
    this.options = options;
    this.port = port;
    this.process = process;
  }

  /** Starts the {@link RedisProgram#chosen} program; options are lines of a {@code redis.conf}. */
  public static RedisProcess start(String... options) {
    return start(RedisProgram.chosen(), options);
  }

  /** Starts {@code program}; options are lines of a {@code redis.conf}. */
  public static RedisProcess start(RedisProgram program, String... options) {
    return start(program, Kind.SERVER, List.of(options));
  }

  /**
   * Starts {@code program} with a {@link #tlsPort} too.
   *
   * @param server the certificate that it presents
   * @param certificateAuthority the authority that it trusts
   * @param clients whether it requires client certificates: {@code yes}, {@code no} or {@code
   *     optional}
   */
  public static RedisProcess startWithTls(
      RedisProgram program,
      CertificateAuthority.Identity server,
      CertificateAuthority certificateAuthority,
      String clients,
      String... options) {
    List<String> lines = new ArrayList<>(List.of(options));
    lines.add("tls-port " + Ports.free());
    lines.add("tls-cert-file " + server.certificate());
    lines.add("tls-key-file " + server.key());
    lines.add("tls-ca-cert-file " + certificateAuthority.certificate());
    lines.add("tls-auth-clients " + clients);
    return start(program, Kind.SERVER, lines);
  }

  /** Starts {@code program}, on another port if the first was taken in the meantime. */
  static RedisProcess start(RedisProgram program, Kind kind, List<String> options) {
    for (int attempt = 0; ; attempt++) {
      Path directory = Program.directory("redis");
      int port = Ports.free();
      write(directory.resolve(SETTINGS), settings(program, kind, options, directory, port));
      try {
        Program process = Program.start(directory, command(program, kind), () -> responds(port));
        return new RedisProcess(program, options, port, process);
      } catch (IllegalStateException e) {
        Program.remove(directory);
        if (attempt == 3 || !e.getMessage().contains("Address already in use")) {
          throw e;
        }
      }
    }
  }

  private static List<String> command(RedisProgram program, Kind kind) {
    List<String> command = new ArrayList<>(List.of(program.file().toString(), SETTINGS));
    if (kind == Kind.SENTINEL) {
      command.add("--sentinel");
    }
    return command;
  }

  private static List<String> settings(
      RedisProgram program, Kind kind, List<String> options, Path directory, int port) {
    List<String> lines = new ArrayList<>();
    lines.add("bind 127.0.0.1");
    lines.add("port " + port);
    lines.add("dir " + directory);
    lines.add("daemonize no");
    lines.add("user " + RIG + " on >" + RIG + " ~* &* +@all");
    if (kind == Kind.SERVER) {
      lines.add("unixsocket " + directory.resolve(SOCKET));
      lines.add("save \"\"");
      lines.add("repl-diskless-sync yes");
      lines.add("repl-diskless-sync-delay 0");
      if (program.major() >= 7) {
        lines.add("enable-debug-command yes");
      }
    }
    lines.addAll(options);
    return lines;
  }

  private static void write(Path file, List<String> lines) {
    try {
      Files.write(file, lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean responds(int port) {
    try (RespSocket connection = connect(port)) {
      return "PONG".equals(connection.call("PING"));
    }
  }

  /** Starts it again on the same port, with its data from disk, and waits until it responds. */
  public void startAgain() {
    process.startAgain();
  }

  /** The program that it runs. */
  public RedisProgram program() {
    return program;
  }

  /** The process id. */
  public long pid() {
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
    return directory().resolve(SOCKET);
  }

  /** Its directory, deleted at the end. */
  public Path directory() {
    return process.directory();
  }

  /** {@code redis://127.0.0.1:port}. */
  public String url() {
    return "redis://127.0.0.1:" + port;
  }

  /** {@code 127.0.0.1:port}. */
  public String address() {
    return "127.0.0.1:" + port;
  }

  /** A raw connection as the rig's own user, which has all permissions. */
  public RespSocket connect() {
    return connect(port);
  }

  private static RespSocket connect(int port) {
    RespSocket connection = new RespSocket(port);
    try {
      connection.call("AUTH", RIG, RIG);
      return connection;
    } catch (RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  /** Runs a command as the rig's own user; bulk strings are read as UTF-8. */
  public Object call(String... command) {
    try (RespSocket connection = connect()) {
      return connection.call(command);
    }
  }

  /** Runs a command as the rig's own user. */
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

  /** The number of calls of {@code command}, in lower case. */
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

  /** Deletes all keys. */
  public void flush() {
    call("FLUSHALL");
  }

  /** Whether its process exists, suspended or not. */
  public boolean isRunning() {
    return process.isRunning();
  }

  /** Shuts it down; configured persistence is on disk afterwards. */
  public void stop() {
    process.stop();
  }

  /** Kills it with {@code kill -9}. */
  public void kill() {
    process.kill();
  }

  /** Suspends it: it keeps its connections, and does nothing. */
  public void suspend() {
    process.suspend();
  }

  /** Resumes it after {@link #suspend}. */
  public void resume() {
    process.resume();
  }

  /** Kills it and starts it without data, on the same port. */
  public synchronized void restartEmpty() {
    kill();
    startAgainEmpty();
  }

  /** Starts it without data, on the same port. */
  public synchronized void startAgainEmpty() {
    for (String kept : List.of("dump.rdb", "appendonly.aof", "appendonlydir")) {
      Program.remove(directory().resolve(kept));
    }
    startAgain();
  }

  /** Saves, kills and starts it on the same port, with its keys. */
  public synchronized void restartWithData() {
    call("SAVE");
    kill();
    startAgain();
  }

  /** Its log. */
  public String log() {
    return process.log();
  }

  /** Ends it and deletes its directory. */
  @Override
  public void close() {
    process.close();
  }

  @Override
  public String toString() {
    return program + " on port " + port;
  }
}
