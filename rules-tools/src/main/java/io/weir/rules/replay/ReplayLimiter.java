package io.weir.rules.replay;

import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.rules.RequestDecision;
import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleSet;
import io.weir.rules.match.MalformedRequestException;
import io.weir.rules.text.Excerpt;
import org.jspecify.annotations.Nullable;

/** Checks requests by one rule set, at their recorded times. */
final class ReplayLimiter {
  /** Far more than memory holds: in a replay no keys share an overflow bucket. */
  private static final long MAX_KEYS = 1L << 40;

  private final ManualTime time = TimeSource.recorded();
  private final RequestLimiter limiter;
  private final BadLineCounter bad = new BadLineCounter();

  ReplayLimiter(RuleSet rules) {
    this.limiter = RequestLimiter.builder(rules).time(time).maxKeys(MAX_KEYS).build();
  }

  /** The decision on {@code request}; null if a front end would respond with 400. */
  @Nullable RequestDecision check(TraceRequest request) {
    time.setNanos(request.epochNanos());
    try {
      return limiter.check(request);
    } catch (MalformedRequestException e) {
      bad.add(request.line(), () -> Excerpt.of(String.valueOf(e.getMessage())));
      return null;
    }
  }

  /** The requests for which a front end would respond with 400. */
  BadLines badRequests() {
    return bad.badLines();
  }
}
