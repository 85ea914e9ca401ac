package io.weir.rules;

import io.weir.Consistency;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.RateLimiter;
import io.weir.Standing;
import java.util.List;

/**
 * A meter bound to its limiter.
 *
 * @param limits the limits of the limiter
 */
record Bound(Meter meter, List<Limit> limits, Tap tap) {
  RateLimiter limiter() {
    RateLimiter open = tap.limiter();
    return open == null ? tap.open(limits, onFailure(), consistency()) : open;
  }

  /**
   * Whether the limiter only counts, so that its decisions must be translated: see {@link
   * Counting}.
   */
  @SuppressWarnings("ReferenceEquality") // the same list unless the limiter counts by other limits
  boolean isCounting() {
    return limits != meter.limits();
  }

  OnFailure onFailure() {
    return meter.rule().policy().onFailure();
  }

  /** A counting limiter must see every hit, so it needs exact consistency. */
  Consistency consistency() {
    return isCounting() ? Consistency.EXACT : meter.rule().policy().consistency();
  }

  boolean isInForce(RateLimiter open) {
    return open.limits().equals(limits)
        && open.onFailure() == onFailure()
        && open.consistency() == consistency();
  }

  /** Whether {@code decision} was made by these limits. */
  // nearly always the same objects, so equals is rarely called
  @SuppressWarnings("ReferenceEquality")
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
