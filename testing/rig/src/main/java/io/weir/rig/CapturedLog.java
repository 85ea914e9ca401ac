package io.weir.rig;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Captures the output of a logger of this process while it is open. */
public final class CapturedLog extends Handler implements AutoCloseable {
  private static final String WARNING = Level.WARNING + " ";

  private final Logger logger;
  private final SimpleFormatter formatter = new SimpleFormatter();
  private final List<String> lines = new CopyOnWriteArrayList<>();

  /** Attaches to the logger of that name. */
  public CapturedLog(String name) {
    logger = Logger.getLogger(name);
    logger.addHandler(this);
  }

  /** Each line as {@code LEVEL text}. */
  public List<String> lines() {
    return lines;
  }

  /** The text of each warning. */
  public List<String> warnings() {
    return lines.stream()
        .filter(line -> line.startsWith(WARNING))
        .map(line -> line.substring(WARNING.length()))
        .toList();
  }

  /** Waits for a warning that contains {@code part}. */
  public void awaitWarning(String part) {
    Await.holds(
        "a warning says: " + part, () -> warnings().stream().anyMatch(line -> line.contains(part)));
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
