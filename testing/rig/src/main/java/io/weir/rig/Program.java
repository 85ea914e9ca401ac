package io.weir.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/**
 * A foreground program in its own process and directory, which can be suspended and killed.
 *
 * <pre>{@code
 * Path directory = Program.directory("nginx");
 * try (Program nginx = Program.start(directory, command, () -> answers(port))) {
 *   nginx.suspend();
 * }
 * }</pre>
 */
public final class Program implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(30);
  private static final Duration END = Duration.ofSeconds(20);
  private static final String LOG = "program.log";

  private final Path directory;
  private final List<String> command;
  private final Callable<Boolean> ready;
  private ProcessTree processTree;

  private Program(Path directory, List<String> command, Callable<Boolean> ready) {
    this.directory = directory;
    this.command = List.copyOf(command);
    this.ready = ready;
  }

  /** The path of {@code name}, if it is installed. */
  public static Optional<Path> find(String name) {
    String path = System.getenv().getOrDefault("PATH", "") + ":/usr/sbin:/usr/local/sbin";
    return Stream.of(path.split(":", -1))
        .filter(place -> !place.isEmpty())
        .map(place -> Path.of(place, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** A new directory, deleted at the end of the JVM. */
  public static Path directory(String name) {
    return ProcessReaper.directory(name);
  }

  /**
   * Starts {@code command} in {@code directory} and waits until it is ready.
   *
   * @param ready whether it can be used; an exception means not yet
   */
  public static Program start(Path directory, List<String> command, Callable<Boolean> ready) {
    Program program = new Program(directory, command, ready);
    program.startAgain();
    return program;
  }

  /** Starts it again after it has ended, and waits until it is ready. */
  public synchronized void startAgain() {
    try {
      Process process =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve(LOG).toFile()))
              .start();
      processTree = new ProcessTree(process);
      process.getOutputStream().close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    try {
      Await.holds(
          () -> command.get(0) + " is ready; it said:\n" + log(), START, this::isReadyOrHasEnded);
    } catch (AssertionError e) {
      kill();
      throw e;
    }
    if (!isRunning()) {
      kill();
      throw new IllegalStateException(command + " did not start:\n" + log());
    }
  }

  private boolean isReadyOrHasEnded() throws Exception {
    return !isRunning() || ready.call();
  }

  /** The process id. */
  public synchronized long pid() {
    return processTree.pid();
  }

  /** Whether its process exists, suspended or not. */
  public synchronized boolean isRunning() {
    return processTree.isHeadAlive();
  }

  /** Its directory. */
  public Path directory() {
    return directory;
  }

  /** Its output so far. */
  public String log() {
    try {
      return Files.readString(directory.resolve(LOG));
    } catch (IOException none) {
      return "";
    }
  }

  /** Requests it to end, and waits for it and its descendants. */
  public synchronized void stop() {
    processTree.end(END);
  }

  /** Kills it and its descendants with {@code kill -9}. */
  public synchronized void kill() {
    processTree.kill();
  }

  /** Suspends it and its descendants: they keep their connections, and do nothing. */
  public synchronized void suspend() {
    processTree.suspend();
  }

  /** Resumes it and its descendants after {@link #suspend}. */
  public synchronized void resume() {
    processTree.resume();
  }

  /** Ends it and deletes its directory. */
  @Override
  public synchronized void close() {
    kill();
    remove(directory);
  }

  /** Deletes {@code path} recursively. */
  static void remove(Path path) {
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
    return String.join(" ", command);
  }
}
