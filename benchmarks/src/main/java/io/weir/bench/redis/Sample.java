package io.weir.bench.redis;

/**
 * One measurement in a closed loop.
 *
 * @param perSecond decisions per second, by Redis or by local knowledge of it
 * @param clientMicros processor time of the client for each
 * @param serverMicros processor time of Redis for each
 * @param callsPerSecond script calls per second
 * @param failed checks without a decision
 */
record Sample(
    double perSecond,
    double clientMicros,
    double serverMicros,
    double callsPerSecond,
    long failed) {}
