package io.weir.rules.replay;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What rules did to a trace.
 *
 * @param outcomes how many requests by what became of them; see {@link Outcome}
 * @param uncovered how many requests no enforced rule applied to
 * @param first the earliest time; empty without requests
 * @param last the latest time
 * @param outOfOrder how many requests were earlier than one before them
 * @param malformed the lines that are no requests, and were left out
 * @param badRequests the requests that a front would answer with 400: no rule judged them
 * @param cut why the trace ended before its end, if it did: a compressed file that was cut off, or
 *     a disk that failed
 * @param rules all rules, in the order of the files, those that are off included
 * @param timeline all requests over time
 * @param comparison how other rules would have done, if that was asked for
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

  /** How many requests were judged. */
  public long requests() {
    return outcomes.values().stream().mapToLong(Long::longValue).sum();
  }

  /** How many went, at once or later. */
  public long allowed() {
    return requests() - refused();
  }

  /** How many were refused. */
  public long refused() {
    return count(Outcome.REFUSED);
  }
}
