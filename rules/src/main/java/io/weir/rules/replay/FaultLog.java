package io.weir.rules.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Counts lines that are no good, and names the first few. */
final class FaultLog {
  private final List<Fault> first = new ArrayList<>();
  private long count;

  /** Adds a line; the reason is made only if it is among the first. */
  void add(long line, Supplier<String> reason) {
    if (count++ < Faults.NAMED) {
      first.add(new Fault(line, reason.get()));
    }
  }

  Faults faults() {
    return new Faults(count, first);
  }
}
