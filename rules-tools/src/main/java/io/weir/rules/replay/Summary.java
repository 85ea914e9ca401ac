package io.weir.rules.replay;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The results of rules on a trace.
 *
 * @param replayOutcomes how many requests by outcome; see {@link ReplayOutcome}
 * @param uncovered how many requests no enforced rule applied to
 * @param first the earliest time; empty without requests
 * @param last the latest time
 * @param outOfOrder how many requests were earlier than one before them
 * @param malformed the lines that are not requests and were left out
 * @param badRequests the requests for which a front end would respond with 400, so no rule was
 *     checked
 * @param cut why the trace ended early, if it did: a truncated compressed file, or a disk failure
 * @param rules all rules, in the order of the files, including those that are off
 * @param outcomeSeries all requests over time
 * @param comparison the results of other rules, if requested
 */
public record Summary(
    Map<ReplayOutcome, Long> replayOutcomes,
    long uncovered,
    Optional<Instant> first,
    Optional<Instant> last,
    long outOfOrder,
    BadLines malformed,
    BadLines badRequests,
    Optional<String> cut,
    List<RuleSummary> rules,
    OutcomeSeries outcomeSeries,
    Optional<Comparison> comparison) {
  /** Copies the collections. */
  public Summary {
    replayOutcomes = Map.copyOf(replayOutcomes);
    rules = List.copyOf(rules);
  }

  /** How many requests had {@code replayOutcome}. */
  public long count(ReplayOutcome replayOutcome) {
    return replayOutcomes.getOrDefault(replayOutcome, 0L);
  }

  /** How many requests were checked. */
  public long requests() {
    return replayOutcomes.values().stream().mapToLong(Long::longValue).sum();
  }

  /** How many were allowed, at once or after a delay. */
  public long allowed() {
    return requests() - refused();
  }

  /** How many were refused. */
  public long refused() {
    return count(ReplayOutcome.REFUSED);
  }
}
