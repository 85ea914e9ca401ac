package io.weir.redis;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * The log lines about one shard: a few a minute at most, and then one that sums up the rest.
 *
 * <p>Not safe for threads by itself: used under its breaker's lock.
 */
final class Journal {
  private static final long MINUTE = Duration.ofMinutes(1).toNanos();
  private static final int LINES_A_MINUTE = 6;

  private final System.Logger log;
  private final Executor writer;
  private final Timer timer;
  private final Runnable whenMinuteIsOver;
  private boolean counting;
  private int lines;
  private int keptBack;

  /**
   * A journal that writes to {@code log}.
   *
   * @param writer where that is done: a log may be slow, and whoever has a line to write keeps
   *     others waiting, who are to be told by the same thread that their deadline has passed
   * @param whenMinuteIsOver is to call {@link #turnPage}, under the lock
   */
  Journal(System.Logger log, Executor writer, Timer timer, Runnable whenMinuteIsOver) {
    this.log = log;
    this.writer = writer;
    this.timer = timer;
    this.whenMinuteIsOver = whenMinuteIsOver;
  }

  /** Writes {@code line}, or only counts it if there were many. */
  void write(Level level, String line) {
    if (!counting) {
      counting = true;
      timer.after(MINUTE, whenMinuteIsOver);
    }
    if (lines < LINES_A_MINUTE) {
      lines++;
      writer.execute(() -> log.log(level, line));
    } else {
      keptBack++;
    }
  }

  /**
   * A minute is over: tells how much was kept back in it.
   *
   * @param present the subject and how it stands: "Redis 127.0.0.1:6379 answers"
   */
  void turnPage(String present) {
    int more = keptBack;
    counting = false;
    lines = 0;
    keptBack = 0;
    if (more > 0) {
      write(Level.WARNING, present + " now; its state has changed " + more + " times more");
    }
  }
}
