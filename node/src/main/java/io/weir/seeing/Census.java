package io.weir.seeing;

/**
 * How many different callers a rule has seen in the last day, about.
 *
 * @param callers all of them
 * @param refused those that were refused at least once
 * @param error the standard error of both, as a share of them
 */
public record Census(long callers, long refused, double error) {
  /** Nobody was seen. */
  public static final Census NOBODY = new Census(0, 0, 0);
}
