package io.weir.client;

import io.weir.client.RateLimitedException.Effort;
import io.weir.client.RateLimitedException.GiveUp;
import io.weir.client.pace.Clockwork;
import io.weir.client.pace.LongWaitException;
import io.weir.client.pace.Pass;
import io.weir.client.quota.Quota;
import io.weir.client.quota.Quotas;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One request, from when it is asked for until it is answered or given up: waits at the gate, goes,
 * and waits to go again. Nothing of it happens twice at a time, so that its fields need no lock;
 * only the end may come from outside, and that is the future's.
 */
final class Call<T> {
  private final Engine engine;
  private final HttpRequest request;
  private final BodyHandler<T> handler;
  private final boolean hasDeadline;
  private final long deadline;
  private final CompletableFuture<HttpResponse<T>> result = new CompletableFuture<>();
  private volatile CompletableFuture<?> underWay = new CompletableFuture<>();
  private int attempts;
  private long waited;

  Call(Engine engine, HttpRequest request, BodyHandler<T> handler, @Nullable Duration limit) {
    this.engine = engine;
    this.request = request;
    this.handler = handler;
    hasDeadline = limit != null;
    deadline = engine.time().nanos() + (limit == null ? 0 : limit.toNanos());
  }

  /** Begins. To cancel the future ends it all. */
  CompletableFuture<HttpResponse<T>> start() {
    if (hasDeadline) {
      Clockwork.Alarm alarm = engine.time().after(deadline - engine.time().nanos(), this::timeOut);
      then(result, (response, failure) -> alarm.cancel());
    }
    then(result, (response, failure) -> underWay.cancel(true));
    attempt();
    return result;
  }

  private void timeOut() {
    String effort = attempts + (attempts == 1 ? " attempt" : " attempts");
    result.completeExceptionally(
        new HttpTimeoutException(
            request.method() + " was not answered before its deadline, in " + effort));
  }

  /** Goes through the gate, if there is one. */
  private void attempt() {
    if (!engine.settings().paced()) {
      transmit(null);
      return;
    }
    long began = engine.time().nanos();
    CompletableFuture<Pass> entry =
        engine
            .scopes()
            .gate(request)
            .enter(request.method(), request.uri().getRawPath(), began + patience(began));
    during(entry);
    then(
        entry,
        (pass, failure) -> {
          waited += engine.time().nanos() - began;
          if (pass != null && result.isDone()) {
            pass.lost();
          } else if (pass != null) {
            transmit(pass);
          } else if (failure instanceof LongWaitException tooLong) {
            fail(heldUp(tooLong));
          } else if (failure != null) {
            fail(failure);
          }
        });
  }

  /** What it may still wait: until its deadline, and not longer in all than any may. */
  private long patience(long now) {
    long left = engine.settings().longestWait().toNanos() - waited;
    return Math.max(0, hasDeadline ? Math.min(left, deadline - now) : left);
  }

  private RateLimitedException heldUp(LongWaitException tooLong) {
    long now = engine.time().nanos();
    boolean isLate = hasDeadline && deadline - now < engine.settings().longestWait().toNanos();
    return refusal(
        OptionalInt.empty(),
        tooLong.quota(),
        Optional.of(tooLong.expected()),
        isLate ? GiveUp.DEADLINE : GiveUp.LONGEST_WAIT);
  }

  private RateLimitedException refusal(
      OptionalInt status, Optional<Quota> quota, Optional<Duration> retryAfter, GiveUp reason) {
    Effort effort = new Effort(attempts, Duration.ofNanos(waited));
    return new RateLimitedException(request, status, quota, retryAfter, effort, reason);
  }

  private void transmit(@Nullable Pass pass) {
    attempts++;
    if (attempts == 1) {
      engine.budget().earn();
    }
    Attempt attempt = new Attempt(pass);
    CompletableFuture<HttpResponse<T>> exchange;
    try {
      exchange = engine.http().sendAsync(request, attempt);
    } catch (RuntimeException e) { // a request that cannot be sent at all
      exchange = CompletableFuture.failedFuture(e);
    }
    during(exchange);
    then(exchange, attempt::ended);
  }

  /** What comes next never fails: it ends in the result. */
  static <S> void then(
      CompletableFuture<S> stage, BiConsumer<@Nullable S, @Nullable Throwable> next) {
    var unused = stage.whenComplete(next);
  }

  /** What is to be cancelled if the call is. */
  private void during(CompletableFuture<?> stage) {
    underWay = stage;
    if (result.isDone()) {
      stage.cancel(true);
    }
  }

