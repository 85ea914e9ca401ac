package io.weir.rules.replay;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The results of rules on a trace.
 *
 * @param outcomes how many requests by outcome; see {@link Outcome}
 * @param uncovered how many requests no enforced rule applied to
 * @param first the earliest time; empty without requests
 * @param last the latest time
 * @param outOfOrder how many requests were earlier than one before them
 * @param malformed the lines that are not requests and were left out
 * @param badRequests the requests that a front end would answer with 400, so no rule was checked
 * @param cut why the trace ended early, if it did: a truncated compressed file, or a disk failure
 * @param rules all rules, in the order of the files, including those that are off
 * @param timeline all requests over time
 * @param comparison the results of other rules, if requested
 */
public record Summary(
    Map<Outcome, Long> outcomes,
    long uncovered,
    Optional<Instant> first,
    Optional<Instant> last,
    long outOfOrder,
    Faults malformed,
    Faults badRequests,
    Optional<String> cut,
    List<RuleSummary> rules,
    Timeline timeline,
    Optional<Comparison> comparison) {
  /** Copies the collections. */
  public Summary {
    outcomes = Map.copyOf(outcomes);
    rules = List.copyOf(rules);
  }

  /** How many requests had {@code outcome}. */
  public long count(Outcome outcome) {
    return outcomes.getOrDefault(outcome, 0L);
  }

  /** How many requests were checked. */
  public long requests() {
    return outcomes.values().stream().mapToLong(Long::longValue).sum();
  }

  /** How many were allowed, at once or after a delay. */
  public long allowed() {
    return requests() - refused();
  }

  /** How many were refused. */
  public long refused() {
    return count(Outcome.REFUSED);
  }
}
