package io.weir.spring;

import io.weir.rules.Ruling;
import io.weir.rules.Verdict;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Answers;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A call of a method was refused. Where it gets out of a controller, a function that serves
 * requests or a filter, the answer is 429; and 503 where nobody could decide, or too many wait.
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

  /** Rules refuse it. */
  static RateLimitExceededException refused(String method, Ruling ruling, Answers answers) {
    String wait =
        ruling
            .retryAfter()
            .map(after -> "may be called again in " + after.toMillis() + " ms")
            .orElse("asks for more than the limit can ever give");
    return new RateLimitExceededException(
        "%s is limited by rule '%s'; it %s".formatted(method, name(ruling), wait), ruling, answers);
  }

  /** Rules allow it at its turn, but so many wait for theirs that it has no place. */
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

  /** When the call would be allowed; empty: never. */
  public Optional<Duration> retryAfter() {
    return ruling.allowed() ? Optional.of(CROWDED) : ruling.retryAfter();
  }

  /** All that the rules said. */
  public Ruling ruling() {
    return ruling;
  }

  /**
   * What the caller is to be told over HTTP: status, headers and body.
   *
   * @param accept the request's {@code Accept}; null if it has none
   */
  public Answer answer(@Nullable String accept) {
    return ruling.allowed()
        ? Answers.overloaded(CROWDED.toSeconds(), accept)
        : answers.refusal(ruling, accept);
  }
}
