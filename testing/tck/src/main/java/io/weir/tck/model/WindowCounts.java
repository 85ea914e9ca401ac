package io.weir.tck.model;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A count for each window or epoch, by its start. */
final class WindowCounts {
  private final TreeMap<Fraction, Long> counts = new TreeMap<>();

  /** Whether there are counts later than {@code start}: a reservation closes earlier windows. */
  boolean isClosed(Fraction start) {
    return !counts.isEmpty() && counts.lastKey().isAbove(start);
  }

  long at(Fraction start) {
    return counts.getOrDefault(start, 0L);
  }

  /** The sum over starts after {@code after}, up to and including {@code last}. */
  long between(Fraction after, Fraction last) {
    return counts.subMap(after, false, last, true).values().stream().mapToLong(n -> n).sum();
  }

  void add(Fraction start, long permits) {
    counts.merge(start, permits, Long::sum);
  }

  /** Subtracts up to {@code permits}, and returns how many that were. */
  long takeOff(Fraction start, long permits) {
    long taken = Math.min(permits, at(start));
    counts.computeIfPresent(start, (same, count) -> count - taken);
    return taken;
  }

  /** The newest start with a count. */
  Optional<Fraction> newest() {
    return counts.isEmpty() ? Optional.empty() : Optional.of(counts.lastKey());
  }

  /** The earliest start after {@code after} with a count. */
  Optional<Fraction> firstAfter(Fraction after) {
    return counts.tailMap(after, false).entrySet().stream()
        .filter(entry -> entry.getValue() > 0)
        .map(Map.Entry::getKey)
        .findFirst();
  }

  void clear() {
    counts.clear();
  }

  /** The sum over all starts after {@code after}. */
  long sumAfter(Fraction after) {
    return counts.tailMap(after, false).values().stream().mapToLong(n -> n).sum();
  }

  /** Adds {@code permits}, up to {@code max}; a larger existing count stays. */
  void add(Fraction start, long permits, long max) {
    add(start, Math.max(0, Math.min(permits, max - at(start))));
  }

  WindowCounts copy() {
    WindowCounts copy = new WindowCounts();
    copy.counts.putAll(counts);
    return copy;
  }
}
