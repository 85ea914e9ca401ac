package io.weir.bench.program;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A started program with its own directory. It ends when it is closed, and when this JVM ends for
 * any reason.
 */
public final class RunningProgram implements AutoCloseable {
  /** Prints the program's process id first; kills it when standard input ends. */
  private static final String WATCH =
      "log=$1; shift; \"$@\" >\"$log\" 2>&1 & echo $!; trap \"kill -9 $!\" EXIT; cat >/dev/null";

  private static final long START_SECONDS = 30;
  private static final long MICROS_PER_TICK = 10_000;

  private final String name;
  private final Process watch;
  private final Thread killer;
  private final Path directory;
  private final Path log;
  private final long pid;

  private RunningProgram(String name, Process watch, Path directory, Path log) throws IOException {
    this.name = name;
    this.watch = watch;
    this.directory = directory;
    this.log = log;
    killer = new Thread(this::end);
    Runtime.getRuntime().addShutdownHook(killer);
    BufferedReader output = watch.inputReader(StandardCharsets.US_ASCII);
    pid = Long.parseLong(output.readLine());
  }

  /**
   * Starts a program.
   *
   * @param name its name in messages
   * @param directory its working directory with its log; deleted at the end
   * @param environment additional environment variables
   */
  public static RunningProgram start(
      String name, Path directory, Map<String, String> environment, List<String> command)
      throws IOException {
    Path log = directory.resolve("bench.log");
    List<String> words = new ArrayList<>(List.of("sh", "-c", WATCH, "sh", log.toString()));
    words.addAll(command);
    ProcessBuilder builder = new ProcessBuilder(words).directory(directory.toFile());
    builder.environment().putAll(environment);
    return new RunningProgram(name, builder.start(), directory, log);
  }

  /** A directory for a program. */
  public static Path newDirectory(String name) throws IOException {
    return Files.createTempDirectory("bench-" + name);
  }

  /** An unused port of the loopback interface. */
  public static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** The process id. */
  public long pid() {
    return pid;
  }

  /** Whether it is still running. */
  public boolean isAlive() {
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
  }

  /** Waits until it listens on this port of loopback. */
  public void awaitPort(int port) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (true) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress("127.0.0.1", port), 1000);
        return;
      } catch (IOException e) {
        if (System.nanoTime() - deadline > 0 || !isAlive()) {
          throw failure("does not listen");
        }
        LockSupport.parkNanos(10_000_000);
      }
    }
  }

  /** An error with the program's output. */
  public IOException failure(String what) throws IOException {
    String output = Files.exists(log) ? Files.readString(log, StandardCharsets.ISO_8859_1) : "";
    int maxLength = 2000;
    String end =
        output.length() > maxLength ? "…" + output.substring(output.length() - maxLength) : output;
    return new IOException(name + " " + what + ": " + end.strip());
  }

  /** The processor time that it has used, in user and system mode. */
  public long cpuMicros() throws IOException {
    return cpuMicros(pid);
  }

  /** The processor time that the process with this id has used. */
  public static long cpuMicros(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return MICROS_PER_TICK * (Long.parseLong(words[11]) + Long.parseLong(words[12]));
  }

  /** Its resident memory. */
  public long residentBytes() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
      if (line.startsWith("VmRSS:")) {
        return 1024 * Long.parseLong(line.replaceAll("[^0-9]", ""));
      }
    }
    throw failure("reports no resident memory");
  }

  private void end() {
    try {
      watch.getOutputStream().close();
      watch.waitFor(5, TimeUnit.SECONDS);
    } catch (IOException | InterruptedException e) {
      // It ends with this JVM at the latest.
    }
  }

  @Override
  public void close() throws IOException {
    end();
    Runtime.getRuntime().removeShutdownHook(killer);
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    }
  }
}
