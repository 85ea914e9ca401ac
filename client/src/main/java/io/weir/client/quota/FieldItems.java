package io.weir.client.quota;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The members of a structured field (RFC 9651), read leniently: a list of items with parameters, or
 * the {@code name=value} members of older forms. Length and number are bounded; unreadable parts
 * are skipped.
 */
final class FieldItems {
  private static final int MAX_CHARACTERS = 4096;
  private static final int MAX_ITEMS = 16;

  private final String text;
  private int at;

  private FieldItems(String text) {
    this.text = text;
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
    while (at < text.length() && items.size() < MAX_ITEMS) {
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

  /** A string without its quotes, or the text up to the next separator. */
  private String word() {
    skipSpaces();
    if (at < text.length() && text.charAt(at) == '"') {
      return quoted();
    }
    int start = at;
    while (at < text.length() && ";,=".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    return text.substring(start, at).strip();
  }

  private String quoted() {
    StringBuilder string = new StringBuilder();
    for (at++; at < text.length() && text.charAt(at) != '"'; at++) {
      if (text.charAt(at) == '\\' && at + 1 < text.length()) {
        at++;
      }
      string.append(text.charAt(at));
    }
    at++;
    return string.toString();
  }

  private boolean take(char expected) {
    skipSpaces();
    boolean isThere = at < text.length() && text.charAt(at) == expected;
    at += isThere ? 1 : 0;
    return isThere;
  }

  private void skipSpaces() {
    while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
      at++;
    }
  }

  private void skipPast(char separator) {
    int next = text.indexOf(separator, Math.min(at, text.length()));
    at = next < 0 ? text.length() : next + 1;
  }
}
