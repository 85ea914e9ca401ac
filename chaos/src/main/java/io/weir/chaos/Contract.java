package io.weir.chaos;

import io.weir.Consistency;
import io.weir.Limit;
import io.weir.OnFailure;
import java.time.Duration;

/**
 * What one limiter promises.
 *
 * @param name by which all nodes know it
 * @param policy while Redis cannot be asked, a no of whatever kind: one that leases does so
 *     strictly if it is to deny
 */
record Contract(
    String name,
    Consistency consistency,
    OnFailure policy,
    Algorithm algorithm,
    long permits,
    Duration period) {

  /** How it counts. */
  enum Algorithm {
    SLIDING_LOG,
    TOKEN_BUCKET
  }

  /** Leases, if any, are such as hold while Redis keeps its data. */
  Contract(
      String name, Consistency consistency, Algorithm algorithm, long permits, Duration period) {
    this(
        name,
        consistency,
        consistency == Consistency.LEASED ? OnFailure.ERROR : OnFailure.DENY,
        algorithm,
        permits,
        period);
  }

  /** The same where nothing is granted in doubt. */
  Contract strictly() {
    return new Contract(name, consistency, OnFailure.DENY, algorithm, permits, period);
  }

  /** Whether it is to hold whatever happens to Redis. */
  boolean isStrict() {
    return consistency == Consistency.STRICT
        || (consistency == Consistency.LEASED && policy == OnFailure.DENY);
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
        policy.name(),
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
        OnFailure.valueOf(words[2]),
        Algorithm.valueOf(words[3]),
        Long.parseLong(words[4]),
        Duration.ofMillis(Long.parseLong(words[5])));
  }

  @Override
  public String toString() {
    boolean isLeasedStrictly = consistency == Consistency.LEASED && isStrict();
    return consistency + (isLeasedStrictly ? " strictly, " : ", ") + limit();
  }
}
