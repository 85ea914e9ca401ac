package io.weir.rules.cases;

import io.weir.rules.Request;
import io.weir.rules.SourceLocation;
import java.time.Duration;
import java.time.Instant;

/**
 * A request, or the same request several times.
 *
 * @param at the time of the first
 * @param repeat how often, at least once
 * @param every the time from one to the next
 */
public record CaseStep(
    SourceLocation sourceLocation,
    Instant at,
    int repeat,
    Duration every,
    Request request,
    Expectation expected) {
  /** The time of request {@code index}, from 0. */
  public Instant time(int index) {
    return at.plus(every.multipliedBy(index));
  }

  /** The time of the last request. */
  public Instant end() {
    return time(repeat - 1);
  }
}
