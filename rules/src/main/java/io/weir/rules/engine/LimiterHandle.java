package io.weir.rules.engine;

import io.weir.Consistency;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.OnFailure;
import io.weir.RateLimiter;
import io.weir.rules.LimitGroup;
import java.util.List;

/**
 * A limit group bound to its limiter.
 *
 * @param limits the limits of the limiter
 */
public record LimiterHandle(LimitGroup limitGroup, List<Limit> limits, LazyLimiter lazyLimiter) {
  public RateLimiter limiter() {
    RateLimiter open = lazyLimiter.limiter();
    return open == null ? lazyLimiter.open(limits, onFailure(), consistency()) : open;
  }

  /**
   * Whether the limiter only counts, so that its decisions must be translated: see {@link
   * EnvoyCounting}.
   */
  @SuppressWarnings("ReferenceEquality")
  public // the same list unless the limiter counts by other limits
  boolean isCounting() {
    return limits != limitGroup.limits();
  }

  OnFailure onFailure() {
    return limitGroup.rule().policy().onFailure();
  }

  /** A counting limiter must see every hit, so it needs exact consistency. */
  Consistency consistency() {
    return isCounting() ? Consistency.EXACT : limitGroup.rule().policy().consistency();
  }

  public boolean isInForce(RateLimiter open) {
    return open.limits().equals(limits)
        && open.onFailure() == onFailure()
        && open.consistency() == consistency();
  }

  /** Whether {@code decision} was made by these limits. */
  // nearly always the same objects, so equals is rarely called
  @SuppressWarnings("ReferenceEquality")
  boolean decides(Decision decision) {
    List<LimitStatus> statuses = decision.standings();
    boolean same = limits.size() == statuses.size();
    for (int i = 0; same && i < limits.size(); i++) {
      Limit by = statuses.get(i).limit();
      same = limits.get(i) == by || limits.get(i).equals(by);
    }
    return same;
  }
}
