package io.weir.server.traffic;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ObjLongConsumer;

/** A counter for each of some constants; all are there from the start, at zero. Thread-safe. */
public final class Counters<E extends Enum<E>> {
  private final Set<E> kinds;
  private final LongAdder[] counts; // by ordinal

  /** One for each of {@code kinds}, of which there is at least one. */
  public Counters(Set<E> kinds) {
    this.kinds = EnumSet.copyOf(kinds);
    this.counts =
        new LongAdder[kinds.iterator().next().getDeclaringClass().getEnumConstants().length];
    for (E kind : kinds) {
      counts[kind.ordinal()] = new LongAdder();
    }
  }

  /** Counts one; nothing is counted of a constant that is not among the kinds. */
  public void add(E kind) {
    if (kinds.contains(kind)) {
      counts[kind.ordinal()].increment();
    }
  }

  /** How many there were. */
  public long count(E kind) {
    return kinds.contains(kind) ? counts[kind.ordinal()].sum() : 0;
  }

  /** Every kind as its label, such as {@code connect_timeout}, with its count. */
  public void forEach(ObjLongConsumer<String> reader) {
    for (E kind : kinds) {
      reader.accept(kind.toString().toLowerCase(Locale.ROOT), counts[kind.ordinal()].sum());
    }
  }
}
