package io.weir.client;

import io.weir.client.quota.Quota;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A request was refused, or would have been, and the client gave up on it: what the server said,
 * and what was tried. The request had no effect, unless it is one that may be sent twice and {@link
 * #status} tells of something other than a refusal.
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

  /** What was done for a request. */
  record Effort(int attempts, Duration waited) {}

  /** Why nothing more was tried, and what helps. */
  enum GiveUp {
    DEADLINE("the wait would pass its deadline", "give it more time or ask less often"),
    LONGEST_WAIT("the wait is longer than any may be", "come back later, or raise longestWait"),
    ATTEMPTS("no more attempts are left", "come back later, or raise attempts"),
    BUDGET("too many requests are retries already", "ask less often"),
    NOT_REPEATABLE("it cannot be sent twice", "send it again from the start after that time");

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
    text.append(fate(status));
    quota.ifPresent(each -> appendLimit(text, each));
    retryAfter.ifPresent(wait -> text.append("; there is more in ").append(seconds(wait)));
    text.append(". Gave up after ").append(effort.attempts());
    text.append(effort.attempts() == 1 ? " attempt and " : " attempts and ");
    text.append(seconds(effort.waited())).append(" of waiting: ").append(reason.why);
    return text.append("; ").append(reason.advice).append('.').toString();
  }

  private static String fate(OptionalInt status) {
    if (status.isEmpty()) {
      return " was not sent";
    }
    return status.getAsInt() == Retrying.REFUSED
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

  /** Whether somebody with more time could have waited. */
  boolean isForLackOfTime() {
    return reason == GiveUp.DEADLINE;
  }

  /** Of the last answer; empty if the request was never sent, because it would be refused. */
  public OptionalInt status() {
    return status;
  }

  /** The limit that refused, as far as the server told: its name, its size, what is left. */
  public Optional<Quota> quota() {
    return quota;
  }

  /** After which the same request may pass, counted from when this was thrown. */
  public Optional<Duration> retryAfter() {
    return retryAfter;
  }

  /** How often the request was sent. */
  public int attempts() {
    return attempts;
  }

  /** How long it was held back, before and between attempts. */
  public Duration waited() {
    return waited;
  }
}
