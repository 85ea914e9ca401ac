package io.weir.rules.engine;

import io.weir.rules.Rule;
import io.weir.rules.match.MalformedRequestException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Joins several values into one unique text: joined by {@code |}, with {@code |} and {@code \} in
 * values escaped by {@code \}.
 */
public final class KeyJoiner {
  private final StringBuilder text = new StringBuilder();
  private boolean isFirst = true;

  public static String of(List<String> values) {
    if (values.size() == 1) {
      return of(values.get(0));
    }
    KeyJoiner keyJoiner = new KeyJoiner();
    values.forEach(keyJoiner::add);
    return keyJoiner.toString();
  }

  /** The key of a single value: nearly always the value itself. */
  public static String of(String value) {
    return isPlain(value) ? value : new KeyJoiner().add(value).toString();
  }

  public KeyJoiner add(String value) {
    if (!isFirst) {
      text.append('|');
    }
    isFirst = false;
    if (isPlain(value)) {
      text.append(value);
    } else {
      for (int i = 0; i < value.length(); i++) {
        char c = value.charAt(i);
        if (c == '|' || c == '\\') {
          text.append('\\');
        }
        text.append(c);
      }
    }
    return this;
  }

  /** The values of a key. */
  public static List<String> split(String key) {
    List<String> values = new ArrayList<>();
    StringBuilder value = new StringBuilder();
    for (int i = 0; i < key.length(); i++) {
      char c = key.charAt(i);
      if (c == '|') {
        values.add(value.toString());
        value.setLength(0);
      } else {
        value.append(c == '\\' && i + 1 < key.length() ? key.charAt(++i) : c);
      }
    }
    values.add(value.toString());
    return values;
  }

  /** Requires a value that a rule needs. */
  public static String required(@Nullable String value, String name, Rule rule) {
    if (value == null || value.isEmpty()) {
      throw new MalformedRequestException(
          "'" + name + "' is missing: rule '" + rule.name() + "' has a bucket for each");
    }
    return value;
  }

  private static boolean isPlain(String value) {
    return value.indexOf('|') < 0 && value.indexOf('\\') < 0;
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
