package io.weir.rules.engine;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All charges of one request, under the rules of one moment.
 *
 * @param <A> the result of all charges, in the form that the caller expects
 */
public abstract class PendingCharges<A> {
  private final List<PendingCharge> list;

  public PendingCharges(List<PendingCharge> list) {
    this.list = list;
  }

  public final List<PendingCharge> list() {
    return list;
  }

  /** The result, once all are decided. */
  public abstract A result();

  /** Whether each charge is made by itself, whatever the decision on the others. */
  public boolean isEachByItself() {
    return false;
  }

  /** The only charge if it is a plain one, which is the usual case; else null. */
  final @Nullable PendingCharge single() {
    if (list.size() != 1) {
      return null;
    }
    PendingCharge only = list.get(0);
    return only.isPlain() ? only : null;
  }

  /** Whether a remote store must be called. */
  final boolean isRemote() {
    for (int i = 0; i < list.size(); i++) {
      if (list.get(i).limiter().isRemote()) {
        return true;
      }
    }
    return false;
  }

  /** Whether other limits than expected decided a charge. */
  final boolean areByOtherLimits() {
    for (int i = 0; i < list.size(); i++) {
      if (list.get(i).isByOtherLimits()) {
        return true;
      }
    }
    return false;
  }

  final Stream<LimiterHandle> limiterHandles() {
    return list.stream().map(PendingCharge::limiterHandle);
  }
}
