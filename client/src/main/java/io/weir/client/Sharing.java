package io.weir.client;

import io.weir.client.cache.ResponseCache;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
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
  private final Flights flights = new Flights();

  Sharing(Engine engine) {
    this.engine = engine;
    long bytes = engine.settings().cacheBytes();
    cache = bytes == 0 ? null : new ResponseCache(bytes);
  }

  <T> CompletableFuture<HttpResponse<T>> send(
      HttpRequest request, BodyHandler<T> handler, Deadline deadline) {
    if (!SAFE.contains(request.method())) {
      return Call.start(engine, request, forgetting(request, handler), deadline);
    }
    return isShareable(request)
        ? new Asking<>(engine, flights, cache, request, handler, deadline).start()
        : Call.start(engine, request, handler, deadline);
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

  /** What was changed is forgotten before anybody hears that it was. */
  private <T> BodyHandler<T> forgetting(HttpRequest request, BodyHandler<T> handler) {
    return head -> {
      if (head.statusCode() < 400) {
        forget(request.uri());
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
      if (String.valueOf(uri.getAuthority()).equals(request.uri().getAuthority())) {
        forget(uri);
      }
    } catch (IllegalArgumentException e) {
      // no address
    }
  }

  /** Those under way first: what they bring is then not kept, or it is forgotten here. */
  private void forget(URI uri) {
    flights.outdate(uri);
    if (cache != null) {
      cache.forget(uri);
    }
  }
}
