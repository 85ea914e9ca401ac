package io.weir.spring;

import io.weir.rules.Ruling;
import io.weir.rules.Verdict;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Answers;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A call of a method was refused. Where it gets out of a controller, the answer is 429. */
public final class RateLimitExceededException extends RuntimeException {
  private final transient Ruling ruling;
  private final transient Answers answers;

  RateLimitExceededException(String method, Ruling ruling, Answers answers) {
    super(message(method, ruling));
    this.ruling = ruling;
    this.answers = answers;
  }

  private static String message(String method, Ruling ruling) {
    String wait =
        ruling
            .retryAfter()
            .map(after -> "may be called again in " + after.toMillis() + " ms")
            .orElse("asks for more than the limit can ever give");
    return "%s is limited by rule '%s'; it %s"
        .formatted(method, ruling.deciding().map(each -> each.rule().name()).orElse(""), wait);
  }

  /** The rule that refused. */
  public String rule() {
    return ruling.deciding().map(Verdict::rule).orElseThrow().name();
  }

  /** When the call would be allowed; empty: never. */
  public Optional<Duration> retryAfter() {
    return ruling.retryAfter();
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
    return answers.refusal(ruling, accept);
  }
}
