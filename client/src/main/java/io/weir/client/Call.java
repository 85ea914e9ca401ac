package io.weir.client;

import io.weir.client.RateLimitedException.GiveUp;
import io.weir.client.pace.Clockwork;
import io.weir.client.pace.LongWaitException;
import io.weir.client.pace.Pass;
import io.weir.client.quota.Quotas;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One request from submission to response or failure: waits in the queue, is sent, and waits
 * between attempts. Steps never overlap, so the fields need no lock. Only the end may come from
 * outside, through the future, which is thread-safe. An exception from a configured function or
 * from the wrapped client ends the call.
 */
final class Call<T> {
  private static final int ERROR = 400;

  private final Engine engine;
  private final HttpRequest request;
  private final BodyHandler<T> handler;
  private final Patience patience;
  private final CompletableFuture<HttpResponse<T>> result = new CompletableFuture<>();
  private volatile CompletableFuture<?> underWay = new CompletableFuture<>();

  private Call(
      Engine engine, HttpRequest request, BodyHandler<T> handler, Supplier<Deadline> deadline) {
    this.engine = engine;
    this.request = request;
    this.handler = handler;
    patience = new Patience(engine, request, deadline);
  }

  /** Starts a request that ends at its deadline. Cancelling the future ends the request. */
  static <T> CompletableFuture<HttpResponse<T>> start(
      Engine engine, HttpRequest request, BodyHandler<T> handler, Deadline deadline) {
    Call<T> call = new Call<>(engine, request, handler, () -> deadline);
    deadline.ends(call.result, engine.time(), call.patience::late);
    return call.begin();
  }

  /**
   * Starts a request shared by several callers. It stops waiting when no caller's deadline allows
   * more. The callers must cancel it.
   *
   * @param latest the latest deadline of the callers, which may move later
   */
  static <T> CompletableFuture<HttpResponse<T>> startFor(
      Supplier<Deadline> latest, Engine engine, HttpRequest request, BodyHandler<T> handler) {
    return new Call<>(engine, request, handler, latest).begin();
  }

  private CompletableFuture<HttpResponse<T>> begin() {
    then(result, (response, failure) -> underWay.cancel(true));
    try {
      attempt();
    } catch (Throwable thrown) {
      fail(thrown);
    }
    return result;
  }

