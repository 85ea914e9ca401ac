package io.weir.redis;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** What a logger of the process logs, for as long as this is open. */
final class Logged extends Handler implements AutoCloseable {
  private final Logger logger;
  private final SimpleFormatter formatter = new SimpleFormatter();
  private final List<String> lines = new CopyOnWriteArrayList<>();

  Logged(String name) {
    logger = Logger.getLogger(name);
    logger.addHandler(this);
  }

  /** Each line as {@code LEVEL text}. */
  List<String> lines() {
    return lines;
  }

  @Override
  public void publish(LogRecord line) {
    lines.add(line.getLevel() + " " + formatter.formatMessage(line));
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
  }
}
