package io.weir.rules.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Counts faulty lines, and keeps the first few. */
final class FaultLog {
  private final List<Fault> first = new ArrayList<>();
  private long count;

  /** Adds a line; the reason is computed only if the line is kept. */
  void add(long line, Supplier<String> reason) {
    if (count++ < Faults.NAMED) {
      first.add(new Fault(line, reason.get()));
    }
  }

  Faults faults() {
    return new Faults(count, first);
  }
}
