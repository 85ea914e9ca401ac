package io.weir.rules.file;

import io.weir.rules.SourceLocation;
import io.weir.rules.text.Excerpt;
import io.weir.rules.yaml.BoundedFileReader;
import io.weir.rules.yaml.ProblemCollector;
import io.weir.rules.yaml.Utf8;
import io.weir.rules.yaml.YamlNode.Scalar;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The lookup tables of a set of rule files; each CSV file is read once. */
final class Lookups {
  private final ProblemCollector problemCollector;
  private final BoundedFileReader files;
  private final Map<Path, List<CsvRows.Row>> read = new HashMap<>();

  Lookups(ProblemCollector problemCollector, BoundedFileReader files) {
    this.problemCollector = problemCollector;
    this.files = files;
  }

  /**
   * The table in the CSV file {@code name}, relative to the rule file that contains the name; null,
   * and an error, if it is invalid. The first line may be a header: {@code key,value}, or the names
   * of the two attributes.
   */
  @Nullable Map<String, String> table(Scalar name, List<String> attributes) {
    List<CsvRows.Row> rows = rows(name);
    if (rows == null) {
      return null;
    }
    Map<String, String> table = new LinkedHashMap<>();
    Map<String, Integer> lines = new HashMap<>();
    boolean isFirst = true;
    for (CsvRows.Row row : rows) {
      if (!(isFirst && isHeader(row, attributes))) {
        Integer line = lines.putIfAbsent(row.key(), row.sourceLocation().line());
        table.putIfAbsent(row.key(), row.value());
        if (line != null) {
          problemCollector.error(
              row.sourceLocation(),
              "duplicate key " + Excerpt.quoted(row.key()) + "; the first is in line " + line);
        }
      }
      isFirst = false;
    }
    return table;
  }

  private static boolean isHeader(CsvRows.Row row, List<String> attributes) {
    List<String> cells = List.of(row.key(), row.value());
    return cells.equals(List.of("key", "value")) || cells.equals(attributes);
  }

  private @Nullable List<CsvRows.Row> rows(Scalar name) {
    Path path;
    try {
      path = Path.of(name.sourceLocation().file()).resolveSibling(name.text());
    } catch (InvalidPathException e) {
      problemCollector.error(
          name.sourceLocation(), Excerpt.quoted(name.text()) + " cannot be the name of a file");
      return null;
    }
    if (read.containsKey(path)) {
      return read.get(path);
    }
    files.remember(path);
    if (!Files.isRegularFile(path)) {
      problemCollector.error(
          name.sourceLocation(),
          "lookup file "
              + Excerpt.quoted(name.text())
              + (Files.exists(path) ? " is not a file" : " is missing")
              + "; it was looked for at "
              + Excerpt.of(path.toString(), 200));
      return null;
    }
    List<CsvRows.Row> rows = rows(path);
    if (rows != null) {
      read.put(path, rows);
    }
    return rows;
  }

  private @Nullable List<CsvRows.Row> rows(Path path) {
    String file = path.toString();
    problemCollector.reading(file);
    byte[] content = files.read(path, new SourceLocation(file, 1, 1));
    String text = content == null ? null : Utf8.decode(file, content, problemCollector);
    return text == null ? null : CsvRows.parse(file, text, problemCollector);
  }
}
