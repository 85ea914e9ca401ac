package io.weir.rules.yaml;

import io.weir.rules.SourceLocation;
import io.weir.rules.text.Excerpt;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A value in a YAML file, with its place. */
public sealed interface YamlNode {
  /** Where it starts; for an alias, the place of the aliased value. */
  SourceLocation sourceLocation();

  /** A description for messages: {@code a list}, {@code 'abc'}. */
  String inWords();

  /**
   * A single value.
   *
   * @param text as written: {@code 010} and {@code yes} are not converted
   * @param isPlain whether it was written without quotes
   */
  record Scalar(String text, boolean isPlain, SourceLocation sourceLocation) implements YamlNode {
    private static final Set<String> NULLS = Set.of("", "~", "null", "Null", "NULL");

    /** Whether it is null: empty, {@code ~} or {@code null}, without quotes. */
    public boolean isNull() {
      return isPlain && NULLS.contains(text);
    }

    /** Whether the value is missing. */
    boolean isEmpty() {
      return isPlain && text.isEmpty();
    }

    @Override
    public String inWords() {
      return isEmpty() ? "nothing" : Excerpt.quoted(text);
    }
  }

  /** A list. */
  record Sequence(List<YamlNode> items, SourceLocation sourceLocation) implements YamlNode {
    @Override
    public String inWords() {
      return "a list";
    }
  }

  /**
   * Keys and their values.
   *
   * @param entries in the order of the file, without duplicate keys
   */
  record Mapping(List<Entry> entries, SourceLocation sourceLocation) implements YamlNode {
    /** The entry for {@code key}; null if there is none. Scans the entries. */
    @Nullable
    public Entry entry(String key) {
      for (Entry entry : entries) {
        if (entry.key().text().equals(key)) {
          return entry;
        }
      }
      return null;
    }

    @Override
    public String inWords() {
      return "a map";
    }
  }

  /** A key and its value. */
  record Entry(Scalar key, YamlNode value) {}
}
