package io.weir.rules.file;

import io.weir.rules.SourceLocation;
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
    List<String> cells = new ArrayList<>();
    int at = 0;
    while (true) {
      while (at < line.length() && line.charAt(at) == ' ') {
        at++;
      }
      int end;
      if (at < line.length() && line.charAt(at) == '"') {
        StringBuilder cell = new StringBuilder();
        end = quoted(line, at, cell);
        if (end < 0) {
          problemCollector.error(
              new SourceLocation(file, number, at + 1),
              "the quote that opens here is never closed");
          return null;
        }
        cells.add(cell.toString());
        while (end < line.length() && line.charAt(end) == ' ') {
          end++;
        }
        if (end < line.length() && line.charAt(end) != ',') {
          problemCollector.error(
              new SourceLocation(file, number, end + 1),
              "a comma must follow after a cell in quotes");
          return null;
        }
      } else {
        int comma = line.indexOf(',', at);
        end = comma < 0 ? line.length() : comma;
        cells.add(line.substring(at, end).strip());
      }
      if (end >= line.length()) {
        return cells;
      }
      at = end + 1;
    }
  }

  /** Reads a quoted cell; returns its end, or -1 if the quote is not closed. */
  private static int quoted(String line, int start, StringBuilder cell) {
    int at = start + 1;
    while (at < line.length()) {
      char c = line.charAt(at++);
      if (c != '"') {
        cell.append(c);
      } else if (at < line.length() && line.charAt(at) == '"') {
        cell.append('"');
        at++;
      } else {
        return at;
      }
    }
    return -1;
  }

  /** A line. */
  record Row(String key, String value, SourceLocation sourceLocation) {}
}
