package io.weir.server.door;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How many files this process may have open; a connection is one too. */
public final class OpenFiles {
  /** Linux tells it here at once; the JVM's own way there takes longer than the rest of a start. */
  private static final Path LIMITS = Path.of("/proc/self/limits");

  private static final String NAME = "Max open files";

  private OpenFiles() {}

  /** The limit; the greatest number if there is none, or none can be found. */
  public static long most() {
    try {
      for (String line : Files.readAllLines(LIMITS)) {
        if (line.startsWith(NAME)) {
          return Long.parseLong(line.substring(NAME.length()).strip().split(" +")[0]);
        }
      }
    } catch (IOException | NumberFormatException e) {
      return Long.MAX_VALUE; // another system, or "unlimited"
    }
    return Long.MAX_VALUE;
  }
}
