package io.weir.bench.service;

/**
 * One measurement in a closed loop.
 *
 * @param perSecond good answers in a second
 * @param serverMicros processor time of the server for each, in user and system mode
 * @param storeMicros the same of its Redis; NaN without
 * @param bytes what the server allocated for each; NaN if it is no JVM
 * @param failed answers that were not as they should be
 */
record Sample(
    double perSecond, double serverMicros, double storeMicros, double bytes, long failed) {
  /** How many requests one core could answer, by the processor time that they took. */
  double perCoreSecond() {
    return 1e6 / serverMicros;
  }
}
