package io.weir.chaos;

import io.weir.Consistency;
import io.weir.Limit;
import java.time.Duration;

/**
 * What one limiter promises.
 *
 * @param name by which all nodes know it
 */
record Contract(
    String name, Consistency consistency, Algorithm algorithm, long permits, Duration period) {

  /** How it counts. */
  enum Algorithm {
    SLIDING_LOG,
    TOKEN_BUCKET
  }

  Limit limit() {
    return switch (algorithm) {
      case SLIDING_LOG -> Limit.slidingLog(permits).per(period);
      case TOKEN_BUCKET -> Limit.tokenBucket(permits).per(period);
    };
  }

  Bound bound() {
    return switch (algorithm) {
      case SLIDING_LOG -> Bound.slidingLog(permits, period);
      case TOKEN_BUCKET -> Bound.tokenBucket(permits, period);
    };
  }

  /** For another process. */
  String toLine() {
    return String.join(
        " ",
        name,
        consistency.name(),
        algorithm.name(),
        Long.toString(permits),
        Long.toString(period.toMillis()));
  }

  /** What {@link #toLine} wrote. */
  static Contract parse(String line) {
    String[] words = line.split(" ", -1);
    return new Contract(
        words[0],
        Consistency.valueOf(words[1]),
        Algorithm.valueOf(words[2]),
        Long.parseLong(words[3]),
        Duration.ofMillis(Long.parseLong(words[4])));
  }

  @Override
  public String toString() {
    return consistency + ", " + limit();
  }
}
