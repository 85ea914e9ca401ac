package io.weir.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Aligns words in columns, each as wide as its longest word, except for the last. */
final class Columns {
  /** A longer word shifts the rest of its line, but not that of others. */
  private static final int WIDEST = 40;

  private final String indent;
  private final List<String[]> lines = new ArrayList<>();

  Columns() {
    this("  ");
  }

  Columns(String indent) {
    this.indent = indent;
  }

  void add(String... words) {
    lines.add(words);
  }

  void print(PrintWriter out) {
    for (String[] line : lines) {
      StringBuilder text = new StringBuilder(indent);
      for (int i = 0; i < line.length; i++) {
        text.append(line[i]);
        if (i + 1 < line.length) {
          text.append(" ".repeat(Math.max(0, width(i) - line[i].length()) + 2));
        }
      }
      out.println(text.toString().stripTrailing());
    }
  }

  private int width(int column) {
    return lines.stream()
        .filter(line -> column < line.length)
        .mapToInt(line -> line[column].length())
        .filter(width -> width <= WIDEST)
        .max()
        .orElse(0);
  }
}
