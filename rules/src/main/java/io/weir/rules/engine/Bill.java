package io.weir.rules.engine;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All demands of one question on buckets, under the rules of one moment. */
public abstract class Bill<A> {
  private final List<Demand> demands;

  public Bill(List<Demand> demands) {
    this.demands = demands;
  }

  public final List<Demand> demands() {
    return demands;
  }

  /** The result of all demands, in the form that the caller expects. */
  public abstract A answer();

  /** Whether each demand is charged on its own, whatever the result of the others. */
  public boolean isEachByItself() {
    return false;
  }

  /** The only demand if it is a plain charge, which is the usual case; else null. */
  final @Nullable Demand alone() {
    if (demands.size() != 1) {
      return null;
    }
    Demand only = demands.get(0);
    return only.isPlain() ? only : null;
  }

  /** Whether a remote store must be called. */
  final boolean isElsewhere() {
    for (int i = 0; i < demands.size(); i++) {
      if (demands.get(i).limiter().isRemote()) {
        return true;
      }
    }
    return false;
  }

  /** Whether other limits than expected decided a demand. */
  final boolean isByOtherLimits() {
    for (int i = 0; i < demands.size(); i++) {
      if (demands.get(i).isByOtherLimits()) {
        return true;
      }
    }
    return false;
  }

  final Stream<LimiterHandle> limiterHandles() {
    return demands.stream().map(Demand::limiterHandle);
  }
}
