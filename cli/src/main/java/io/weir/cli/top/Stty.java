package io.weir.cli.top;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** How the terminal of this process is set, by {@code stty}, and whose turn it is to use it. */
final class Stty {
  private static final File TTY = new File("/dev/tty");
  private static final Path STATUS = Path.of("/proc/self/stat");
  private static final int GROUP = 2; // fields behind the name, which may have blanks in it
  private static final int FOREGROUND_GROUP = 5;

  private Stty() {}

  /** Whether there is one at both ends. A console of a newer Java may be none. */
  static boolean isThere() throws InterruptedException {
    try {
      return new ProcessBuilder("sh", "-c", "test -t 0 && test -t 1").inheritIO().start().waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** How it is set, as only {@link #set} understands it; null if there is none. */
  static @Nullable String settings() throws InterruptedException {
    return run("stty", "-g");
  }

  /** Width and height; null if they are not known. */
  static int @Nullable [] size() throws InterruptedException {
    String said = run("stty", "size");
    if (said == null || !said.matches("[1-9][0-9]{0,3} [1-9][0-9]{0,3}")) {
      return null;
    }
    String[] parts = said.split(" ");
    return new int[] {Integer.parseInt(parts[1]), Integer.parseInt(parts[0])};
  }

  /** From now on each key is told at once, and not shown. */
  static void setRaw() throws InterruptedException {
    run("stty", "-icanon", "-echo", "min", "1", "time", "0");
  }

  /** As it was. Whoever has just lost the turn is not stopped for it. */
  static void set(String settings) throws InterruptedException {
    run("sh", "-c", "trap '' TTOU; exec stty \"$1\"", "sh", settings);
  }

  /** Stops this process until somebody continues it. */
  static void stop() throws InterruptedException {
    run("sh", "-c", "kill -STOP " + ProcessHandle.current().pid()); // which every shell can
  }

  /** Whether it is this process that uses the terminal; so it is taken to be if nobody can tell. */
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
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return process.waitFor() == 0 ? said.strip() : null;
    } catch (IOException e) {
      return null; // no terminal, or no such program
    }
  }
}
