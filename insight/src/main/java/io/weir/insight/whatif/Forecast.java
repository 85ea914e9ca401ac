package io.weir.insight.whatif;

import java.util.List;

/**
 * The predicted effect of another limit on the recorded demand.
 *
 * @param callers how many callers there were
 * @param refusedNow how many of them the current limit would refuse at least once
 * @param requestsRefusedNow how many requests it would refuse
 * @param recorded how many callers the forecast is based on
 * @param shareOfDemand the share of all requests that these callers made
 */
public record Forecast(
    RecordedDemand recordedDemand,
    long callers,
    long refusedNow,
    long requestsRefusedNow,
    Estimate refusedCallers,
    Estimate refusedRequests,
    List<Point> curve,
    int recorded,
    double shareOfDemand) {
  /**
   * An estimate with bounds.
   *
   * @param low the lower bound for any arrival pattern; the sample misses it in one case of twenty
   * @param high the upper bound, likewise
   */
  public record Estimate(long value, long low, long high) {}

  /**
   * The effect of one of many limits.
   *
   * @param limit in words
   * @param value its permits
   * @param callers how many callers would be refused at least once
   * @param requests how many requests would be refused
   */
  public record Point(String limit, long value, long callers, long requests) {}
}
