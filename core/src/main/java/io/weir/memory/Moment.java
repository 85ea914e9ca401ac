package io.weir.memory;

import io.weir.algorithm.Algorithm;

/** The time of an operation: nanoseconds of a clock, or milliseconds given by a caller. */
record Moment(long time, boolean inMillis) {
  static Moment ofNanos(long epochNanos) {
    return new Moment(epochNanos, false);
  }

  static Moment ofMillis(long epochMillis) {
    return new Moment(epochMillis, true);
  }

  long in(Algorithm algorithm) {
    return in(algorithm, time, inMillis);
  }

  /** {@link #in(Algorithm)} without a Moment object, for speed. */
  static long in(Algorithm algorithm, long time, boolean inMillis) {
    return inMillis ? algorithm.atMillis(time) : algorithm.at(time);
  }

  long epochMillis() {
    return inMillis ? time : Math.floorDiv(time, 1_000_000L);
  }

  /** The moment {@code nanos} later. */
  Moment plus(long nanos) {
    return inMillis ? ofMillis(time + Math.floorDiv(nanos, 1_000_000L)) : ofNanos(time + nanos);
  }
}
