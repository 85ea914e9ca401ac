package io.weir.rules.file;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.weir.rules.Problem;
import io.weir.rules.SourceLocation;
import io.weir.rules.yaml.BoundedFileReader;
import io.weir.rules.yaml.ProblemCollector;
import io.weir.rules.yaml.YamlNode;
import io.weir.rules.yaml.YamlNode.Mapping;
import io.weir.rules.yaml.YamlNode.Scalar;
import io.weir.rules.yaml.YamlNode.Sequence;
import io.weir.rules.yaml.YamlTree;
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
  public record Entry(
      String key, SourceLocation sourceLocation, List<Value> values, List<Row> rows) {
    /** Copies the lists. */
    public Entry {
      values = List.copyOf(values);
      rows = List.copyOf(rows);
    }

    @Override
    public String toString() {
      return sourceLocation + ": " + key;
    }
  }

  /** One map of a table. */
  public record Row(SourceLocation sourceLocation, List<Entry> entries) {
    /** Copies the list. */
    public Row {
      entries = List.copyOf(entries);
    }
  }

  /** A value as it is written, without quotes. */
  public record Value(String text, SourceLocation sourceLocation) {
    @Override
    public String toString() {
      return sourceLocation.toString();
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
    ProblemCollector problemCollector = new ProblemCollector();
    SourceLocation start = new SourceLocation(path.toString(), 1, 1);
    byte[] content = BoundedFileReader.once(problemCollector).read(path, start);
    if (content == null || isBlank(content)) {
      return new SettingsFile(List.of(), problemCollector.inOrder());
    }
    YamlNode root = YamlTree.readSecret(start.file(), content, problemCollector);
    List<Entry> entries = new ArrayList<>();
    if (root instanceof Mapping mapping) {
      for (YamlNode.Entry entry : mapping.entries()) {
        if (tables.contains(entry.key().text())) {
          readTable(entry, entries, problemCollector);
        } else {
          read(entry, entries, problemCollector);
        }
      }
    } else if (root != null) {
      problemCollector.error(root.sourceLocation(), "settings must be a map of keys and values");
    }
    return new SettingsFile(entries, problemCollector.inOrder());
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

  private static void readTable(
      YamlNode.Entry entry, List<Entry> into, ProblemCollector problemCollector) {
    List<Row> rows = new ArrayList<>();
    String key = entry.key().text();
    if (!(entry.value() instanceof Sequence list)) {
      problemCollector.error(
          entry.value().sourceLocation(), shown(key) + " must be a list of maps");
      return;
    }
    for (YamlNode item : list.items()) {
      List<Entry> fields = new ArrayList<>();
      if (item instanceof Mapping mapping) {
        mapping.entries().forEach(field -> read(field, fields, problemCollector));
        rows.add(new Row(item.sourceLocation(), fields));
      } else {
        problemCollector.error(
            item.sourceLocation(), "an item of " + shown(key) + " must be a map");
      }
    }
    into.add(new Entry(key, entry.key().sourceLocation(), List.of(), rows));
  }

  private static void read(
      YamlNode.Entry entry, List<Entry> into, ProblemCollector problemCollector) {
    List<YamlNode> yamlNodes =
        entry.value() instanceof Sequence list ? list.items() : List.of(entry.value());
    List<Value> values = new ArrayList<>();
    for (YamlNode yamlNode : yamlNodes) {
      if (yamlNode instanceof Scalar scalar && !scalar.isNull()) {
        values.add(new Value(scalar.text(), scalar.sourceLocation()));
      } else {
        String what =
            yamlNode instanceof Scalar ? "has no value; leave it out, or give it one" : KINDS;
        problemCollector.error(yamlNode.sourceLocation(), shown(entry.key().text()) + " " + what);
      }
    }
    if (values.size() == yamlNodes.size()) {
      into.add(new Entry(entry.key().text(), entry.key().sourceLocation(), values, List.of()));
    }
  }
}
