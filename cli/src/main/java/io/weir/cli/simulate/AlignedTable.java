package io.weir.cli.simulate;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Aligned columns: the first and the last to the left, the numbers between them to the right. */
final class AlignedTable {
  private static final int GAP = 2;

  private final int columns;
  private final List<List<String>> rows = new ArrayList<>();

  AlignedTable(String... titles) {
    this.columns = titles.length;
    add(titles);
  }

  void add(String... cells) {
    rows.add(List.of(cells));
  }

  /** Adds a horizontal line. */
  void line() {
    rows.add(List.of());
  }

  void print(PrintWriter out) {
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < row.size(); i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (List<String> row : rows) {
      out.println(row.isEmpty() ? across(widths) : line(row, widths));
    }
  }

  private String across(int[] widths) {
    int width = 0;
    for (int i = 0; i + 1 < columns; i++) {
      width += widths[i] + (i == 0 ? 0 : GAP);
    }
    return "-".repeat(width);
  }

  private String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < columns; i++) {
      String cell = row.get(i);
      String space = " ".repeat(widths[i] - cell.length());
      boolean toTheLeft = i == 0 || i + 1 == columns;
      line.append(i == 0 ? "" : " ".repeat(GAP)).append(toTheLeft ? cell + space : space + cell);
    }
    return line.toString().stripTrailing();
  }
}
