package io.weir.rules;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Everything that one question asks of buckets under the rules of one moment. */
abstract class Bill<A> {
  private final List<Demand> demands;

  Bill(List<Demand> demands) {
    this.demands = demands;
  }

  final List<Demand> demands() {
    return demands;
  }

  /** What the demands came to, in the words of whoever asked. */
  abstract A answer();

  /** Whether each demand is on its own, whatever becomes of the others. */
  boolean isEachByItself() {
    return false;
  }

  /** The only demand, if it is a plain charge, as is usual; else null. */
  final @Nullable Demand alone() {
    if (demands.size() != 1) {
      return null;
    }
    Demand only = demands.get(0);
    return only.isPlain() ? only : null;
  }

  /** Whether somebody elsewhere has to be asked. */
  final boolean isElsewhere() {
    for (int i = 0; i < demands.size(); i++) {
      if (demands.get(i).limiter().isRemote()) {
        return true;
      }
    }
    return false;
  }

  /** Whether a demand was decided by limits that are not those it was asked of. */
  final boolean isByOtherLimits() {
    for (int i = 0; i < demands.size(); i++) {
      if (demands.get(i).isByOtherLimits()) {
        return true;
      }
    }
    return false;
  }

  final Stream<Bound> bounds() {
    return demands.stream().map(Demand::bound);
  }
}
