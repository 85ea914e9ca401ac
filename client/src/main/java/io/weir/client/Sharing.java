package io.weir.client;

import io.weir.client.cache.Answer;
import io.weir.client.cache.ResponseCache;
import io.weir.client.cache.ResponseCache.Kept;
import io.weir.client.pace.Clockwork;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * One answer for many: those who ask the same at the same time wait for one request, and what may
 * be kept is given to those who ask later.
 */
final class Sharing {
  private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS", "TRACE");
  private static final List<String> CONDITIONS =
      List.of(
          "Range",
          "If-Match",
          "If-None-Match",
          "If-Modified-Since",
          "If-Unmodified-Since",
          "If-Range");

  private final Engine engine;
  private final @Nullable ResponseCache cache;
  private final Map<Same, Flight> flights = new HashMap<>();

  Sharing(Engine engine) {
    this.engine = engine;
    Settings settings = engine.settings();
    cache =
        settings.cacheBytes() == 0
            ? null
            : new ResponseCache(settings.cacheBytes(), Scopes::ofOriginAndCredentials);
  }

  /** What makes requests the same: the address and all headers. */
  private record Same(URI uri, HttpHeaders headers) {}

  <T> CompletableFuture<HttpResponse<T>> send(
      HttpRequest request, BodyHandler<T> handler, @Nullable Duration limit) {
    if (!SAFE.contains(request.method())) {
      return new Call<>(engine, request, forgetting(request, handler), limit).start();
    }
    if (!isShareable(request)) {
      return new Call<>(engine, request, handler, limit).start();
    }
    Kept kept = cache == null ? null : cache.find(request).orElse(null);
    Answer fresh = kept == null ? null : kept.fresh(request, engine.time().instant());
    if (fresh != null) {
      return Replay.of(request, fresh, handler);
    }
    if (isOnlyIfCached(request)) {
      return Replay.of(request, nothing(request), handler);
    }
    Asking<T> asking = new Asking<>(request, handler, limit, kept);
    return engine.settings().coalesces() ? asking.together() : asking.alone();
  }

  /** A plain GET, for something that ends. */
  private static boolean isShareable(HttpRequest request) {
    HttpHeaders headers = request.headers();
    boolean isStream =
        headers.firstValue("Accept").filter(type -> type.contains("text/event-stream")).isPresent();
    return request.method().equals("GET")
        && !isStream
        && request.bodyPublisher().map(body -> body.contentLength() == 0).orElse(true)
        && CONDITIONS.stream().noneMatch(name -> headers.firstValue(name).isPresent());
  }

  private boolean isOnlyIfCached(HttpRequest request) {
    return cache != null
        && request.headers().allValues("Cache-Control").stream()
            .anyMatch(value -> value.contains("only-if-cached"));
  }

  private static Answer nothing(HttpRequest request) {
    HttpHeaders none = HttpHeaders.of(Map.of(), (name, value) -> true);
    return new Answer(504, none, HttpClient.Version.HTTP_1_1, request.uri(), new byte[0]);
  }

  /** What was changed is forgotten before anybody hears that it was. */
  private <T> BodyHandler<T> forgetting(HttpRequest request, BodyHandler<T> handler) {
    if (cache == null) {
      return handler;
    }
    return head -> {
      if (head.statusCode() < 400) {
        cache.forget(request.uri());
        for (String name : List.of("Location", "Content-Location")) {
          head.headers().firstValue(name).ifPresent(to -> forget(request, to));
        }
      }
      return handler.apply(head);
    };
  }

  /** Of another origin, nobody may make us forget anything. */
  private void forget(HttpRequest request, String location) {
    try {
      URI uri = request.uri().resolve(location);
      if (cache != null
          && String.valueOf(uri.getAuthority()).equals(request.uri().getAuthority())) {
        cache.forget(uri);
      }
    } catch (IllegalArgumentException e) {
      // no address
    }
  }

  /** One who asks. */
  private final class Asking<T> {
    private final HttpRequest request;
    private final BodyHandler<T> handler;
    private final @Nullable Duration limit;
    private final @Nullable Kept kept;
    private final long began = engine.time().nanos();
    private final CompletableFuture<HttpResponse<T>> result = new CompletableFuture<>();

