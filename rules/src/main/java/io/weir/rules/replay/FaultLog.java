package io.weir.rules.replay;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Counts lines that are left out, and names the first few. */
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

  /** These and {@code others} together. */
  Faults and(Faults others) {
    List<Fault> together =
        Stream.concat(first.stream(), others.first().stream())
            .sorted(Comparator.comparingLong(Fault::line))
            .limit(Faults.NAMED)
            .toList();
    return new Faults(count + others.count(), together);
  }
}
