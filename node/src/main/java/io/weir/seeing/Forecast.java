package io.weir.seeing;

import java.util.List;

/**
 * What another limit would do, by the demand that was recorded.
 *
 * @param callers how many there were
 * @param refusedNow how many of them the limit that there is would refuse something
 * @param requestsRefusedNow how many requests it would refuse
 * @param recorded how many callers the forecast rests on
 * @param shareOfDemand how much of all requests theirs were
 */
public record Forecast(
    Demand demand,
    long callers,
    long refusedNow,
    long requestsRefusedNow,
    Estimate refusedCallers,
    Estimate refusedRequests,
    List<Point> curve,
    int recorded,
    double shareOfDemand) {
  /**
   * A number, and between which two it is.
   *
   * @param low at the least, however requests came, unless the sample is one in twenty
   * @param high at the most, likewise
   */
  public record Estimate(long value, long low, long high) {}

  /**
   * What one limit of many would do.
   *
   * @param limit in words
   * @param value its permits
   * @param callers how many would be refused something
   * @param requests how many would be refused
   */
  public record Point(String limit, long value, long callers, long requests) {}
}
