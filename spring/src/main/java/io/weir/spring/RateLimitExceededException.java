package io.weir.spring;

import io.weir.rules.Ruling;
import io.weir.rules.Verdict;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Answers;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a method call was refused. If a controller, handler function or filter does not catch
 * it, the response is 429. It is 503 if the store was unavailable or too many calls are delayed.
 */
public final class RateLimitExceededException extends RuntimeException {
  private static final Duration CROWDED = Duration.ofSeconds(1);

  private final transient Ruling ruling;
  private final transient Answers answers;

  private RateLimitExceededException(String message, Ruling ruling, Answers answers) {
    super(message);
    this.ruling = ruling;
    this.answers = answers;
  }

  /** A refusal by rules. */
  static RateLimitExceededException refused(String method, Ruling ruling, Answers answers) {
    String wait =
        ruling
            .retryAfter()
            .map(after -> "may be called again in " + after.toMillis() + " ms")
            .orElse("costs more than the limit can ever give");
    return new RateLimitExceededException(
        "%s is limited by rule '%s'; it %s".formatted(method, name(ruling), wait), ruling, answers);
  }

  /** A refusal of an allowed call that should be delayed when too many are. */
  static RateLimitExceededException crowdedOut(String method, Ruling ruling, Answers answers) {
    return new RateLimitExceededException(
        "%s is limited by rule '%s'; too many calls wait for their turn"
            .formatted(method, name(ruling)),
        ruling,
        answers);
  }

  private static String name(Ruling ruling) {
    return ruling.deciding().map(Verdict::rule).orElseThrow().name();
  }

  /** The rule that refused. */
  public String rule() {
    return name(ruling);
  }

  /** The wait until the call would be allowed; empty if it never is. */
  public Optional<Duration> retryAfter() {
    return ruling.allowed() ? Optional.of(CROWDED) : ruling.retryAfter();
  }

  /** The decisions of all rules. */
  public Ruling ruling() {
    return ruling;
  }

  /**
   * The HTTP response: status, headers and body.
   *
   * @param accept the request's {@code Accept}; null if it has none
   */
  public Answer answer(@Nullable String accept) {
    return ruling.allowed()
        ? Answers.overloaded(CROWDED.toSeconds(), accept)
        : answers.refusal(ruling, accept);
  }
}
