package io.weir.insight;

/**
 * An estimate of how many distinct callers a rule has seen in the last day.
 *
 * @param callers all of them
 * @param refused those that were refused at least once
 * @param error the relative standard error of both
 */
public record DistinctCallers(long callers, long refused, double error) {
  /** No callers. */
  public static final DistinctCallers NOBODY = new DistinctCallers(0, 0, 0);
}
