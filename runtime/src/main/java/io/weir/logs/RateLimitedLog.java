package io.weir.logs;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A logger for messages that may occur thousands of times. Writes at most one line a minute, with
 * the number of skipped messages. Thread-safe.
 */
public final class RateLimitedLog {
  private static final LongAdder SKIPPED = new LongAdder();

  private final Logger log;
  private final AtomicLong skippedSinceLast = new AtomicLong();
  private final OncePerMinute oncePerMinute = new OncePerMinute();

  /** Writes to the logger of this name. */
  public RateLimitedLog(String name) {
    log = System.getLogger(name);
  }

  /** How many lines of this process were skipped because another was written in the last minute. */
  public static long skipped() {
    return SKIPPED.sum();
  }

  /** Logs a failure, unless another was logged in the last minute. */
  public void log(Level level, String what, @Nullable Throwable cause) {
    if (!oncePerMinute.isDue()) {
      skippedSinceLast.incrementAndGet();
      SKIPPED.increment();
      return;
    }
    long others = skippedSinceLast.getAndSet(0);
    String line = others == 0 ? what : what + " (and " + others + " times like this before)";
    if (cause == null) {
      log.log(level, line);
    } else {
      log.log(level, line, cause);
    }
  }
}
