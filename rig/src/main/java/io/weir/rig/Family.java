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
 * A process and all that it has started, down to the last: they hang, go on and end together.
 *
 * <p>Who has lost its parent can no longer be found from the head. So everybody who was ever seen
 * is remembered, and nobody is killed before all have been stopped: a stopped process starts no
 * other, and when a look at stopped ones finds nobody new, they are all known.
 */
final class Family {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String STOPPED = "Tt";
  private static final String DEAD = "ZX";
  private static final String WAITING = "D";

  private final Process head;
  private final Set<ProcessHandle> members = new LinkedHashSet<>();
  private boolean buried;

  Family(Process head) {
    this.head = head;
    members.add(head.toHandle());
    Undertaker.born(head);
  }

  long pid() {
    return head.pid();
  }

  boolean isHeadAlive() {
    return head.isAlive();
  }

  /** Stops them all; when it returns, none of them is doing anything. */
  void suspend() {
    do {
      signal("STOP");
      Until.holds(
          () -> "stopped: " + living(),
          PATIENCE,
          () -> living().stream().allMatch(Family::isStill));
    } while (look());
  }

  /** Lets them all go on. */
  void resume() {
    look();
    signal("CONT");
  }

  /**
   * Asks the head to end, and waits for it as long as {@code patience}; who is left is killed then.
   *
   * <p>It is asked while it is stopped, so that the first that it does again is to end.
   */
  void end(Duration patience) {
    suspend();
    head.destroy();
    signal("CONT");
    long start = System.nanoTime();
    do {
      look();
    } while (!endsWithin(Duration.ofMillis(10)) && System.nanoTime() - start < patience.toNanos());
    kill();
  }

  private boolean endsWithin(Duration patience) {
    try {
      return head.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** Kills them all, {@code kill -9}, and waits until they are gone. */
  void kill() {
    try {
      suspend();
    } finally {
      living().forEach(ProcessHandle::destroyForcibly);
    }
    Until.holds(() -> "gone: " + living(), PATIENCE, () -> living().isEmpty());
    if (!endsWithin(PATIENCE)) {
      throw new IllegalStateException("nobody has told that it ended: " + head);
    }
    if (!buried) {
      Undertaker.died(head);
      buried = true;
    }
  }

  /** Looks for members that were not known, and tells whether there were any. */
  private boolean look() {
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

  /** A dead process that nobody has asked about is gone too: not every machine has one who does. */
  private static boolean isGone(ProcessHandle process) {
    if (!process.isAlive()) {
      return true;
    }
    String states = states(process);
    return !states.isEmpty() && areAll(states, DEAD);
  }

  /** Stopped, or waiting for a stopped child to become another program, as {@code vfork} does. */
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
   * The states of its threads, a letter each, as {@code /proc} tells them; none if it is gone, or
   * where there is no such place.
   */
  private static String states(ProcessHandle process) {
    try (Stream<Path> threads =
        Files.list(Path.of("/proc", Long.toString(process.pid()), "task"))) {
      return threads.map(Family::state).collect(Collectors.joining());
    } catch (IOException | UncheckedIOException gone) {
      return "";
    }
  }

  private static String state(Path thread) {
    try {
      String line = Files.readString(thread.resolve("stat"), StandardCharsets.ISO_8859_1);
      int name = line.lastIndexOf(')'); // a name may hold anything
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
