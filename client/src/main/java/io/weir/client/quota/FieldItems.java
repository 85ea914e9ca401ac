package io.weir.client.quota;

import io.weir.field.BareItem;
import io.weir.field.StructuredFieldReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The members of a structured field, read leniently: a list of items with parameters, or the {@code
 * name=value} members of older forms. Values are read by the strict reader of RFC 9651; what it
 * does not accept is text up to the next separator. Length and number are bounded; unreadable parts
 * are skipped.
 */
final class FieldItems {
  private static final int MAX_CHARACTERS = 4096;
  private static final int MAX_ITEMS = 16;

  private final String text;
  private final StructuredFieldReader reader;

  private FieldItems(String text) {
    this.text = text;
    this.reader = new StructuredFieldReader(text);
  }

  /**
   * One member.
   *
   * @param name what precedes the parameters, without quotes
   * @param value of a member {@code name=value}; null for other members
   */
  record Item(String name, @Nullable String value, Map<String, String> parameters) {}

  /** The members of all lines of a field; none if the lines are too long to be plausible. */
  static List<Item> of(List<String> lines) {
    String text = String.join(",", lines);
    return text.length() > MAX_CHARACTERS ? List.of() : new FieldItems(text).items();
  }

  private List<Item> items() {
    List<Item> items = new ArrayList<>();
    while (!reader.isAtEnd() && items.size() < MAX_ITEMS) {
      String name = word();
      String value = take('=') ? word() : null;
      Map<String, String> parameters = new LinkedHashMap<>();
      while (take(';')) {
        String parameter = word();
        parameters.put(parameter, take('=') ? word() : "");
      }
      if (!name.isEmpty()) {
        items.add(new Item(name, value, parameters));
      }
      skipPast(',');
    }
    return items;
  }

  /** A string without its quotes, another value as it is written, or text up to a separator. */
  private String word() {
    reader.skipBlanks();
    int start = reader.position();
    Optional<BareItem> valid = reader.bareItem();
    int end = reader.position();
    if (valid.isPresent() && isSeparated()) {
      return valid.get() instanceof BareItem.Text string
          ? string.value()
          : text.substring(start, end);
    }
    return start < text.length() && text.charAt(start) == '"' ? quoted(start) : raw(start);
  }

  private boolean isSeparated() {
    reader.skipBlanks();
    return reader.isAtEnd() || isSeparator(text.charAt(reader.position()));
  }

  private static boolean isSeparator(char c) {
    return c == ';' || c == ',' || c == '=';
  }

  /** The text up to the next separator. */
  private String raw(int start) {
    int end = start;
    while (end < text.length() && !isSeparator(text.charAt(end))) {
      end++;
    }
    reader.moveTo(end);
    return text.substring(start, end).strip();
  }

  /** A string with characters or escapes that are not allowed, or without its closing quote. */
  private String quoted(int start) {
    StringBuilder string = new StringBuilder();
    int at = start + 1;
    for (; at < text.length() && text.charAt(at) != '"'; at++) {
      if (text.charAt(at) == '\\' && at + 1 < text.length()) {
        at++;
      }
      string.append(text.charAt(at));
    }
    reader.moveTo(Math.min(at + 1, text.length()));
    return string.toString();
  }

  private boolean take(char expected) {
    reader.skipBlanks();
    return reader.take(expected);
  }

  private void skipPast(char separator) {
    int next = text.indexOf(separator, reader.position());
    reader.moveTo(next < 0 ? text.length() : next + 1);
  }
}
