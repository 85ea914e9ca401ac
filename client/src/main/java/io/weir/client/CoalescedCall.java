package io.weir.client;

import io.weir.client.BodyCollector.Body;
import io.weir.client.RequestCoalescer.Participant;
import io.weir.client.cache.BufferedResponse;
import io.weir.client.cache.ResponseCache;
import io.weir.client.cache.ResponseCache.CachedResponse;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One caller's GET that may share its response with other callers, by coalescing or from the cache.
 * The shared request is independent of its callers and runs while at least one of them waits. Each
 * caller has its own deadline and body handler. Handlers run on separate threads, so a slow one
 * does not delay other callers. A body too large to share goes only to the caller that started the
 * request.
 */
final class CoalescedCall<T> {
  private final ClientContext clientContext;
  private final RequestCoalescer requestCoalescer;
  private final @Nullable ResponseCache cache;
  private final HttpRequest request;
  private final BodyHandler<T> handler;
  private final Deadline deadline;
  private final CompletableFuture<HttpResponse<T>> result = new CompletableFuture<>();
  private volatile boolean ownsBody;
  private boolean hasRetried;

  CoalescedCall(
      ClientContext clientContext,
      RequestCoalescer requestCoalescer,
      @Nullable ResponseCache cache,
      HttpRequest request,
      BodyHandler<T> handler,
      Deadline deadline) {
    this.clientContext = clientContext;
    this.requestCoalescer = requestCoalescer;
    this.cache = cache;
    this.request = request;
    this.handler = handler;
    this.deadline = deadline;
  }

  CompletableFuture<HttpResponse<T>> start() {
    deadline.ends(result, clientContext.time(), () -> "GET was not answered before its deadline");
    orFail(this::request);
    return result;
  }

  private void request() {
    RequestKey requestKey = RequestKey.of(request, clientContext);
    CachedResponse cachedResponse =
        cache == null ? null : cache.find(request, requestKey.owner()).orElse(null);
    BufferedResponse fresh =
        cachedResponse == null
            ? null
            : cachedResponse.fresh(request, clientContext.time().instant());
    if (fresh != null) {
      deliver(fresh);
    } else if (isOnlyIfCached()) {
      deliver(nothing());
    } else {
      boolean isShared = clientContext.clientSettings().coalesces();
      waitFor(
          isShared
              ? requestCoalescer.join(requestKey, deadline)
              : requestCoalescer.alone(requestKey, deadline),
          cachedResponse);
    }
  }

  private boolean isOnlyIfCached() {
    return cache != null
        && request.headers().allValues("Cache-Control").stream()
            .anyMatch(value -> value.contains("only-if-cached"));
  }

  private BufferedResponse nothing() {
    HttpHeaders none = HttpHeaders.of(Map.of(), (name, value) -> true);
    return new BufferedResponse(504, none, HttpClient.Version.HTTP_1_1, request.uri(), new byte[0]);
  }

  private void waitFor(Participant participant, @Nullable CachedResponse cachedResponse) {
    then(result, (response, failure) -> participant.leave());
    if (participant.isFirst) {
      try {
        sendShared(participant.inFlightRequest, cachedResponse);
      } catch (Throwable thrown) { // otherwise the callers that joined would wait for ever
        failShared(participant.inFlightRequest, thrown);
      }
    }
    then(
        participant.inFlightRequest.response,
        (bufferedResponse, failure) ->
            clientContext
                .callbackPool()
                .soon(() -> orFail(() -> arrive(participant, bufferedResponse, failure))));
  }

  private void sendShared(
      InFlightRequest inFlightRequest, @Nullable CachedResponse cachedResponse) {
    Instant sentAt = clientContext.time().instant();
    HttpRequest sent = cachedResponse == null ? request : cachedResponse.validating(request);
    int maxBytes = clientContext.clientSettings().largestShared();
    CompletableFuture<HttpResponse<Body<T>>> call =
        ClientCall.startFor(
            inFlightRequest::latest,
            clientContext,
            sent,
            head -> new BodyCollector<>(head, () -> takeAll(inFlightRequest, head), maxBytes));
    then(inFlightRequest.abandoned, (none, failure) -> call.cancel(true));
    then(
        call,
        (response, failure) -> {
          if (ownsBody) {
            end(response == null ? null : taken(response), failure);
          } else {
            arrived(inFlightRequest, cachedResponse, response, failure, sentAt);
          }
        });
  }

  /** Gives a body that is too large to share to this caller only, if it still waits. */
  private @Nullable BodySubscriber<T> takeAll(InFlightRequest inFlightRequest, ResponseInfo head) {
    ownsBody = !result.isDone();
    requestCoalescer.close(inFlightRequest);
    inFlightRequest.response.complete(Optional.empty());
    return ownsBody ? handler.apply(head) : null;
  }

