package io.weir.rules.replay;

import io.weir.rules.RequestDecision;
import io.weir.rules.RuleDecision;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The decision on one request of a trace, as a line of a decisions file.
 *
 * @param request as it was read
 * @param requestDecision the decision; null if a front end would respond with 400, so no rule was
 *     checked
 */
public record DecisionLine(TraceRequest request, @Nullable RequestDecision requestDecision) {
  /** The names of the columns. */
  public static final String HEADER = "time,rule,key,allowed,remaining,retry_after_ms,delay_ms";

  /** The time: milliseconds since the epoch. */
  public long epochMillis() {
    return request.epochMillis();
  }

  /** The name of the rule that decided; empty if none applied. */
  public String rule() {
    RuleDecision deciding = deciding();
    return deciding == null ? "" : deciding.rule().name();
  }

  /** The key of the deciding rule; empty if none applied, or without {@code per}. */
  public String key() {
    RuleDecision deciding = deciding();
    return deciding == null ? "" : deciding.key();
  }

  @Nullable RuleDecision deciding() {
    return requestDecision == null ? null : requestDecision.deciding().orElse(null);
  }

  /** Whether the request is allowed. */
  public boolean allowed() {
    return requestDecision != null && requestDecision.allowed();
  }

  /** How many requests of cost 1 would still be allowed; empty if no rule applied. */
  public OptionalLong remaining() {
    return requestDecision == null || requestDecision.ruleDecisions().isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(requestDecision.remaining());
  }

  /** How long until the request fits, zero when allowed; empty when it never fits. */
  public OptionalLong retryAfterMillis() {
    Optional<Duration> wait =
        requestDecision == null ? Optional.empty() : requestDecision.retryAfter();
    return wait.isEmpty() ? OptionalLong.empty() : OptionalLong.of(millis(wait.get()));
  }

  /** How long the request is delayed. */
  public long delayMillis() {
    return requestDecision == null ? 0 : millis(requestDecision.delay());
  }

  /** Rounded up, so that the request fits after that wait. */
  private static long millis(Duration duration) {
    long millis = duration.toMillis();
    return duration.getNano() % 1_000_000 == 0 ? millis : millis + 1;
  }

  /** Receives each decision in the order of the trace. */
  @FunctionalInterface
  public interface Sink {
    /** Accepts a decision; an exception ends the replay. */
    void accept(DecisionLine line) throws java.io.IOException;
  }
}
