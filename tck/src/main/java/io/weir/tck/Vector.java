package io.weir.tck;

import io.weir.Limit;
import io.weir.tck.model.Answer;
import java.time.Duration;
import java.util.List;

/**
 * A worked case: limits, a trace of requests, and the answer to each.
 *
 * @param name the directory that it is in
 * @param limits the limits that hold together
 * @param reloads other limits that take their place, in order of time
 * @param lines what was asked and what is to be answered, in order
 */
public record Vector(String name, List<Limit> limits, List<Reload> reloads, List<Line> lines) {
  /**
   * A change of limits: a line of {@code reloads.csv}, which a vector without any does not have.
   *
   * @param time milliseconds since the epoch; before the first request at that time or later
   * @param limits the limits that hold together from then on
   */
  public record Reload(long time, List<Limit> limits) {}

  /**
   * One request and its answer.
   *
   * @param time milliseconds since the epoch
   * @param key who asks
   * @param cost for how many permits
   * @param expected what is to be answered
   */
  public record Line(long time, String key, long cost, Expected expected) {}

  /**
   * A line of {@code expected.csv}.
   *
   * @param allowed whether the request may go
   * @param remaining how many requests of cost 1 would be allowed now
   * @param retryAfterMillis until the request fits, 0 when it did, −1 when it never does
   * @param delayMillis how long to hold it
   */
  public record Expected(boolean allowed, long remaining, long retryAfterMillis, long delayMillis) {
    /** What the vectors tell of {@code answer}. */
    public static Expected of(Answer answer) {
      return new Expected(
          answer.allowed(), answer.remaining(), answer.retryAfterMillis(), answer.delayMillis());
    }
  }

  /**
   * The same case, with times that every clock knows: later by a whole number of every limit's
   * periods, which changes no answer.
   */
  Vector thisCentury() {
    long earliest = lines.stream().mapToLong(Line::time).min().orElseThrow();
    long decades = Duration.ofNanos(Harness.MIDNIGHT).toMillis();
    if (earliest > decades / 2) {
      return this;
    }
    long common = 1;
    for (Limit limit : limits) {
      long period = Draw.periodOf(limit).toMillis();
      common = Math.multiplyExact(common / gcd(common, period), period);
    }
    long shift = decades / common * common;
    return new Vector(
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