  @SuppressWarnings("NullAway") // a body handler may return null
  private static <T> HttpResponse<T> taken(HttpResponse<Body<T>> response) {
    return new ResponseWithBody<>(response, response.body().taken());
  }

  private void arrived(
      InFlightRequest inFlightRequest,
      @Nullable CachedResponse cachedResponse,
      @Nullable HttpResponse<Body<T>> response,
      @Nullable Throwable failure,
      Instant sentAt) {
    try {
      if (response != null) {
        Optional<BufferedResponse> bufferedResponse =
            shared(inFlightRequest, cachedResponse, response, sentAt);
        requestCoalescer.close(inFlightRequest);
        inFlightRequest.response.complete(bufferedResponse);
      } else if (failure != null) {
        failShared(inFlightRequest, failure);
      }
    } catch (Throwable thrown) {
      failShared(inFlightRequest, thrown);
    }
  }

  private void failShared(InFlightRequest inFlightRequest, Throwable failure) {
    requestCoalescer.close(inFlightRequest);
    inFlightRequest.response.completeExceptionally(failure);
  }

  /**
   * Builds the response for all callers and updates the cache. A response is neither stored nor
   * used for validation after a redirect, or if the caller's credentials changed in the meantime.
   */
  private Optional<BufferedResponse> shared(
      InFlightRequest inFlightRequest,
      @Nullable CachedResponse cachedResponse,
      HttpResponse<Body<T>> response,
      Instant sentAt) {
    byte[] whole = response.body().whole();
    BufferedResponse bufferedResponse =
        new BufferedResponse(
            response.statusCode(),
            response.headers(),
            response.version(),
            response.uri(),
            whole == null ? new byte[0] : whole);
    boolean isValid = cachedResponse != null && bufferedResponse.statusCode() == 304;
    String owner = inFlightRequest.requestKey.owner();
    if (cache == null
        || isRedirected(response)
        || !owner.equals(CachePartition.of(request, clientContext))) {
      return isValid ? Optional.empty() : Optional.of(bufferedResponse);
    }
    Instant now = clientContext.time().instant();
    if (cachedResponse != null && isValid) {
      bufferedResponse =
          cache.validated(request, owner, cachedResponse, bufferedResponse.headers(), sentAt, now);
    } else {
      cache.store(request, owner, bufferedResponse, sentAt, now);
    }
    if (inFlightRequest.isOutdated()) {
      cache.forget(request.uri());
    }
    return Optional.of(bufferedResponse);
  }

  /**
   * Compares the history as well as the address, since redirects may lead back to the first
   * address.
   */
  private boolean isRedirected(HttpResponse<?> response) {
    return response.previousResponse().isPresent() || !response.uri().equals(request.uri());
  }

  private void arrive(
      Participant participant,
      @Nullable Optional<BufferedResponse> bufferedResponse,
      @Nullable Throwable failure) {
    if (result.isDone() || ownsBody) {
      return;
    }
    if (failure != null && !hasMoreTimeThan(failure)) {
      end(null, failure);
    } else if (failure != null) {
      hasRetried = true;
      participant.leave();
      request();
    } else if (bufferedResponse != null && bufferedResponse.isPresent()) {
      deliver(bufferedResponse.get());
    } else {
      participant.leave();
      byItself();
    }
  }

  /**
   * Whether the shared request failed on the wait limit of other callers, while this one has time
   * left.
   */
  private boolean hasMoreTimeThan(Throwable failure) {
    return !hasRetried
        && failure instanceof RateLimitedException given
        && given.isForLackOfTime()
        && given
            .retryAfter()
            .filter(wait -> !deadline.isBefore(clientContext.time().nanos() + wait.toNanos()))
            .isPresent();
  }

  private void byItself() {
    CompletableFuture<HttpResponse<T>> call =
        ClientCall.start(clientContext, request, handler, deadline);
    then(result, (response, failure) -> call.cancel(true));
    then(call, this::end);
  }

  private void deliver(BufferedResponse bufferedResponse) {
    then(ReplayedResponse.of(request, bufferedResponse, handler), this::end);
  }

  private static <S> void then(
      CompletionStage<S> stage, BiConsumer<@Nullable S, @Nullable Throwable> next) {
    var unused = stage.whenComplete(next);
  }

  private void orFail(Runnable step) {
    try {
      step.run();
    } catch (Throwable thrown) { // by a body handler, or by the wrapped client's cookie handler
      end(null, thrown);
    }
  }

  private void end(@Nullable HttpResponse<T> response, @Nullable Throwable failure) {
    if (failure == null) {
      result.complete(response);
    } else {
      boolean isWrapped = failure instanceof CompletionException && failure.getCause() != null;
      result.completeExceptionally(isWrapped ? failure.getCause() : failure);
    }
  }
}
