package io.weir.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A process and all its descendants: they are suspended, resumed and ended together.
 *
 * <p>A process that has lost its parent can no longer be found from the root. So every process ever
 * seen is remembered, and none is killed before all have been stopped. A stopped process starts no
 * other, so when a scan of stopped ones finds no new process, all are known.
 */
final class ProcessTree {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final String STOPPED = "Tt";
  private static final String DEAD = "ZX";
  private static final String WAITING = "D";

  private final Process head;
  private final Set<ProcessHandle> members = new LinkedHashSet<>();
  private boolean isReaped;

  ProcessTree(Process head) {
    this.head = head;
    members.add(head.toHandle());
    ProcessReaper.born(head);
  }

  long pid() {
    return head.pid();
  }

  boolean isHeadAlive() {
    return head.isAlive();
  }

  /** Stops all processes; after it returns, none of them runs. */
  void suspend() {
    do {
      signal("STOP");
      Await.holds(
          () -> "stopped: " + living(),
          TIMEOUT,
          () -> living().stream().allMatch(ProcessTree::isStill));
    } while (scan());
  }

  /** Resumes all processes. */
  void resume() {
    scan();
    signal("CONT");
  }

  /**
   * Requests the root to end, and waits for {@code timeout}; then kills the processes that are
   * left.
   *
   * <p>The signal is sent while the process is stopped, so that it is the first thing it handles
   * when resumed.
   */
  void end(Duration timeout) {
    suspend();
    head.destroy();
    signal("CONT");
    long start = System.nanoTime();
    do {
      scan();
    } while (!endsWithin(Duration.ofMillis(10)) && System.nanoTime() - start < timeout.toNanos());
    kill();
  }

  private boolean endsWithin(Duration timeout) {
    try {
      return head.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** Kills all processes with {@code kill -9}, and waits until they are gone. */
  void kill() {
    try {
      suspend();
    } finally {
      living().forEach(ProcessHandle::destroyForcibly);
    }
    Await.holds(() -> "gone: " + living(), TIMEOUT, () -> living().isEmpty());
    if (!endsWithin(TIMEOUT)) {
      throw new IllegalStateException("the processes did not end: " + head);
    }
    if (!isReaped) {
      ProcessReaper.died(head);
      isReaped = true;
    }
  }

  /** Scans for new descendants; returns whether there were any. */
  private boolean scan() {
    List<ProcessHandle> found = new ArrayList<>();
    living().forEach(member -> member.descendants().forEach(found::add));
    return members.addAll(found);
  }

  private List<ProcessHandle> living() {
    return members.stream().filter(member -> !isGone(member)).toList();
  }

  private void signal(String name) {
    List<ProcessHandle> living = living();
    if (living.isEmpty()) {
      return;
    }
    List<String> command = new ArrayList<>(List.of("kill", "-" + name));
    living.forEach(member -> command.add(Long.toString(member.pid())));
    try {
      new ProcessBuilder(command)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** A dead process that was not reaped counts as gone, because not every machine has a reaper. */
  private static boolean isGone(ProcessHandle process) {
    if (!process.isAlive()) {
      return true;
    }
    String states = states(process);
    return !states.isEmpty() && areAll(states, DEAD);
  }

  /** Stopped, or waiting for a stopped child to exec, as {@code vfork} does. */
  private static boolean isStill(ProcessHandle process) {
    String states = states(process);
    return areAll(states, STOPPED + DEAD)
        || (areAll(states, STOPPED + DEAD + WAITING)
            && process.children().anyMatch(child -> areAll(states(child), STOPPED)));
  }

  private static boolean areAll(String states, String kinds) {
    return states.chars().allMatch(state -> kinds.indexOf(state) >= 0);
  }

  /**
   * The states of its threads from {@code /proc}, one letter each; empty if the process is gone or
   * there is no {@code /proc}.
   */
  private static String states(ProcessHandle process) {
    try (Stream<Path> threads =
        Files.list(Path.of("/proc", Long.toString(process.pid()), "task"))) {
      return threads.map(ProcessTree::state).collect(Collectors.joining());
    } catch (IOException | UncheckedIOException gone) {
      return "";
    }
  }

  private static String state(Path thread) {
    try {
      String line = Files.readString(thread.resolve("stat"), StandardCharsets.ISO_8859_1);
      int name = line.lastIndexOf(')'); // a name may contain any character
      return line.substring(name + 2, name + 3);
    } catch (IOException gone) {
      return "";
    }
  }

  @Override
  public String toString() {
    return members.toString();
  }
}
