package io.weir.rules;

import io.weir.Consistency;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.RateLimiter;
import io.weir.Standing;
import java.util.List;

/**
 * A meter and where its limiter is.
 *
 * @param limits by which the limiter counts
 */
record Bound(Meter meter, List<Limit> limits, Tap tap) {
  RateLimiter limiter() {
    RateLimiter open = tap.limiter();
    return open == null ? tap.open(limits, onFailure(), consistency()) : open;
  }

  /** Whether the limiter only counts, so that what it says has to be explained. */
  @SuppressWarnings("ReferenceEquality") // the same list unless it counts by others
  boolean isCounting() {
    return limits != meter.limits();
  }

  OnFailure onFailure() {
    return meter.rule().policy().onFailure();
  }

  /** Who only counts must hear of every hit of everybody. */
  Consistency consistency() {
    return isCounting() ? Consistency.EXACT : meter.rule().policy().consistency();
  }

  boolean isInForce(RateLimiter open) {
    return open.limits().equals(limits)
        && open.onFailure() == onFailure()
        && open.consistency() == consistency();
  }

  /** Whether {@code decision} was made by these limits. */
  @SuppressWarnings("ReferenceEquality") // nearly always the same objects, and then at once
  boolean decides(Decision decision) {
    List<Standing> standings = decision.standings();
    boolean same = limits.size() == standings.size();
    for (int i = 0; same && i < limits.size(); i++) {
      Limit by = standings.get(i).limit();
      same = limits.get(i) == by || limits.get(i).equals(by);
    }
    return same;
  }
}
