package io.weir.bench.pause;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An interval in which the JVM had stopped all threads, on the scale of {@link System#nanoTime}.
 */
record Safepoint(long start, long end) {
  /** The output of {@code -Xlog:safepoint}, with {@code timenanos} as its only decoration. */
  private static final Pattern LINE =
      Pattern.compile("\\[(\\d+)ns\\] Safepoint .*Total:\\s+(\\d+) ns.*");

  /** The line is written shortly after the threads run again. */
  private static final long SLACK_NANOS = 50_000;

  static List<Safepoint> read(Path log) throws IOException {
    List<Safepoint> safepoints = new ArrayList<>();
    for (String line : Files.readAllLines(log)) {
      Matcher matcher = LINE.matcher(line);
      if (matcher.matches()) {
        long end = Long.parseLong(matcher.group(1));
        long total = Long.parseLong(matcher.group(2));
        safepoints.add(new Safepoint(end - total - SLACK_NANOS, end + SLACK_NANOS));
      }
    }
    return safepoints;
  }

  long overlap(long from, long to) {
    return Math.max(0, Math.min(end, to) - Math.max(start, from));
  }

  long nanos() {
    return end - start - 2 * SLACK_NANOS;
  }
}
