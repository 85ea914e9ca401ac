package io.weir.cli.top;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The settings of this process's terminal, by {@code stty}, and whether this process is in its
 * foreground.
 */
final class Stty {
  private static final File TTY = new File("/dev/tty");
  private static final Path STATUS = Path.of("/proc/self/stat");
  private static final int GROUP = 2; // fields after the name, which may contain blanks
  private static final int FOREGROUND_GROUP = 5;

  private Stty() {}

  /** Whether stdin and stdout are a terminal. In newer Java versions a console may not be one. */
  static boolean isThere() throws InterruptedException {
    try {
      return new ProcessBuilder("sh", "-c", "test -t 0 && test -t 1").inheritIO().start().waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** The settings in the form that {@link #set} accepts; null if there is no terminal. */
  static @Nullable String settings() throws InterruptedException {
    return run("stty", "-g");
  }

  /** Width and height; null if they are unknown. */
  static int @Nullable [] size() throws InterruptedException {
    String output = run("stty", "size");
    if (output == null || !output.matches("[1-9][0-9]{0,3} [1-9][0-9]{0,3}")) {
      return null;
    }
    String[] parts = output.split(" ");
    return new int[] {Integer.parseInt(parts[1]), Integer.parseInt(parts[0])};
  }

  /** From now on each key is delivered at once, and not echoed. */
  static void setRaw() throws InterruptedException {
    run("stty", "-icanon", "-echo", "min", "1", "time", "0");
  }

  /** Restores the settings. Works even if this process has just been moved to the background. */
  static void set(String settings) throws InterruptedException {
    run("sh", "-c", "trap '' TTOU; exec stty \"$1\"", "sh", settings);
  }

  /** Stops this process until it is continued. */
  static void stop() throws InterruptedException {
    run("sh", "-c", "kill -STOP " + ProcessHandle.current().pid()); // every shell supports this
  }

  /** Whether this process is in the foreground of the terminal; true if unknown. */
  static boolean isOurTurn() {
    try {
      String status = Files.readString(STATUS, StandardCharsets.ISO_8859_1);
      String[] fields = status.substring(status.lastIndexOf(')') + 2).split(" ");
      return fields[GROUP].equals(fields[FOREGROUND_GROUP]);
    } catch (IOException e) {
      return true; // not Linux
    }
  }

  private static @Nullable String run(String... command) throws InterruptedException {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectInput(TTY)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return process.waitFor() == 0 ? output.strip() : null;
    } catch (IOException e) {
      return null; // no terminal, or no such program
    }
  }
}
