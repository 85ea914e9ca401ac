package io.weir.rules.file;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.weir.rules.Place;
import io.weir.rules.file.Node.Mapping;
import io.weir.rules.file.Node.Scalar;
import io.weir.rules.file.Node.Sequence;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A YAML file of settings: keys, each with a single value or a list of such. It may hold passwords:
 * no problem shows a value.
 *
 * @param entries as far as the file can be read, in its order
 * @param problems what is wrong with the rest
 */
public record SettingsFile(List<Entry> entries, List<Problem> problems) {
  private static final String KINDS = "must be a single value, or a list of such";

  /** Copies the lists. */
  public SettingsFile {
    entries = List.copyOf(entries);
    problems = List.copyOf(problems);
  }

  /** A key and its values. */
  public record Entry(String key, Place place, List<Value> values) {
    /** Copies the list. */
    public Entry {
      values = List.copyOf(values);
    }

    @Override
    public String toString() {
      return place + ": " + key;
    }
  }

  /** A value as it is written, without quotes. */
  public record Value(String text, Place place) {
    @Override
    public String toString() {
      return place.toString();
    }
  }

  /** Reads a file. One with nothing but comments has no entries, and no problems. */
  public static SettingsFile read(Path path) {
    Problems problems = new Problems();
    Place start = new Place(path.toString(), 1, 1);
    byte[] content = new FileReader(problems, any -> {}).read(path, start);
    if (content == null || isBlank(content)) {
      return new SettingsFile(List.of(), problems.inOrder());
    }
    Node root = YamlTree.readSecret(start.file(), content, problems);
    List<Entry> entries = new ArrayList<>();
    if (root instanceof Mapping mapping) {
      mapping.entries().forEach(entry -> read(entry, entries, problems));
    } else if (root != null) {
      problems.error(root.place(), "settings must be a map of keys and values");
    }
    return new SettingsFile(entries, problems.inOrder());
  }

  /** Whether there is nothing but comments. */
  private static boolean isBlank(byte[] content) {
    return new String(content, ISO_8859_1)
        .lines()
        .map(String::strip)
        .allMatch(line -> line.isEmpty() || line.startsWith("#"));
  }

  /** A key in quotes, unless what stands there may be more than a key. */
  public static String shown(String key) {
    return key.matches("[A-Za-z][A-Za-z0-9_-]{0,39}") ? "'" + key + "'" : "what stands here";
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
      into.add(new Entry(entry.key().text(), entry.key().place(), values));
    }
  }
}
