package io.weir.rules.replay;

import io.weir.rules.Ruling;
import io.weir.rules.Verdict;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The decision on one request of a trace, as a line of a decisions file has it.
 *
 * @param request as it was read
 * @param ruling what the rules say; null if a front would answer with 400, so that none was asked
 */
public record DecisionLine(TraceRequest request, @Nullable Ruling ruling) {
  /** The names of the columns. */
  public static final String HEADER = "time,rule,key,allowed,remaining,retry_after_ms,delay_ms";

  /** When: milliseconds since the epoch. */
  public long epochMillis() {
    return request.epochMillis();
  }

  /** The name of the rule that decided; empty if none applied. */
  public String rule() {
    Verdict deciding = deciding();
    return deciding == null ? "" : deciding.rule().name();
  }

  /** The key by which that rule decided; empty if none applied, or without {@code per}. */
  public String key() {
    Verdict deciding = deciding();
    return deciding == null ? "" : deciding.key();
  }

  @Nullable Verdict deciding() {
    return ruling == null ? null : ruling.deciding().orElse(null);
  }

  /** Whether the request may go. */
  public boolean allowed() {
    return ruling != null && ruling.allowed();
  }

  /** How many requests of cost 1 would still be allowed; empty if no rule applied. */
  public OptionalLong remaining() {
    return ruling == null || ruling.verdicts().isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(ruling.remaining());
  }

  /** How long until the request fits, zero when allowed; empty when it never does. */
  public OptionalLong retryAfterMillis() {
    Optional<Duration> wait = ruling == null ? Optional.empty() : ruling.retryAfter();
    return wait.isEmpty() ? OptionalLong.empty() : OptionalLong.of(millis(wait.get()));
  }

  /** How long it is to be held. */
  public long delayMillis() {
    return ruling == null ? 0 : millis(ruling.delay());
  }

  /** Rounded up: after that wait it is true. */
  private static long millis(Duration duration) {
    long millis = duration.toMillis();
    return duration.getNano() % 1_000_000 == 0 ? millis : millis + 1;
  }

  /** Is given each decision in the order of the trace. */
  @FunctionalInterface
  public interface Sink {
    /** Takes a decision; what it throws ends the replay. */
    void accept(DecisionLine line) throws java.io.IOException;
  }
}
