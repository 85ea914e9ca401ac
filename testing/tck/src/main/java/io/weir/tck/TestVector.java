package io.weir.tck;

import io.weir.Limit;
import io.weir.tck.model.ObservedDecision;
import java.time.Duration;
import java.util.List;

/**
 * A worked example: limits, a trace of requests, and the decision on each.
 *
 * @param name the directory that it is in
 * @param limits the limits that apply together
 * @param reloads other limits that replace them, in order of time
 * @param lines requests and expected decisions, in order
 */
public record TestVector(String name, List<Limit> limits, List<Reload> reloads, List<Line> lines) {
  /**
   * A change of limits: a line of {@code reloads.csv}, which is absent without changes.
   *
   * @param time milliseconds since the epoch; before the first request at that time or later
   * @param limits the limits that apply together from then on
   */
  public record Reload(long time, List<Limit> limits) {}

  /**
   * One request and its decision.
   *
   * @param time milliseconds since the epoch
   * @param key the caller's key
   * @param cost the number of permits
   * @param expected the expected decision
   */
  public record Line(long time, String key, long cost, Expected expected) {}

  /**
   * A line of {@code expected.csv}.
   *
   * @param allowed whether the request is allowed
   * @param remaining how many requests of cost 1 would be allowed now
   * @param retryAfterMillis until the request fits, 0 when it did, −1 when it never does
   * @param delayMillis how long to delay it
   */
  public record Expected(boolean allowed, long remaining, long retryAfterMillis, long delayMillis) {
    /** The part of {@code observedDecision} that vectors contain. */
    public static Expected of(ObservedDecision observedDecision) {
      return new Expected(
          observedDecision.allowed(),
          observedDecision.remaining(),
          observedDecision.retryAfterMillis(),
          observedDecision.delayMillis());
    }
  }

  /**
   * The same vector with times that every clock supports: later by a whole number of every limit's
   * periods, which changes no decision.
   */
  TestVector thisCentury() {
    long earliest = lines.stream().mapToLong(Line::time).min().orElseThrow();
    long decades = Duration.ofNanos(Harness.MIDNIGHT).toMillis();
    if (earliest > decades / 2) {
      return this;
    }
    long common = 1;
    for (Limit limit : limits) {
      long period = InputGenerator.periodOf(limit).toMillis();
      common = Math.multiplyExact(common / gcd(common, period), period);
    }
    long shift = decades / common * common;
    return new TestVector(
        name,
        limits,
        reloads.stream().map(reload -> new Reload(reload.time() + shift, reload.limits())).toList(),
        lines.stream()
            .map(line -> new Line(line.time() + shift, line.key(), line.cost(), line.expected()))
            .toList());
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  @Override
  public String toString() {
    return name;
  }
}
