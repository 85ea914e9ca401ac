package io.weir.logs;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A log entry: a text for people, and the same content in fields for programs. The text format does
 * not show the fields, so the text must be complete.
 *
 * <pre>{@code
 * LogEntry.of("rules reloaded: 3 rules").with("rules", 3).log(LOG, Level.INFO);
 * }</pre>
 */
public final class LogEntry {
  /** The maximum number of list items; a log field is not an archive. */
  private static final int MAX_ITEMS = 50;

  private final String text;
  private final Map<String, Object> fields = new LinkedHashMap<>();

  private LogEntry(String text) {
    this.text = text;
  }

  /** An entry without fields. */
  public static LogEntry of(String text) {
    return new LogEntry(text);
  }

  /** Adds a text field. */
  public LogEntry with(String field, String value) {
    fields.put(field, value);
    return this;
  }

  /** Adds a number field. */
  public LogEntry with(String field, long value) {
    fields.put(field, value);
    return this;
  }

  /** Adds a boolean field. */
  public LogEntry with(String field, boolean value) {
    fields.put(field, value);
    return this;
  }

  /**
   * Adds a list of texts, or of entries with fields of their own. Only the first fifty are kept.
   */
  public LogEntry with(String field, List<?> values) {
    List<Object> items = new ArrayList<>();
    values.stream()
        .limit(MAX_ITEMS)
        .forEach(value -> items.add(value instanceof LogEntry ? value : String.valueOf(value)));
    fields.put(field, List.copyOf(items));
    return this;
  }

  /** Logs the entry itself, so that the log formatter finds its fields. */
  public void log(System.Logger to, System.Logger.Level level) {
    to.log(level, "{0}", this);
  }

  /** Texts, whole numbers, booleans, and lists of texts or entries, by name. */
  Map<String, Object> fields() {
    return fields;
  }

  /** The text. */
  @Override
  public String toString() {
    return text;
  }
}
