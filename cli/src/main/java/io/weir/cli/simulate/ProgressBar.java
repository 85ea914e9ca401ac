package io.weir.cli.simulate;

import io.weir.rules.replay.Progress;
import java.io.Console;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.time.Duration;
import java.util.function.LongSupplier;

/** A terminal line with the progress, speed and remaining time of a replay. */
public final class ProgressBar implements Progress.Listener, AutoCloseable {
  private static final long BETWEEN_NANOS = Duration.ofMillis(100).toNanos();
  private static final int WIDTH = 30;
  private static final String ERASE = "\r\u001b[K";

  private final PrintWriter err;
  private final LongSupplier nanoTime;
  private final long started;
  private long next;
  private boolean isShown;

  /** A bar on {@code err}. */
  public ProgressBar(PrintWriter err, LongSupplier nanoTime) {
    this.err = err;
    this.nanoTime = nanoTime;
    this.started = nanoTime.getAsLong();
    this.next = started + BETWEEN_NANOS;
  }

  /** Whether the output is for a person: stdin and stdout are a terminal. */
  public static boolean isWanted() {
    Console console = System.console();
    if (console == null) {
      return false;
    }
    try {
      // Since Java 22 there is a console even without a terminal.
      return (boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (NoSuchMethodException e) {
      return true;
    } catch (IllegalAccessException | InvocationTargetException e) {
      return false;
    }
  }

  @Override
  public void at(Progress progress) {
    long now = nanoTime.getAsLong();
    if (now - next >= 0) {
      next = now + BETWEEN_NANOS;
      err.print(ERASE + line(progress, now - started));
      err.flush();
      isShown = true;
    }
  }

  private static String line(Progress progress, long nanos) {
    double seconds = nanos / 1e9;
    String speed =
        HumanFormat.TERMINAL.count(progress.requests())
            + " lines, "
            + HumanFormat.TERMINAL.count(Math.round(progress.requests() / seconds))
            + "/s";
    long all = progress.bytesInAll().orElse(0);
    if (all == 0) {
      return speed;
    }
    double done = Math.min(1, (double) progress.bytesRead() / all);
    int full = (int) (done * WIDTH);
    String left =
        done == 0 || done == 1
            ? ""
            : ", "
                + HumanFormat.TERMINAL.length(
                    Duration.ofSeconds(Math.max(1, Math.round(seconds / done - seconds))))
                + " left";
    return "[%s%s] %d %%  %s%s"
        .formatted("#".repeat(full), "-".repeat(WIDTH - full), (int) (100 * done), speed, left);
  }

  /** Clears the line. */
  @Override
  public void close() {
    if (isShown) {
      err.print(ERASE);
      err.flush();
    }
  }
}
