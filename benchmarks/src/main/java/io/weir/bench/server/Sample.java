package io.weir.bench.server;

/**
 * One measurement.
 *
 * @param perSecond good responses per second, in a closed loop
 * @param serverMicros processor time of the server per response, in user and system mode
 * @param clientMicros the same for the load generator and what else runs on that core for it
 * @param storeMicros the same for its Redis; NaN without
 * @param bytes what the server allocated per response; NaN if it is not a JVM
 * @param tolerated percentage of good responses that were unusual
 * @param failed wrong responses
 * @param latency response times at a fraction of that load
 */
public record Sample(
    double perSecond,
    double serverMicros,
    double clientMicros,
    double storeMicros,
    double bytes,
    double tolerated,
    long failed,
    Latency latency) {
  /** How many requests one core could serve, by their processor time. */
  public double perCoreSecond() {
    return 1e6 / serverMicros;
  }

  /** Utilisation of the server's core in percent: below 100 it waited for others. */
  public double busy() {
    return 100 * perSecond / perCoreSecond();
  }

  /** The same for the clients' core: near 100 the load generator was the bottleneck. */
  public double clientsBusy() {
    return perSecond * clientMicros / 1e4;
  }

  /**
   * The open-loop request rate, and response times in µs.
   *
   * @param lateness 99th percentile of the load generator's own delay
   */
  public record Latency(
      double perSecond, double median, double p99, double p999, double longest, double lateness) {
    /** No open-loop measurement. */
    static final Latency NONE =
        new Latency(Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
  }
}
