package io.weir.bench.contest;

/**
 * One measurement.
 *
 * @param perSecond good answers in a second, in a closed loop
 * @param serverMicros processor time of the server for each, in user and system mode
 * @param clientMicros the same of who asks and of what else belongs to it on that core
 * @param storeMicros the same of its Redis; NaN without
 * @param bytes what the server allocated for each; NaN if it is no JVM
 * @param tolerated those of the good answers that were unusual, in percent
 * @param failed answers that were not as they should be
 * @param latency how long answers took at a part of that load
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
  /** How many requests one core could answer, by the processor time that they took. */
  public double perCoreSecond() {
    return 1e6 / serverMicros;
  }

  /** How busy the server's core was with it, in percent: below 100 it had to wait for others. */
  public double busy() {
    return 100 * perSecond / perCoreSecond();
  }

  /** The same of the clients' core: near 100 it was they who could do no more. */
  public double clientsBusy() {
    return perSecond * clientMicros / 1e4;
  }

  /**
   * How many requests were asked by the clock each second, and how long answers took, in µs.
   *
   * @param lateness how late who asks was itself with 99 % of the requests
   */
  public record Latency(
      double perSecond, double median, double p99, double p999, double longest, double lateness) {
    /** Nothing was asked by the clock. */
    static final Latency NONE =
        new Latency(Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
  }
}