  /** Waits in the request queue if pacing is on. */
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
            .enter(request.method(), request.uri().getRawPath(), began + patience.left(began));
    during(entry);
    then(
        entry,
        (pass, failure) -> {
          patience.waited(engine.time().nanos() - began);
          if (pass != null && result.isDone()) {
            pass.lost();
          } else if (pass != null) {
            transmit(pass);
          } else if (failure instanceof LongWaitException tooLong) {
            fail(patience.heldUp(tooLong));
          } else if (failure != null) {
            fail(failure);
          }
        });
  }

  private void transmit(@Nullable Pass pass) {
    patience.tries();
    Attempt attempt = new Attempt(pass);
    CompletableFuture<HttpResponse<T>> exchange;
    try {
      exchange = engine.http().sendAsync(request, attempt);
    } catch (Throwable thrown) { // the wrapped client rejected the request
      exchange = CompletableFuture.failedFuture(thrown);
    }
    during(exchange);
    then(exchange, attempt::ended);
  }

  private <S> void then(
      CompletableFuture<S> stage, BiConsumer<@Nullable S, @Nullable Throwable> next) {
    var unused =
        stage.whenComplete(
            (value, failure) -> {
              try {
                next.accept(value, failure);
              } catch (Throwable thrown) {
                fail(thrown);
              }
            });
  }

  /** Sets the stage to cancel when the call is cancelled. */
  private void during(CompletableFuture<?> stage) {
    underWay = stage;
    if (result.isDone()) {
      stage.cancel(true);
    }
  }

  private void again(long wait) {
    patience.waited(wait);
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
    result.completeExceptionally(real(failure));
  }

  private static Throwable real(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
    return cause == null ? failure : cause;
  }

  /** One attempt. The response head decides whether the body is delivered or drained. */
  private final class Attempt implements BodyHandler<T> {
    private final @Nullable Pass pass;
    private volatile @Nullable Verdict verdict;

    Attempt(@Nullable Pass pass) {
      this.pass = pass;
    }

    @Override
    @SuppressWarnings("NullAway") // a drained body is never delivered
    public BodySubscriber<T> apply(ResponseInfo head) {
      Quotas quotas = Quotas.of(head.headers(), engine.time().instant());
      tell(head.statusCode(), quotas);
      Verdict decided = judge(head.statusCode(), quotas);
      verdict = decided;
      return decided instanceof Verdict.Deliver ? handler.apply(head) : new Drain<>(engine.time());
    }

    private void tell(int status, Quotas quotas) {
      if (pass != null && status == Retrying.REFUSED) {
        Duration unsaid = patience.backoff();
        pass.refused(quotas, quotas.refusedFor().orElse(unsaid));
      } else if (pass != null && status >= ERROR && quotas.all().isEmpty()) {
        pass.failed();
      } else if (pass != null) {
        pass.answered(quotas);
      }
    }

    private Verdict judge(int status, Quotas quotas) {
      if (status == Retrying.REFUSED) {
        return new Verdict.Refused(quotas);
      }
      if (!Retrying.afterTrouble(request, status, engine.settings())) {
        return new Verdict.Deliver();
      }
      long wait = patience.pause(quotas.failedFor());
      return patience.objection(wait) == null
          ? new Verdict.Again(status, wait)
          : new Verdict.Deliver();
    }

    void ended(@Nullable HttpResponse<T> response, @Nullable Throwable failure) {
      Verdict decided = verdict;
      if (decided instanceof Verdict.Again trouble) {
        patience.wasAnswered(trouble.status());
        again(trouble.pause());
      } else if (decided instanceof Verdict.Refused refused) {
        refused(refused.quotas(), response == null ? mayRedirect() : isRedirected(response));
      } else if (response != null) {
        result.complete(response);
      } else if (failure != null) {
        broken(real(failure), decided != null);
      }
    }

    private boolean mayRedirect() {
      return engine.http().followRedirects() != Redirect.NEVER;
    }

    private boolean isRedirected(HttpResponse<T> response) {
      return !response.uri().equals(request.uri())
          || !response.request().method().equals(request.method());
    }

    private void refused(Quotas quotas, boolean isRedirected) {
      patience.wasAnswered(Retrying.REFUSED);
      long wait = patience.pause(quotas.refusedFor());
      GiveUp reason =
          Retrying.afterRefusal(request, isRedirected, engine.settings())
              ? patience.objection(wait)
              : GiveUp.NOT_REPEATABLE;
      if (reason == null) {
        again(wait);
      } else {
        fail(patience.refusal(quotas.refusing(), quotas.refusedFor(), reason));
      }
    }

    /** Handles a connection or body that failed. */
    private void broken(Throwable failure, boolean hadHead) {
      if (pass != null) {
        pass.lost();
      }
      long wait = patience.pause(Optional.empty());
      boolean isRepeatable =
          !hadHead && Retrying.afterFailure(request, failure, mayRedirect(), engine.settings());
      if (isRepeatable && patience.objection(wait) == null) {
        patience.failed(failure);
        again(wait);
      } else {
        fail(failure);
      }
    }
  }

  /** What to do with a response. */
  private sealed interface Verdict {
    /** Delivers it to the caller. */
    record Deliver() implements Verdict {}

    /** Retries the request. */
    record Again(int status, long pause) implements Verdict {}

    /** A refusal: whether to retry depends on whether a redirect target sent it. */
    record Refused(Quotas quotas) implements Verdict {}
  }
}
