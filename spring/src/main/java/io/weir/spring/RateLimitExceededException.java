package io.weir.spring;

import io.weir.rules.RequestDecision;
import io.weir.rules.RuleDecision;
import io.weir.rules.http.DecisionResponses;
import io.weir.rules.http.DirectResponse;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a method call was refused. If a controller, handler function or filter does not catch
 * it, the response is 429. It is 503 if the store was unavailable or too many calls are delayed.
 */
public final class RateLimitExceededException extends RuntimeException {
  private static final Duration CROWDED = Duration.ofSeconds(1);

  private final transient RequestDecision requestDecision;
  private final transient DecisionResponses decisionResponses;

  private RateLimitExceededException(
      String message, RequestDecision requestDecision, DecisionResponses decisionResponses) {
    super(message);
    this.requestDecision = requestDecision;
    this.decisionResponses = decisionResponses;
  }

  /** A refusal by rules. */
  public static RateLimitExceededException refused(
      String method, RequestDecision requestDecision, DecisionResponses decisionResponses) {
    String wait =
        requestDecision
            .retryAfter()
            .map(after -> "may be called again in " + after.toMillis() + " ms")
            .orElse("costs more than the limit can ever give");
    return new RateLimitExceededException(
        "%s is limited by rule '%s'; it %s".formatted(method, name(requestDecision), wait),
        requestDecision,
        decisionResponses);
  }

  /** A refusal of an allowed call that should be delayed when too many are. */
  public static RateLimitExceededException crowdedOut(
      String method, RequestDecision requestDecision, DecisionResponses decisionResponses) {
    return new RateLimitExceededException(
        "%s is limited by rule '%s'; too many calls wait for their turn"
            .formatted(method, name(requestDecision)),
        requestDecision,
        decisionResponses);
  }

  private static String name(RequestDecision requestDecision) {
    return requestDecision.deciding().map(RuleDecision::rule).orElseThrow().name();
  }

  /** The rule that refused. */
  public String rule() {
    return name(requestDecision);
  }

  /** The wait until the call would be allowed; empty if it never is. */
  public Optional<Duration> retryAfter() {
    return requestDecision.allowed() ? Optional.of(CROWDED) : requestDecision.retryAfter();
  }

  /** The decisions of all rules. */
  public RequestDecision requestDecision() {
    return requestDecision;
  }

  /**
   * The HTTP response: status, headers and body.
   *
   * @param accept the request's {@code Accept}; null if it has none
   */
  public DirectResponse answer(@Nullable String accept) {
    return requestDecision.allowed()
        ? DecisionResponses.overloaded(CROWDED.toSeconds(), accept)
        : decisionResponses.refusal(requestDecision, accept);
  }
}
