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
 * Shares responses between callers: equal concurrent requests wait for one request, and responses
 * that may be cached serve later callers.
 */
final class ResponseSharing {
  private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS", "TRACE");
  private static final List<String> CONDITIONS =
      List.of(
          "Range",
          "If-Match",
          "If-None-Match",
          "If-Modified-Since",
          "If-Unmodified-Since",
          "If-Range");

  private final ClientContext clientContext;
  private final @Nullable ResponseCache cache;
  private final RequestCoalescer requestCoalescer = new RequestCoalescer();

  ResponseSharing(ClientContext clientContext) {
    this.clientContext = clientContext;
    long bytes = clientContext.clientSettings().cacheBytes();
    cache = bytes == 0 ? null : new ResponseCache(bytes);
  }

  <T> CompletableFuture<HttpResponse<T>> send(
      HttpRequest request, BodyHandler<T> handler, Deadline deadline) {
    if (!SAFE.contains(request.method())) {
      return ClientCall.start(clientContext, request, forgetting(request, handler), deadline);
    }
    return isShareable(request)
        ? new CoalescedCall<>(clientContext, requestCoalescer, cache, request, handler, deadline)
            .start()
        : ClientCall.start(clientContext, request, handler, deadline);
  }

  /** Whether it is a plain GET of a resource that ends, not of an event stream. */
  private static boolean isShareable(HttpRequest request) {
    HttpHeaders headers = request.headers();
    boolean isStream =
        headers.firstValue("Accept").filter(type -> type.contains("text/event-stream")).isPresent();
    return request.method().equals("GET")
        && !isStream
        && request.bodyPublisher().map(body -> body.contentLength() == 0).orElse(true)
        && CONDITIONS.stream().noneMatch(name -> headers.firstValue(name).isPresent());
  }

  /** Removes a changed resource from the cache before the response to the change is delivered. */
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

  /** Ignores an address of another origin, which the server must not be able to invalidate. */
  private void forget(HttpRequest request, String location) {
    try {
      URI uri = request.uri().resolve(location);
      if (String.valueOf(uri.getAuthority()).equals(request.uri().getAuthority())) {
        forget(uri);
      }
    } catch (IllegalArgumentException e) {
      // an invalid address
    }
  }

  /** Marks requests in flight first: their responses are then not stored, or are removed here. */
  private void forget(URI uri) {
    requestCoalescer.outdate(uri);
    if (cache != null) {
      cache.forget(uri);
    }
  }
}
