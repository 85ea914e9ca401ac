package io.weir.server.connection;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The process's limit of open files ({@code ulimit -n}); each connection counts as one. */
public final class OpenFileLimit {
  /** Reading this file is fast; the JVM's management bean takes longer than the rest of a start. */
  private static final Path LIMITS = Path.of("/proc/self/limits");

  private static final String NAME = "Max open files";

  private OpenFileLimit() {}

  /** The limit; {@link Long#MAX_VALUE} if there is none or it cannot be determined. */
  public static long get() {
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
