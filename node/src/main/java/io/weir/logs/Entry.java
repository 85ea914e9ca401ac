package io.weir.logs;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A line of the log: a text for people, and the same in fields for programs. Where lines are text
 * the fields are not shown, so the text says it all.
 *
 * <pre>{@code
 * Entry.of("rules reloaded: 3 rules").with("rules", 3).log(LOG, Level.INFO);
 * }</pre>
 */
public final class Entry {
  /** Of a list; a field is for reading, not for archives. */
  private static final int MOST_ITEMS = 50;

  private final String text;
  private final Map<String, Object> fields = new LinkedHashMap<>();

  private Entry(String text) {
    this.text = text;
  }

  /** A line without fields. */
  public static Entry of(String text) {
    return new Entry(text);
  }

  /** With a text. */
  public Entry with(String field, String value) {
    fields.put(field, value);
    return this;
  }

  /** With a number. */
  public Entry with(String field, long value) {
    fields.put(field, value);
    return this;
  }

  /** With true or false. */
  public Entry with(String field, boolean value) {
    fields.put(field, value);
    return this;
  }

  /** With texts, or with entries that have fields of their own; the first fifty of them. */
  public Entry with(String field, List<?> values) {
    List<Object> items = new ArrayList<>();
    values.stream()
        .limit(MOST_ITEMS)
        .forEach(value -> items.add(value instanceof Entry ? value : String.valueOf(value)));
    fields.put(field, List.copyOf(items));
    return this;
  }

  /** Logs it: as what the line is made of, so that whoever writes it finds the fields. */
  public void log(System.Logger to, System.Logger.Level level) {
    to.log(level, "{0}", this);
  }

  /** Texts, whole numbers, truths, and lists of texts or entries, by name. */
  Map<String, Object> fields() {
    return fields;
  }

  /** The text. */
  @Override
  public String toString() {
    return text;
  }
}
