package io.weir.rules.file;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.weir.rules.Place;
import io.weir.rules.file.Node.Mapping;
import io.weir.rules.file.Node.Scalar;
import io.weir.rules.file.Node.Sequence;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A YAML settings file: keys with a scalar, a list of scalars, or a table: a list of maps of those.
 * It may contain passwords, so no problem shows a value.
 *
 * @param entries the readable entries, in the order of the file
 * @param problems the errors in the rest
 */
public record SettingsFile(List<Entry> entries, List<Problem> problems) {
  private static final String KINDS = "must be a single value, or a list of such";

  /** Copies the lists. */
  public SettingsFile {
    entries = List.copyOf(entries);
    problems = List.copyOf(problems);
  }

  /**
   * A key and its values.
   *
   * @param rows the rows of a table, which has no values
   */
  public record Entry(String key, Place place, List<Value> values, List<Row> rows) {
    /** Copies the lists. */
    public Entry {
      values = List.copyOf(values);
      rows = List.copyOf(rows);
    }

    @Override
    public String toString() {
      return place + ": " + key;
    }
  }

  /** One map of a table. */
  public record Row(Place place, List<Entry> entries) {
    /** Copies the list. */
    public Row {
      entries = List.copyOf(entries);
    }
  }

  /** A value as it is written, without quotes. */
  public record Value(String text, Place place) {
    @Override
    public String toString() {
      return place.toString();
    }
  }

  /** Reads a file without tables. */
  public static SettingsFile read(Path path) {
    return read(path, Set.of());
  }

  /**
   * Reads a file. A file with only comments has no entries and no problems.
   *
   * @param tables the keys with a table as value
   */
  public static SettingsFile read(Path path, Set<String> tables) {
    Problems problems = new Problems();
    Place start = new Place(path.toString(), 1, 1);
    byte[] content = FileReader.once(problems).read(path, start);
    if (content == null || isBlank(content)) {
      return new SettingsFile(List.of(), problems.inOrder());
    }
    Node root = YamlTree.readSecret(start.file(), content, problems);
    List<Entry> entries = new ArrayList<>();
    if (root instanceof Mapping mapping) {
      for (Node.Entry entry : mapping.entries()) {
        if (tables.contains(entry.key().text())) {
          readTable(entry, entries, problems);
        } else {
          read(entry, entries, problems);
        }
      }
    } else if (root != null) {
      problems.error(root.place(), "settings must be a map of keys and values");
    }
    return new SettingsFile(entries, problems.inOrder());
  }

  /** Whether there are only comments. */
  private static boolean isBlank(byte[] content) {
    return new String(content, ISO_8859_1)
        .lines()
        .map(String::strip)
        .allMatch(line -> line.isEmpty() || line.startsWith("#"));
  }

  /** A key in quotes, unless the text may contain more than a key. */
  public static String shown(String key) {
    return key.matches("[A-Za-z][A-Za-z0-9_-]{0,39}") ? "'" + key + "'" : "what stands here";
  }

  private static void readTable(Node.Entry entry, List<Entry> into, Problems problems) {
    List<Row> rows = new ArrayList<>();
    String key = entry.key().text();
    if (!(entry.value() instanceof Sequence list)) {
      problems.error(entry.value().place(), shown(key) + " must be a list of maps");
      return;
    }
    for (Node item : list.items()) {
      List<Entry> fields = new ArrayList<>();
      if (item instanceof Mapping mapping) {
        mapping.entries().forEach(field -> read(field, fields, problems));
        rows.add(new Row(item.place(), fields));
      } else {
        problems.error(item.place(), "an item of " + shown(key) + " must be a map");
      }
    }
    into.add(new Entry(key, entry.key().place(), List.of(), rows));
  }

  private static void read(Node.Entry entry, List<Entry> into, Problems problems) {
    List<Node> nodes =
        entry.value() instanceof Sequence list ? list.items() : List.of(entry.value());
    List<Value> values = new ArrayList<>();
    for (Node node : nodes) {
      if (node instanceof Scalar scalar && !scalar.isNull()) {
        values.add(new Value(scalar.text(), scalar.place()));
      } else {
        String what = node instanceof Scalar ? "has no value; leave it out, or give it one" : KINDS;
        problems.error(node.place(), shown(entry.key().text()) + " " + what);
      }
    }
    if (values.size() == nodes.size()) {
      into.add(new Entry(entry.key().text(), entry.key().place(), values, List.of()));
    }
  }
}