  private void again(long wait) {
    waited += Math.max(0, wait);
    CompletableFuture<Void> pause = new CompletableFuture<>();
    Clockwork.Alarm alarm = engine.time().after(wait, () -> pause.complete(null));
    during(pause);
    then(
        pause,
        (done, failure) -> {
          if (failure == null && !result.isDone()) {
            attempt();
          } else {
            alarm.cancel();
          }
        });
  }

  private void fail(Throwable failure) {
    boolean isWrapped = failure instanceof CompletionException && failure.getCause() != null;
    result.completeExceptionally(isWrapped ? failure.getCause() : failure);
  }

  /** One time that the request goes. The head of the answer decides what becomes of its body. */
  private final class Attempt implements BodyHandler<T> {
    private final @Nullable Pass pass;
    private volatile @Nullable Verdict verdict;

    Attempt(@Nullable Pass pass) {
      this.pass = pass;
    }

    @Override
    @SuppressWarnings("NullAway") // what is drained is never handed out
    public BodySubscriber<T> apply(ResponseInfo head) {
      Quotas quotas = Quotas.of(head.headers(), engine.time().instant());
      tell(head.statusCode(), quotas);
      Verdict decided = judge(head.statusCode(), quotas);
      verdict = decided;
      return decided instanceof Verdict.Deliver ? handler.apply(head) : new Drain<>(engine.time());
    }

    private void tell(int status, Quotas quotas) {
      if (pass != null && status == Retrying.REFUSED) {
        Duration unsaid = engine.settings().backoff(attempts, engine.random());
        pass.refused(quotas, quotas.refusedFor().orElse(unsaid));
      } else if (pass != null) {
        pass.answered(quotas);
      }
    }

    private Verdict judge(int status, Quotas quotas) {
      boolean isRefused = status == Retrying.REFUSED;
      GiveUp reason = null;
      long wait = 0;
      if (!Retrying.afterStatus(request, status, engine.settings())) {
        reason = GiveUp.NOT_REPEATABLE;
      } else {
        Optional<Duration> said = isRefused ? quotas.refusedFor() : quotas.retryAfter();
        wait = pause(said);
        reason = objection(wait);
      }
      if (reason == null) {
        return new Verdict.Again(wait);
      }
      return isRefused
          ? new Verdict.Fail(
              refusal(OptionalInt.of(status), quotas.refusing(), quotas.refusedFor(), reason))
          : new Verdict.Deliver();
    }

    void ended(@Nullable HttpResponse<T> response, @Nullable Throwable failure) {
      Verdict decided = verdict;
      if (decided instanceof Verdict.Again again) {
        again(again.pause());
      } else if (decided instanceof Verdict.Fail refused) {
        fail(refused.reason());
      } else if (response != null) {
        result.complete(response);
      } else if (failure != null) {
        broken(failure, decided != null);
      }
    }

    /** The connection or the body failed. */
    private void broken(Throwable failure, boolean hadHead) {
      if (pass != null) {
        pass.lost();
      }
      Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
      Throwable real = cause == null ? failure : cause;
      long wait = pause(Optional.empty());
      boolean isRepeatable = !hadHead && Retrying.afterFailure(request, real, engine.settings());
      if (isRepeatable && objection(wait) == null) {
        again(wait);
      } else {
        fail(real);
      }
    }
  }

  /** Never earlier than was said, and not at the same time as others. */
  private long pause(Optional<Duration> said) {
    Duration backoff = engine.settings().backoff(attempts, engine.random());
    return Math.max(said.map(Duration::toNanos).orElse(0L), backoff.toNanos());
  }

  /** What speaks against another attempt after so long; null if nothing does. */
  private @Nullable GiveUp objection(long wait) {
    long now = engine.time().nanos();
    if (attempts >= engine.settings().attempts()) {
      return GiveUp.ATTEMPTS;
    }
    if (hasDeadline && now + wait - deadline >= 0) {
      return GiveUp.DEADLINE;
    }
    if (wait > patience(now)) {
      return GiveUp.LONGEST_WAIT;
    }
    return engine.budget().spend() ? null : GiveUp.BUDGET;
  }

  /** What becomes of an answer. */
  private sealed interface Verdict {
    /** The caller gets it. */
    record Deliver() implements Verdict {}

    /** The request goes once more. */
    record Again(long pause) implements Verdict {}

    /** The caller gets an exception. */
    record Fail(RateLimitedException reason) implements Verdict {}
  }
}
