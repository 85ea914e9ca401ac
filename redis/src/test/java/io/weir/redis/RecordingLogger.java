package io.weir.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;

/** A logger that remembers its lines. */
final class RecordingLogger implements System.Logger {
  private final List<String> lines = new ArrayList<>();

  /** What was logged since the last time, each line as {@code LEVEL text}. */
  List<String> take() {
    List<String> taken = List.copyOf(lines);
    lines.clear();
    return taken;
  }

  @Override
  public String getName() {
    return "lines";
  }

  @Override
  public boolean isLoggable(Level level) {
    return true;
  }

  @Override
  public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
    lines.add(level + " " + message);
  }

  @Override
  public void log(Level level, ResourceBundle bundle, String format, Object... params) {
    lines.add(level + " " + format);
  }
}
