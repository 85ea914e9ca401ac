package io.weir.bench.program;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

/** A separate Redis for each contender, all on one core: only one of them is used at a time. */
public final class RedisServer implements AutoCloseable {
  private static final long START_SECONDS = 20;

  private final RunningProgram runningProgram;
  private final int port;
  private final Resp resp;

  /**
   * Starts it.
   *
   * @param pinned adds the pinning to a command
   */
  public RedisServer(Path program, UnaryOperator<List<String>> pinned) throws IOException {
    Path directory = RunningProgram.newDirectory("redis");
    port = RunningProgram.freePort();
    runningProgram =
        RunningProgram.start(
            "redis-server",
            directory,
            Map.of(),
            pinned.apply(
                List.of(
                    program.toString(),
                    "--port",
                    "" + port,
                    "--bind",
                    "127.0.0.1",
                    "--save",
                    "",
                    "--appendonly",
                    "no",
                    "--dir",
                    directory.toString())));
    resp = connect();
  }

  private Resp connect() throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (true) {
      try {
        Resp connection = new Resp(port);
        connection.say("PING");
        return connection;
      } catch (IOException e) {
        if (System.nanoTime() - deadline > 0 || !runningProgram.isAlive()) {
          throw runningProgram.failure("does not respond");
        }
        LockSupport.parkNanos(10_000_000);
      }
    }
  }

  /** Its port. */
  public int port() {
    return port;
  }

  /** Makes it a replica of {@code primary}, and waits until it follows. */
  public void follow(RedisServer primary) throws IOException {
    resp.say("REPLICAOF", "127.0.0.1", "" + primary.port);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (!primary.resp.say("INFO", "replication").contains("state=online")) {
      if (System.nanoTime() - deadline > 0) {
        throw runningProgram.failure("does not follow");
      }
      LockSupport.parkNanos(10_000_000);
    }
  }

  /** A connection to it. */
  public Resp resp() {
    return resp;
  }

  /** The process id. */
  public long pid() {
    return runningProgram.pid();
  }

  /** Its version. */
  public String version() throws IOException {
    return info("server", "redis_version");
  }

  /** The processor time that it has used. */
  public double cpuMicros() throws IOException {
    return 1e6
        * (Double.parseDouble(info("cpu", "used_cpu_sys"))
            + Double.parseDouble(info("cpu", "used_cpu_user")));
  }

  /** The memory that its data uses. */
  public long usedMemory() throws IOException {
    return Long.parseLong(info("memory", "used_memory"));
  }

  /** The number and total duration of script calls. */
  public record ScriptCalls(long calls, long micros) {
    /** The calls after {@code before}. */
    public ScriptCalls since(ScriptCalls before) {
      return new ScriptCalls(calls - before.calls, micros - before.micros);
    }

    /** The mean duration of a call. */
    public double microsPerCall() {
      return (double) micros / calls;
    }
  }

  /** All script calls so far. */
  public ScriptCalls scriptCalls() throws IOException {
    long calls = 0;
    long micros = 0;
    for (String line : resp.say("INFO", "commandstats").split("\r\n")) {
      if (line.startsWith("cmdstat_eval:") || line.startsWith("cmdstat_evalsha:")) {
        for (String part : line.substring(line.indexOf(':') + 1).split(",")) {
          long number = part.matches("(calls|usec)=\\d+") ? Long.parseLong(after(part, '=')) : 0;
          calls += part.startsWith("calls=") ? number : 0;
          micros += part.startsWith("usec=") ? number : 0;
        }
      }
    }
    return new ScriptCalls(calls, micros);
  }

  private String info(String section, String field) throws IOException {
    for (String line : resp.say("INFO", section).split("\r\n")) {
      if (line.startsWith(field + ":")) {
        return after(line, ':');
      }
    }
    throw new IOException("INFO " + section + " reports no " + field);
  }

  private static String after(String text, char mark) {
    return text.substring(text.indexOf(mark) + 1);
  }

  @Override
  public void close() throws IOException {
    resp.close();
    runningProgram.close();
  }
}
