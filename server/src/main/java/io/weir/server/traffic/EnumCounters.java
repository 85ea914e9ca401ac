package io.weir.server.traffic;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ObjLongConsumer;

/** One counter per enum constant, all starting at zero. Thread-safe. */
public final class EnumCounters<E extends Enum<E>> {
  private final Set<E> kinds;
  private final LongAdder[] counts; // by ordinal

  /** One counter for each of {@code kinds}, which must not be empty. */
  public EnumCounters(Set<E> kinds) {
    this.kinds = EnumSet.copyOf(kinds);
    this.counts =
        new LongAdder[kinds.iterator().next().getDeclaringClass().getEnumConstants().length];
    for (E kind : kinds) {
      counts[kind.ordinal()] = new LongAdder();
    }
  }

  /** Increments a counter; ignores constants that are not among the kinds. */
  public void add(E kind) {
    if (kinds.contains(kind)) {
      counts[kind.ordinal()].increment();
    }
  }

  /** The value of a counter. */
  public long count(E kind) {
    return kinds.contains(kind) ? counts[kind.ordinal()].sum() : 0;
  }

  /** Passes each kind's label, such as {@code connect_timeout}, and count to {@code reader}. */
  public void forEach(ObjLongConsumer<String> reader) {
    for (E kind : kinds) {
      reader.accept(kind.toString().toLowerCase(Locale.ROOT), counts[kind.ordinal()].sum());
    }
  }
}
