package io.weir.client;

import io.weir.client.RateLimitedException.Effort;
import io.weir.client.RateLimitedException.GiveUp;
import io.weir.client.pace.LongWaitException;
import io.weir.client.quota.Quota;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The attempts and waiting time that a request has used, and what its limits still allow. */
final class RetryState {
  /**
   * Jitter on a wait that the server announced, as a fraction of it, if the deadline leaves time.
   */
  private static final double LATER = 0.1;

  private final ClientContext clientContext;
  private final HttpRequest request;
  private final Supplier<Deadline> deadline;
  private int attempts;
  private long waited;
  private OptionalInt lastStatus = OptionalInt.empty();
  private @Nullable Throwable lastFailure;

  /**
   * Starts with no attempts.
   *
   * @param deadline may move later between calls
   */
  RetryState(ClientContext clientContext, HttpRequest request, Supplier<Deadline> deadline) {
    this.clientContext = clientContext;
    this.request = request;
    this.deadline = deadline;
  }

  /** Records that an attempt is sent. */
  void tries() {
    attempts++;
    if (attempts == 1) {
      clientContext.retryBudget().earn();
    }
  }

  void waited(long nanos) {
    waited += Math.max(0, nanos);
  }

  void responded(int status) {
    lastStatus = OptionalInt.of(status);
    lastFailure = null;
  }

  void failed(Throwable failure) {
    lastStatus = OptionalInt.empty();
    lastFailure = failure;
  }

  /** How long it may still wait: until its deadline, and within the limit on total waiting. */
  long left(long now) {
    return deadline
        .get()
        .within(clientContext.clientSettings().longestWait().toNanos() - waited, now);
  }

  /** A random pause between zero and a bound that grows with each attempt. */
  Duration backoff() {
    return clientContext.clientSettings().backoff(attempts, clientContext.random());
  }

  /**
   * Never shorter than the server announced, with jitter, so that clients given the same time do
   * not return together.
   */
  long pause(Optional<Duration> announced) {
    long announcedNanos = announced.map(Duration::toNanos).orElse(0L);
    long spread = (long) (announcedNanos * LATER * clientContext.random().nextDouble());
    long time = Math.max(0, left(clientContext.time().nanos()) - announcedNanos);
    return Math.max(announcedNanos + Math.min(spread, time / 2), backoff().toNanos());
  }

  /**
   * Why another attempt after this wait is not allowed; null if it is. Takes one retry from the
   * budget.
   */
  @Nullable GiveUp objection(long wait) {
    long now = clientContext.time().nanos();
    if (attempts >= clientContext.clientSettings().attempts()) {
      return GiveUp.ATTEMPTS;
    }
    if (deadline.get().isBefore(now + wait)) {
      return GiveUp.DEADLINE;
    }
    if (wait > left(now)) {
      return GiveUp.LONGEST_WAIT;
    }
    return clientContext.retryBudget().spend() ? null : GiveUp.BUDGET;
  }

  String late() {
    String effort = attempts + (attempts == 1 ? " attempt" : " attempts");
    return request.method() + " was not answered before its deadline, in " + effort;
  }

  /**
   * The error for a request with too long a wait. If an earlier attempt failed, that failure is
   * returned, with the reason for giving up suppressed in it.
   */
  Throwable waitTooLong(LongWaitException tooLong) {
    long waitLeft = clientContext.clientSettings().longestWait().toNanos() - waited;
    boolean isLate = deadline.get().isBefore(clientContext.time().nanos() + waitLeft);
    RateLimitedException reason =
        refusal(
            tooLong.quota(),
            Optional.of(tooLong.expected()),
            isLate ? GiveUp.DEADLINE : GiveUp.LONGEST_WAIT);
    if (lastFailure == null) {
      return reason;
    }
    lastFailure.addSuppressed(reason);
    return lastFailure;
  }

  RateLimitedException refusal(
      Optional<Quota> quota, Optional<Duration> retryAfter, GiveUp reason) {
    Effort effort = new Effort(attempts, Duration.ofNanos(waited));
    return new RateLimitedException(request, lastStatus, quota, retryAfter, effort, reason);
  }
}
