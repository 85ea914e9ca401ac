package io.weir.client;

import io.weir.client.RateLimitedException.GiveUp;
import io.weir.client.pace.DelayScheduler;
import io.weir.client.pace.LongWaitException;
import io.weir.client.pace.SendSlot;
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
final class ClientCall<T> {
  private static final int ERROR = 400;

  private final ClientContext clientContext;
  private final HttpRequest request;
  private final BodyHandler<T> handler;
  private final RetryState retryState;
  private final CompletableFuture<HttpResponse<T>> result = new CompletableFuture<>();
  private volatile CompletableFuture<?> underWay = new CompletableFuture<>();

  private ClientCall(
      ClientContext clientContext,
      HttpRequest request,
      BodyHandler<T> handler,
      Supplier<Deadline> deadline) {
    this.clientContext = clientContext;
    this.request = request;
    this.handler = handler;
    retryState = new RetryState(clientContext, request, deadline);
  }

  /** Starts a request that ends at its deadline. Cancelling the future ends the request. */
  static <T> CompletableFuture<HttpResponse<T>> start(
      ClientContext clientContext, HttpRequest request, BodyHandler<T> handler, Deadline deadline) {
    ClientCall<T> clientCall = new ClientCall<>(clientContext, request, handler, () -> deadline);
    deadline.ends(clientCall.result, clientContext.time(), clientCall.retryState::late);
    return clientCall.begin();
  }

  /**
   * Starts a request shared by several callers. It stops waiting when no caller's deadline allows
   * more. The callers must cancel it.
   *
   * @param latest the latest deadline of the callers, which may move later
   */
  static <T> CompletableFuture<HttpResponse<T>> startFor(
      Supplier<Deadline> latest,
      ClientContext clientContext,
      HttpRequest request,
      BodyHandler<T> handler) {
    return new ClientCall<>(clientContext, request, handler, latest).begin();
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
    if (!clientContext.clientSettings().paced()) {
      transmit(null);
      return;
    }
    long began = clientContext.time().nanos();
    CompletableFuture<SendSlot> entry =
        clientContext
            .requestQueues()
            .queueFor(request)
            .enter(request.method(), request.uri().getRawPath(), began + retryState.left(began));
    during(entry);
    then(
        entry,
        (sendSlot, failure) -> {
          retryState.waited(clientContext.time().nanos() - began);
          if (sendSlot != null && result.isDone()) {
            sendSlot.lost();
          } else if (sendSlot != null) {
            transmit(sendSlot);
          } else if (failure instanceof LongWaitException tooLong) {
            fail(retryState.waitTooLong(tooLong));
          } else if (failure != null) {
            fail(failure);
          }
        });
  }

  private void transmit(@Nullable SendSlot sendSlot) {
    retryState.tries();
    Attempt attempt = new Attempt(sendSlot);
    CompletableFuture<HttpResponse<T>> exchange;
    try {
      exchange = clientContext.http().sendAsync(request, attempt);
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
    retryState.waited(wait);
    CompletableFuture<Void> pause = new CompletableFuture<>();
    DelayScheduler.ScheduledTask scheduledTask =
        clientContext.time().after(wait, () -> pause.complete(null));
    during(pause);
    then(
        pause,
        (done, failure) -> {
          if (failure == null && !result.isDone()) {
            attempt();
          } else {
            scheduledTask.cancel();
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
    private final @Nullable SendSlot sendSlot;
    private volatile @Nullable ResponseAction responseAction;

    Attempt(@Nullable SendSlot sendSlot) {
      this.sendSlot = sendSlot;
    }

    @Override
    @SuppressWarnings("NullAway") // a drained body is never delivered
    public BodySubscriber<T> apply(ResponseInfo head) {
      Quotas quotas = Quotas.of(head.headers(), clientContext.time().instant());
      report(head.statusCode(), quotas);
      ResponseAction decided = decide(head.statusCode(), quotas);
      responseAction = decided;
      return decided instanceof ResponseAction.Deliver
          ? handler.apply(head)
          : new DiscardingSubscriber<>(clientContext.time());
    }

    private void report(int status, Quotas quotas) {
      if (sendSlot != null && status == RetryPolicy.REFUSED) {
        Duration fallback = retryState.backoff();
        sendSlot.refused(quotas, quotas.refusedFor().orElse(fallback));
      } else if (sendSlot != null && status >= ERROR && quotas.all().isEmpty()) {
        sendSlot.failed();
      } else if (sendSlot != null) {
        sendSlot.responded(quotas);
      }
    }

    private ResponseAction decide(int status, Quotas quotas) {
      if (status == RetryPolicy.REFUSED) {
        return new ResponseAction.Refused(quotas);
      }
      if (!RetryPolicy.afterTrouble(request, status, clientContext.clientSettings())) {
        return new ResponseAction.Deliver();
      }
      long wait = retryState.pause(quotas.failedFor());
      return retryState.objection(wait) == null
          ? new ResponseAction.Again(status, wait)
          : new ResponseAction.Deliver();
    }

    void ended(@Nullable HttpResponse<T> response, @Nullable Throwable failure) {
      ResponseAction decided = responseAction;
      if (decided instanceof ResponseAction.Again trouble) {
        retryState.responded(trouble.status());
        again(trouble.pause());
      } else if (decided instanceof ResponseAction.Refused refused) {
        refused(refused.quotas(), response == null ? mayRedirect() : isRedirected(response));
      } else if (response != null) {
        result.complete(response);
      } else if (failure != null) {
        ioFailed(real(failure), decided != null);
      }
    }

    private boolean mayRedirect() {
      return clientContext.http().followRedirects() != Redirect.NEVER;
    }

    private boolean isRedirected(HttpResponse<T> response) {
      return !response.uri().equals(request.uri())
          || !response.request().method().equals(request.method());
    }

    private void refused(Quotas quotas, boolean isRedirected) {
      retryState.responded(RetryPolicy.REFUSED);
      long wait = retryState.pause(quotas.refusedFor());
      GiveUp reason =
          RetryPolicy.afterRefusal(request, isRedirected, clientContext.clientSettings())
              ? retryState.objection(wait)
              : GiveUp.NOT_REPEATABLE;
      if (reason == null) {
        again(wait);
      } else {
        fail(retryState.refusal(quotas.refusing(), quotas.refusedFor(), reason));
      }
    }

    /** Handles a connection or body that failed. */
    private void ioFailed(Throwable failure, boolean hadHead) {
      if (sendSlot != null) {
        sendSlot.lost();
      }
      long wait = retryState.pause(Optional.empty());
      boolean isRepeatable =
          !hadHead
              && RetryPolicy.afterFailure(
                  request, failure, mayRedirect(), clientContext.clientSettings());
      if (isRepeatable && retryState.objection(wait) == null) {
        retryState.failed(failure);
        again(wait);
      } else {
        fail(failure);
      }
    }
  }

  /** What to do with a response. */
  private sealed interface ResponseAction {
    /** Delivers it to the caller. */
    record Deliver() implements ResponseAction {}

    /** Retries the request. */
    record Again(int status, long pause) implements ResponseAction {}

    /** A refusal: whether to retry depends on whether a redirect target sent it. */
    record Refused(Quotas quotas) implements ResponseAction {}
  }
}
