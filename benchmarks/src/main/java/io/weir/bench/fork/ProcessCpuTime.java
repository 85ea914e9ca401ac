package io.weir.bench.fork;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** The processor time of this process and of all its descendants, including ended ones. */
public final class ProcessCpuTime {
  private static final Path STAT = Path.of("/proc/self/stat");
  private static final long NANOS_PER_TICK = 10_000_000;

  private ProcessCpuTime() {}

  /** In nanoseconds since the start; the system counts in hundredths of a second. */
  public static long nanos() {
    long living =
        ProcessHandle.current()
            .descendants()
            .mapToLong(child -> child.info().totalCpuDuration().orElse(Duration.ZERO).toNanos())
            .sum();
    return living + selfAndEnded();
  }

  private static long selfAndEnded() {
    try {
      String stat = Files.readString(STAT);
      String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      long ticks = 0;
      for (int i = 11; i <= 14; i++) { // user and system time, of itself and of waited-for children
        ticks += Long.parseLong(words[i]);
      }
      return ticks * NANOS_PER_TICK;
    } catch (IOException e) {
      return 0;
    }
  }
}
