package io.weir.rules.replay;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Requests over time by outcome, in at most {@link #MAX_SPANS} spans of the same length.
 *
 * @param start when the first span begins
 * @param span the length of each: a round number of milliseconds, seconds, minutes, hours or days
 * @param counts for each outcome how many requests each span has; all lists have the same size
 */
public record OutcomeSeries(Instant start, Duration span, Map<ReplayOutcome, List<Long>> counts) {
  /** The maximum number of spans. */
  public static final int MAX_SPANS = 600;

  /** Copies the counts. */
  public OutcomeSeries {
    Map<ReplayOutcome, List<Long>> copy = new EnumMap<>(ReplayOutcome.class);
    counts.forEach((replayOutcome, each) -> copy.put(replayOutcome, List.copyOf(each)));
    counts = copy;
  }

  /** How many requests with {@code replayOutcome} each span has. */
  public List<Long> counts(ReplayOutcome replayOutcome) {
    return counts.getOrDefault(replayOutcome, List.of());
  }

  /** How many spans there are; none without requests. */
  public int spans() {
    return counts(ReplayOutcome.ALLOWED).size();
  }
}
