package io.weir.server.admin;

import io.weir.rig.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What the Redis store logs, from now on. */
public final class RedisLogCapture implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Logger logger = Logger.getLogger("io.weir.redis");
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          lines.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  /** Begins. */
  public RedisLogCapture() {
    logger.addHandler(handler);
  }

  /** All so far. */
  public List<String> all() {
    return List.copyOf(lines);
  }

  /** The last line with these words, as soon as there is one. */
  public String await(String words) {
    Await.holds(
        () -> "a line with '" + words + "' among " + lines,
        PATIENCE,
        () -> lines.stream().anyMatch(line -> line.contains(words)));
    return lines.stream().filter(line -> line.contains(words)).reduce("", (one, next) -> next);
  }

  @Override
  public void close() {
    logger.removeHandler(handler);
  }
}
