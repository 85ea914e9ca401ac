package io.weir.rules.replay;

import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleSet;
import io.weir.rules.Ruling;
import io.weir.rules.match.MalformedRequestException;
import io.weir.rules.text.Excerpt;
import org.jspecify.annotations.Nullable;

/** Checks requests by one rule set, at their recorded times. */
final class Judge {
  /** Far more than memory holds: in a replay no keys share an overflow bucket. */
  private static final long MAX_KEYS = 1L << 40;

  private final ManualTime time = TimeSource.recorded();
  private final RequestLimiter limiter;
  private final FaultLog bad = new FaultLog();

  Judge(RuleSet rules) {
    this.limiter = RequestLimiter.builder(rules).time(time).maxKeys(MAX_KEYS).build();
  }

  /** The ruling on {@code request}; null if a front end would answer with 400. */
  @Nullable Ruling judge(TraceRequest request) {
    time.setNanos(request.epochNanos());
    try {
      return limiter.check(request);
    } catch (MalformedRequestException e) {
      bad.add(request.line(), () -> Excerpt.of(String.valueOf(e.getMessage())));
      return null;
    }
  }

  /** The requests that a front end would answer with 400. */
  Faults badRequests() {
    return bad.faults();
  }
}
