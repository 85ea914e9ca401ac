package io.weir.client;

import io.weir.client.Collecting.Body;
import io.weir.client.Flights.Place;
import io.weir.client.cache.Answer;
import io.weir.client.cache.ResponseCache;
import io.weir.client.cache.ResponseCache.Kept;
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
final class Asking<T> {
  private final Engine engine;
  private final Flights flights;
  private final @Nullable ResponseCache cache;
  private final HttpRequest request;
  private final BodyHandler<T> handler;
  private final Deadline deadline;
  private final CompletableFuture<HttpResponse<T>> result = new CompletableFuture<>();
  private volatile boolean ownsBody;
  private boolean hasAskedAgain;

  Asking(
      Engine engine,
      Flights flights,
      @Nullable ResponseCache cache,
      HttpRequest request,
      BodyHandler<T> handler,
      Deadline deadline) {
    this.engine = engine;
    this.flights = flights;
    this.cache = cache;
    this.request = request;
    this.handler = handler;
    this.deadline = deadline;
  }

  CompletableFuture<HttpResponse<T>> start() {
    deadline.ends(result, engine.time(), () -> "GET was not answered before its deadline");
    orFail(this::ask);
    return result;
  }

  private void ask() {
    Same same = Same.of(request, engine);
    Kept kept = cache == null ? null : cache.find(request, same.owner()).orElse(null);
    Answer fresh = kept == null ? null : kept.fresh(request, engine.time().instant());
    if (fresh != null) {
      deliver(fresh);
    } else if (isOnlyIfCached()) {
      deliver(nothing());
    } else {
      boolean isShared = engine.settings().coalesces();
      board(isShared ? flights.join(same, deadline) : flights.alone(same, deadline), kept);
    }
  }

  private boolean isOnlyIfCached() {
    return cache != null
        && request.headers().allValues("Cache-Control").stream()
            .anyMatch(value -> value.contains("only-if-cached"));
  }

  private Answer nothing() {
    HttpHeaders none = HttpHeaders.of(Map.of(), (name, value) -> true);
    return new Answer(504, none, HttpClient.Version.HTTP_1_1, request.uri(), new byte[0]);
  }

  private void board(Place place, @Nullable Kept kept) {
    then(result, (response, failure) -> place.leave());
    if (place.isFirst) {
      try {
        lead(place.flight, kept);
      } catch (Throwable thrown) { // otherwise the callers that joined would wait for ever
        land(place.flight, thrown);
      }
    }
    then(
        place.flight.landed,
        (answer, failure) ->
            engine.crew().soon(() -> orFail(() -> arrive(place, answer, failure))));
  }

  private void lead(Flight flight, @Nullable Kept kept) {
    Instant asked = engine.time().instant();
    HttpRequest sent = kept == null ? request : kept.validating(request);
    int most = engine.settings().largestShared();
    CompletableFuture<HttpResponse<Body<T>>> call =
        Call.startFor(
            flight::latest,
            engine,
            sent,
            head -> new Collecting<>(head, () -> takeAll(flight, head), most));
    then(flight.abandoned, (none, failure) -> call.cancel(true));
    then(
        call,
        (response, failure) -> {
          if (ownsBody) {
            end(response == null ? null : taken(response), failure);
          } else {
            arrived(flight, kept, response, failure, asked);
          }
        });
  }

  /** Gives a body that is too large to share to this caller only, if it still waits. */
  private @Nullable BodySubscriber<T> takeAll(Flight flight, ResponseInfo head) {
    ownsBody = !result.isDone();
    flights.close(flight);
    flight.landed.complete(Optional.empty());
    return ownsBody ? handler.apply(head) : null;
  }

  @SuppressWarnings("NullAway") // a body handler may return null
  private static <T> HttpResponse<T> taken(HttpResponse<Body<T>> response) {
    return new Rebodied<>(response, response.body().taken());
  }

  private void arrived(
      Flight flight,
      @Nullable Kept kept,
      @Nullable HttpResponse<Body<T>> response,
      @Nullable Throwable failure,
      Instant asked) {
    try {
      if (response != null) {
        Optional<Answer> answer = shared(flight, kept, response, asked);
        flights.close(flight);
        flight.landed.complete(answer);
      } else if (failure != null) {
        land(flight, failure);
      }
    } catch (Throwable thrown) {
      land(flight, thrown);
    }
  }

  private void land(Flight flight, Throwable failure) {
    flights.close(flight);
    flight.landed.completeExceptionally(failure);
  }

  /**
   * Builds the response for all callers and updates the cache. A response is neither stored nor
   * used for validation after a redirect, or if the caller's credentials changed in the meantime.
   */
  private Optional<Answer> shared(
      Flight flight, @Nullable Kept kept, HttpResponse<Body<T>> response, Instant asked) {
    byte[] whole = response.body().whole();
    Answer answer =
        new Answer(
            response.statusCode(),
            response.headers(),
            response.version(),
            response.uri(),
            whole == null ? new byte[0] : whole);
    boolean isValid = kept != null && answer.statusCode() == 304;
    String owner = flight.same.owner();
    if (cache == null || isRedirected(response) || !owner.equals(Owner.of(request, engine))) {
      return isValid ? Optional.empty() : Optional.of(answer);
    }
    Instant now = engine.time().instant();
    if (kept != null && isValid) {
      answer = cache.validated(request, owner, kept, answer.headers(), asked, now);
    } else {
      cache.store(request, owner, answer, asked, now);
    }
    if (flight.isOutdated()) {
      cache.forget(request.uri());
    }
    return Optional.of(answer);
  }

  /**
   * Compares the history as well as the address, since redirects may lead back to the first
   * address.
   */
  private boolean isRedirected(HttpResponse<?> response) {
    return response.previousResponse().isPresent() || !response.uri().equals(request.uri());
  }

  private void arrive(Place place, @Nullable Optional<Answer> answer, @Nullable Throwable failure) {
    if (result.isDone() || ownsBody) {
      return;
    }
    if (failure != null && !hasMoreTimeThan(failure)) {
      end(null, failure);
    } else if (failure != null) {
      hasAskedAgain = true;
      place.leave();
      ask();
    } else if (answer != null && answer.isPresent()) {
      deliver(answer.get());
    } else {
      place.leave();
      byItself();
    }
  }

  /**
   * Whether the shared request failed on the wait limit of other callers, while this one has time
   * left.
   */
  private boolean hasMoreTimeThan(Throwable failure) {
    return !hasAskedAgain
        && failure instanceof RateLimitedException given
        && given.isForLackOfTime()
        && given
            .retryAfter()
            .filter(wait -> !deadline.isBefore(engine.time().nanos() + wait.toNanos()))
            .isPresent();
  }

  private void byItself() {
    CompletableFuture<HttpResponse<T>> call = Call.start(engine, request, handler, deadline);
    then(result, (response, failure) -> call.cancel(true));
    then(call, this::end);
  }

  private void deliver(Answer answer) {
    then(Replay.of(request, answer, handler), this::end);
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
