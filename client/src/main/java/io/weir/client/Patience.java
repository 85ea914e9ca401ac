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

/** What was done for a request so far, and what may still be. */
final class Patience {
  /** Who is told when to come back comes up to this part later, if there is time for that. */
  private static final double LATER = 0.1;

  private final Engine engine;
  private final HttpRequest request;
  private final Supplier<Deadline> deadline;
  private int attempts;
  private long waited;
  private OptionalInt lastStatus = OptionalInt.empty();
  private @Nullable Throwable lastFailure;

  /**
   * With a request.
   *
   * @param deadline which may become later
   */
  Patience(Engine engine, HttpRequest request, Supplier<Deadline> deadline) {
    this.engine = engine;
    this.request = request;
    this.deadline = deadline;
  }

  /** It goes. */
  void tries() {
    attempts++;
    if (attempts == 1) {
      engine.budget().earn();
    }
  }

  void waited(long nanos) {
    waited += Math.max(0, nanos);
  }

  void wasAnswered(int status) {
    lastStatus = OptionalInt.of(status);
    lastFailure = null;
  }

  void failed(Throwable failure) {
    lastStatus = OptionalInt.empty();
    lastFailure = failure;
  }

  /** What it may still wait: until its deadline, and not longer in all than any may. */
  long left(long now) {
    return deadline.get().within(engine.settings().longestWait().toNanos() - waited, now);
  }

  /** Anything from nothing to a span that grows with each attempt. */
  Duration backoff() {
    return engine.settings().backoff(attempts, engine.random());
  }

  /** Never earlier than was said, and not at the same time as others who were told the same. */
  long pause(Optional<Duration> said) {
    long least = said.map(Duration::toNanos).orElse(0L);
    long spread = (long) (least * LATER * engine.random().nextDouble());
    long time = Math.max(0, left(engine.time().nanos()) - least);
    return Math.max(least + Math.min(spread, time / 2), backoff().toNanos());
  }

  /** What speaks against another attempt after so long; null if nothing does. */
  @Nullable GiveUp objection(long wait) {
    long now = engine.time().nanos();
    if (attempts >= engine.settings().attempts()) {
      return GiveUp.ATTEMPTS;
    }
    if (deadline.get().isBefore(now + wait)) {
      return GiveUp.DEADLINE;
    }
    if (wait > left(now)) {
      return GiveUp.LONGEST_WAIT;
    }
    return engine.budget().spend() ? null : GiveUp.BUDGET;
  }

  String late() {
    String effort = attempts + (attempts == 1 ? " attempt" : " attempts");
    return request.method() + " was not answered before its deadline, in " + effort;
  }

  /** It waits too long. If it failed before, that is thrown, with why nothing was tried after. */
  Throwable heldUp(LongWaitException tooLong) {
    long longest = engine.settings().longestWait().toNanos() - waited;
    boolean isLate = deadline.get().isBefore(engine.time().nanos() + longest);
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
