package io.weir.bench.redis;

/**
 * One measurement in a closed loop.
 *
 * @param perSecond decisions that Redis, or what is known of it, made in a second
 * @param clientMicros processor time of who asked, for each
 * @param serverMicros processor time of Redis, for each
 * @param callsPerSecond how often scripts were called in a second
 * @param failed checks that nobody decided
 */
record Sample(
    double perSecond,
    double clientMicros,
    double serverMicros,
    double callsPerSecond,
    long failed) {}
