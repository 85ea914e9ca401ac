package io.weir.rules.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Counts faulty lines, and keeps the first few. */
public final class BadLineCounter {
  private final List<BadLine> first = new ArrayList<>();
  private long count;

  /** Adds a line; the reason is computed only if the line is kept. */
  void add(long line, Supplier<String> reason) {
    if (count++ < BadLines.NAMED) {
      first.add(new BadLine(line, reason.get()));
    }
  }

  public BadLines badLines() {
    return new BadLines(count, first);
  }
}
