package io.weir.rules.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.rules.SourceLocation;
import io.weir.rules.text.CsvCell;
import io.weir.rules.yaml.ProblemCollector;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a CSV file with two columns. Cells may be in double quotes, in which a quote is
 * doubled. Blanks around a cell are ignored, and so are empty lines. There are no comments.
 */
final class CsvRows {
  private final String file;
  private final ProblemCollector problemCollector;
  private final List<Row> rows = new ArrayList<>();

  private CsvRows(String file, ProblemCollector problemCollector) {
    this.file = file;
    this.problemCollector = problemCollector;
  }

  static List<Row> parse(String file, String text, ProblemCollector problemCollector) {
    CsvRows csv = new CsvRows(file, problemCollector);
    int number = 0;
    int start = 0;
    while (start < text.length()) {
      int end = text.indexOf('\n', start);
      end = end < 0 ? text.length() : end;
      csv.line(++number, text.substring(start, end).stripTrailing());
      start = end + 1;
    }
    return csv.rows;
  }

  private void line(int number, String line) {
    if (line.isBlank()) {
      return;
    }
    List<String> cells = cells(number, line);
    if (cells == null) {
      return;
    }
    SourceLocation sourceLocation = new SourceLocation(file, number, 1);
    if (cells.size() != 2) {
      problemCollector.error(
          sourceLocation, "a line has two columns, key,value, but this one has " + cells.size());
    } else if (cells.get(0).isEmpty() || cells.get(1).isEmpty()) {
      problemCollector.error(
          sourceLocation, "the " + (cells.get(0).isEmpty() ? "key" : "value") + " is missing");
    } else {
      rows.add(new Row(cells.get(0), cells.get(1), sourceLocation));
    }
  }

  /** The cells of a line; null, and an error, if a quote is misplaced. */
  private @Nullable List<String> cells(int number, String line) {
    byte[] bytes = line.getBytes(UTF_8);
    List<String> cells = new ArrayList<>();
    int at = 0;
    while (true) {
      int start = skipBlanks(bytes, at);
      CsvCell cell = new CsvCell(bytes, start, bytes.length);
      if (!cell.isClosed()) {
        problemCollector.error(
            at(number, bytes, start), "the quote that opens here is never closed");
        return null;
      }
      boolean isQuoted = cell.from() > start;
      cells.add(isQuoted ? cell.text() : cell.text().strip());
      int end = skipBlanks(bytes, cell.end());
      if (end == bytes.length) {
        return cells;
      }
      if (bytes[end] != ',') {
        problemCollector.error(
            at(number, bytes, end), "a comma must follow after a cell in quotes");
        return null;
      }
      at = end + 1;
    }
  }

  private static int skipBlanks(byte[] bytes, int from) {
    int at = from;
    while (at < bytes.length && bytes[at] == ' ') {
      at++;
    }
    return at;
  }

  private SourceLocation at(int number, byte[] line, int index) {
    return new SourceLocation(file, number, new String(line, 0, index, UTF_8).length() + 1);
  }

  /** A line. */
  record Row(String key, String value, SourceLocation sourceLocation) {}
}
