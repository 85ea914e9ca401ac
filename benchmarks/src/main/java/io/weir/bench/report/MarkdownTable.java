package io.weir.bench.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/** A table that is readable on a terminal and valid Markdown. */
public final class MarkdownTable {
  private final List<List<String>> rows = new ArrayList<>();

  /** A table with these columns. */
  public MarkdownTable(String... header) {
    rows.add(List.of(header));
  }

  /** Adds a row. */
  public void row(String... cells) {
    if (cells.length != rows.get(0).size()) {
      throw new IllegalArgumentException(
          "a row has " + rows.get(0).size() + " cells, but got " + List.of(cells));
    }
    rows.add(List.of(cells));
  }

  /** Whether no row was added. */
  public boolean isEmpty() {
    return rows.size() == 1;
  }

  @Override
  public String toString() {
    int columns = rows.get(0).size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    StringBuilder text = new StringBuilder(line(rows.get(0), widths));
    text.append(line(Collections.nCopies(columns, "---"), widths).replace(' ', '-'));
    rows.stream().skip(1).forEach(row -> text.append(line(row, widths)));
    return text.toString();
  }

  private static String line(List<String> cells, int[] widths) {
    List<String> padded = new ArrayList<>();
    for (int i = 0; i < widths.length; i++) {
      padded.add(cells.get(i) + " ".repeat(Math.max(0, widths[i] - cells.get(i).length())));
    }
    return padded.stream().collect(Collectors.joining(" | ", "| ", " |\n"));
  }
}
