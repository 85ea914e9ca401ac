package io.weir.client;

import io.weir.client.quota.Quota;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Thrown when a request was refused, or would have been, and the client gave up. It holds what the
 * server reported and what was tried. The request had no effect, unless it is idempotent and {@link
 * #status} is not a refusal.
 */
public final class RateLimitedException extends IOException {
  private static final long serialVersionUID = 1L;

  private final transient OptionalInt status;
  private final transient Optional<Quota> quota;
  private final transient Optional<Duration> retryAfter;
  private final int attempts;
  private final Duration waited;
  private final GiveUp reason;

  RateLimitedException(
      HttpRequest request,
      OptionalInt status,
      Optional<Quota> quota,
      Optional<Duration> retryAfter,
      Effort effort,
      GiveUp reason) {
    super(message(request, status, quota, retryAfter, effort, reason));
    this.status = status;
    this.quota = quota;
    this.retryAfter = retryAfter;
    this.attempts = effort.attempts();
    this.waited = effort.waited();
    this.reason = reason;
  }

  /** The attempts and waiting time used for a request. */
  record Effort(int attempts, Duration waited) {}

  /** Why the client gave up, and what the caller can do. */
  enum GiveUp {
    DEADLINE("the wait would pass its deadline", "allow more time or send fewer requests"),
    LONGEST_WAIT("the wait is longer than longestWait allows", "retry later, or raise longestWait"),
    ATTEMPTS("no attempts are left", "retry later, or raise attempts"),
    BUDGET("the retry budget is spent", "send fewer requests"),
    NOT_REPEATABLE("it cannot be sent twice", "send it again after that time");

    private final String why;
    private final String advice;

    GiveUp(String why, String advice) {
      this.why = why;
      this.advice = advice;
    }
  }

  private static String message(
      HttpRequest request,
      OptionalInt status,
      Optional<Quota> quota,
      Optional<Duration> retryAfter,
      Effort effort,
      GiveUp reason) {
    StringBuilder text = new StringBuilder();
    text.append(request.method()).append(' ').append(withoutQuery(request));
    text.append(outcome(status));
    quota.ifPresent(each -> appendLimit(text, each));
    retryAfter.ifPresent(wait -> text.append("; more is available in ").append(seconds(wait)));
    text.append(". Gave up after ").append(effort.attempts());
    text.append(effort.attempts() == 1 ? " attempt and " : " attempts and ");
    text.append(seconds(effort.waited())).append(" of waiting: ").append(reason.why);
    return text.append("; ").append(reason.advice).append('.').toString();
  }

  private static String outcome(OptionalInt status) {
    if (status.isEmpty()) {
      return " was not sent";
    }
    return status.getAsInt() == RetryPolicy.REFUSED
        ? " was refused (429)"
        : " failed (" + status.getAsInt() + ") and was not sent again";
  }

  /** A query may hold secrets, and messages end up in logs. */
  private static String withoutQuery(HttpRequest request) {
    return request.uri().getScheme() + "://" + request.uri().getHost() + request.uri().getPath();
  }

  private static void appendLimit(StringBuilder text, Quota quota) {
    text.append(quota.policy().isEmpty() ? ": the limit" : ": limit '" + quota.policy() + "'");
    quota
        .limit()
        .ifPresent(
            limit -> {
              text.append(" of ").append(limit);
              quota.window().ifPresent(window -> text.append(" in ").append(seconds(window)));
            });
    quota.remaining().ifPresent(left -> text.append(" has ").append(left).append(" left"));
  }

  private static String seconds(Duration span) {
    double seconds = span.toMillis() / 1000.0;
    String format = seconds == Math.rint(seconds) ? "%.0f s" : "%.3f s";
    return String.format(Locale.ROOT, format, seconds);
  }

  /** Whether a caller with a later deadline could still have waited. */
  boolean isForLackOfTime() {
    return reason == GiveUp.DEADLINE;
  }

  /**
   * The status of the last response; empty if the request was never sent, because it would be
   * refused.
   */
  public OptionalInt status() {
    return status;
  }

  /** The limit that refused, as far as the server reported it: name, size and what is left. */
  public Optional<Quota> quota() {
    return quota;
  }

  /** The wait after which the same request may pass, counted from when this was thrown. */
  public Optional<Duration> retryAfter() {
    return retryAfter;
  }

  /** The number of attempts that were sent. */
  public int attempts() {
    return attempts;
  }

  /** The total time it was delayed, before and between attempts. */
  public Duration waited() {
    return waited;
  }
}
