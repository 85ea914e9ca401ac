package io.weir.bench.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** A Redis of its own for each contender, all on one core: only one of them is asked at a time. */
final class Server implements AutoCloseable {
  private static final long START_SECONDS = 20;

  /** Ends the server when standard input ends: when this JVM is gone, however that came. */
  private static final String WATCH = "\"$@\" & trap \"kill -9 $!\" EXIT; cat >/dev/null";

  private final Process watch;
  private final Thread killer;
  private final Path directory;
  private final int port;
  private final Resp resp;

  Server(Path program, Cores cores) throws IOException {
    directory = Files.createTempDirectory("bench-redis");
    port = freePort();
    List<String> command = new ArrayList<>(List.of("sh", "-c", WATCH, "sh"));
    command.addAll(
        cores.atServer(
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
    watch =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log").toFile())
            .start();
    killer = new Thread(this::closeWatch);
    Runtime.getRuntime().addShutdownHook(killer);
    resp = connect();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private Resp connect() throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (true) {
      try {
        Resp connection = new Resp(port);
        connection.say("PING");
        return connection;
      } catch (IOException e) {
        if (System.nanoTime() - deadline > 0 || !watch.isAlive()) {
          throw new IOException("redis-server: " + Files.readString(directory.resolve("log")), e);
        }
        LockSupport.parkNanos(10_000_000);
      }
    }
  }

  int port() {
    return port;
  }

  Resp resp() {
    return resp;
  }

  long pid() throws IOException {
    return Long.parseLong(info("server", "process_id"));
  }

  String version() throws IOException {
    return info("server", "redis_version");
  }

  /** How much processor time it has used. */
  double cpuMicros() throws IOException {
    return 1e6
        * (Double.parseDouble(info("cpu", "used_cpu_sys"))
            + Double.parseDouble(info("cpu", "used_cpu_user")));
  }

  long usedMemory() throws IOException {
    return Long.parseLong(info("memory", "used_memory"));
  }

  /** How often scripts were called, and for how long they ran. */
  record ScriptCalls(long calls, long micros) {
    ScriptCalls since(ScriptCalls before) {
      return new ScriptCalls(calls - before.calls, micros - before.micros);
    }

    double microsPerCall() {
      return (double) micros / calls;
    }
  }

  ScriptCalls scriptCalls() throws IOException {
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
    throw new IOException("INFO " + section + " tells no " + field);
  }

  private static String after(String text, char mark) {
    return text.substring(text.indexOf(mark) + 1);
  }

  private void closeWatch() {
    try {
      watch.getOutputStream().close();
      watch.waitFor(5, TimeUnit.SECONDS);
    } catch (IOException | InterruptedException e) {
      // It ends with this JVM at the latest.
    }
  }

  @Override
  public void close() throws IOException {
    resp.close();
    closeWatch();
    Runtime.getRuntime().removeShutdownHook(killer);
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    }
  }
}