    Asking(
        HttpRequest request,
        BodyHandler<T> handler,
        @Nullable Duration limit,
        @Nullable Kept kept) {
      this.request = request;
      this.handler = handler;
      this.limit = limit;
      this.kept = kept;
    }

    CompletableFuture<HttpResponse<T>> alone() {
      Flight flight = new Flight();
      board(flight);
      lead(flight);
      return result;
    }

    CompletableFuture<HttpResponse<T>> together() {
      Same same = new Same(request.uri(), request.headers());
      Flight flight;
      boolean isFirst;
      synchronized (flights) {
        Flight there = flights.get(same);
        isFirst = there == null;
        flight = there == null ? new Flight() : there;
        flights.put(same, flight);
        board(flight);
      }
      if (isFirst) {
        Call.then(flight.landed, (answer, failure) -> remove(same, flight));
        lead(flight);
      } else {
        follow(flight);
      }
      return result;
    }

    private void remove(Same same, Flight flight) {
      synchronized (flights) {
        flights.remove(same, flight);
      }
    }

    private void board(Flight flight) {
      flight.board();
      Call.then(result, (response, failure) -> flight.leave());
    }

    private void lead(Flight flight) {
      Instant asked = engine.time().instant();
      HttpRequest sent = kept == null ? request : kept.validating(request);
      int most = engine.settings().largestShared();
      CompletableFuture<HttpResponse<Collecting.Body<T>>> call =
          new Call<>(engine, sent, head -> new Collecting<>(head, handler, most), limit).start();
      Call.then(
          call,
          (response, failure) -> {
            if (response != null) {
              landed(flight, response, asked);
            } else if (failure != null) {
              failed(flight, failure);
            }
          });
      flight.takes(call);
    }

    private void landed(Flight flight, HttpResponse<Collecting.Body<T>> response, Instant asked) {
      byte[] whole = response.body().whole();
      Answer answer =
          new Answer(
              response.statusCode(),
              response.headers(),
              response.version(),
              response.uri(),
              whole == null ? new byte[0] : whole);
      if (response.body().streamed() != null) {
        flight.landed.complete(Optional.empty());
        Call.then(
            response.body().streamed().toCompletableFuture(),
            (body, failure) -> end(Replay.withBody(response, answer, body), failure));
        return;
      }
      Answer given = kept(answer, asked);
      flight.landed.complete(Optional.of(given));
      deliver(given);
    }

    private Answer kept(Answer answer, Instant asked) {
      if (cache == null) {
        return answer;
      }
      Instant now = engine.time().instant();
      if (kept != null && answer.statusCode() == 304) {
        return cache.validated(request, kept, answer.headers(), asked, now);
      }
      cache.store(request, answer, asked, now);
      return answer;
    }

    /** Others may have more time than the one who asked for them. */
    private void failed(Flight flight, Throwable failure) {
      if (failure instanceof HttpTimeoutException) {
        flight.landed.complete(Optional.empty());
      } else {
        flight.landed.completeExceptionally(failure);
      }
      result.completeExceptionally(failure);
    }

    private void follow(Flight flight) {
      if (limit != null) {
        Clockwork.Alarm alarm = engine.time().after(limit.toNanos(), this::timeOut);
        Call.then(result, (response, failure) -> alarm.cancel());
      }
      Call.then(
          flight.landed,
          (answer, failure) -> {
            if (failure != null) {
              end(null, failure);
            } else if (answer != null && answer.isPresent()) {
              deliver(answer.get());
            } else if (!result.isDone()) {
              byItself();
            }
          });
    }

    private void timeOut() {
      result.completeExceptionally(
          new HttpTimeoutException("GET was not answered before its deadline"));
    }

    private void byItself() {
      Duration left = limit == null ? null : limit.minusNanos(engine.time().nanos() - began);
      CompletableFuture<HttpResponse<T>> call = new Call<>(engine, request, handler, left).start();
      Call.then(call, this::end);
      Call.then(result, (response, failure) -> call.cancel(true));
    }

    private void deliver(Answer answer) {
      try {
        Call.then(Replay.of(request, answer, handler), this::end);
      } catch (RuntimeException e) { // the handler's
        result.completeExceptionally(e);
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
}
