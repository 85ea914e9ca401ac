package io.weir.insight.series;

import io.weir.decision.DecisionCounters;
import io.weir.decision.RequestOutcome;
import java.util.Arrays;

/**
 * Counts of requests by outcome; each request counts once, whatever number of rules applied.
 *
 * @param outcomes by {@link RequestOutcome}
 * @param shadowDenied allowed requests that a shadow rule would have refused: a part of those above
 */
public record RequestCounts(long[] outcomes, long shadowDenied) {
  /** The outcomes, plus the requests that a shadow rule would have refused. */
  static final int MEASURES = RequestOutcome.values().length + 1;

  static final int SHADOW_DENIED = MEASURES - 1;

  private static final RequestOutcome[] OUTCOMES = RequestOutcome.values();

  /** The counts so far, by measure. */
  static long[] read(DecisionCounters decisionCounters) {
    long[] counts = new long[MEASURES];
    for (RequestOutcome each : OUTCOMES) {
      counts[each.ordinal()] = decisionCounters.requests(each);
    }
    counts[SHADOW_DENIED] = decisionCounters.requestsShadowDenied();
    return counts;
  }

  /** From counts by measure. */
  static RequestCounts of(long[] measures) {
    return new RequestCounts(Arrays.copyOf(measures, OUTCOMES.length), measures[SHADOW_DENIED]);
  }

  /** How many requests had this outcome. */
  public long of(RequestOutcome outcome) {
    return outcomes[outcome.ordinal()];
  }

  /** The sum of all outcomes. */
  public long all() {
    long all = 0;
    for (long each : outcomes) {
      all += each;
    }
    return all;
  }
}
