package io.weir.server.gateway;

import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.server.connection.BodyDrainer;
import org.jspecify.annotations.Nullable;

/**
 * Streams the body of a request upstream, no faster than the server reads it.
 *
 * <p>An HTTP/2 request without a length shows whether it has a body only by its next frame, data or
 * end of stream. So one frame is fetched in advance and kept until the request is sent.
 */
final class RequestBody implements Handler<Buffer> {
  private static final long UNKNOWN = -1;

  private final ProxyExchange proxyExchange;
  private final HttpServerRequest request;
  private final long length;
  private final long maxBytes;
  private @Nullable UpstreamRequest to;
  private @Nullable Buffer first;
  private boolean isEnded;
  private boolean isStalled;
  private long bytes;

  /** Does not read yet; the request must be paused. */
  RequestBody(ProxyExchange proxyExchange, HttpServerRequest request, long maxBytes) {
    this.proxyExchange = proxyExchange;
    this.request = request;
    this.maxBytes = maxBytes;
    this.length = length(request);
  }

  /** Whether a request may have a body; unknown for HTTP/2 until the stream ends. */
  static boolean isPossible(HttpServerRequest request) {
    if (request.version() == HttpVersion.HTTP_2) {
      return !request.isEnded();
    }
    MultiMap headers = request.headers();
    return headers.contains(HttpHeaders.TRANSFER_ENCODING)
        || headers.contains(HttpHeaders.CONTENT_LENGTH) && length(request) != 0;
  }

  private static long length(HttpServerRequest request) {
    String contentLength = request.headers().get(HttpHeaders.CONTENT_LENGTH);
    if (contentLength == null) {
      return UNKNOWN;
    }
    try {
      return Long.parseLong(contentLength.strip());
    } catch (NumberFormatException e) { // cannot happen: the port refuses invalid lengths
      return UNKNOWN;
    }
  }

  /** Whether the announced or received length exceeds the limit. */
  boolean isTooLarge() {
    return Math.max(length, bytes) > maxBytes;
  }

  /** Whether it was received completely. */
  boolean isEnded() {
    return isEnded;
  }

  /** Whether it is complete and empty. */
  boolean isEmpty() {
    return isEnded && bytes == 0;
  }

  /** Whether the server is waited for. */
  boolean isStalled() {
    return isStalled;
  }

  /** The number of bytes received. */
  long bytes() {
    return bytes;
  }

  /** Installs the handlers, and fetches one part if it is unknown whether there is a body. */
  void prepare() {
    if (request.isEnded()) {
      isEnded = true;
      return;
    }
    request.handler(this);
    request.endHandler(end -> ended());
    request.exceptionHandler(broken -> proxyExchange.bodyBroken());
    if (request.version() == HttpVersion.HTTP_2 && length == UNKNOWN) {
      request.fetch(1);
    }
  }

  /** Sends the head and then each part as it is received. */
  void sendTo(UpstreamRequest server) {
    boolean mayBeEmpty = length == UNKNOWN && first == null && !isEnded;
    if (mayBeEmpty && request.version() == HttpVersion.HTTP_2) {
      // By then, input that was read together with the head has been passed on.
      proxyExchange.later(() -> begin(server));
    } else {
      begin(server);
    }
  }

  private void begin(UpstreamRequest server) {
    if (proxyExchange.isOver()) {
      return;
    }
    to = server;
    Buffer kept = first;
    first = null;
    if (isEnded && kept == null) {
      if (length == UNKNOWN && expectsBody(request.method())) {
        server.headers().set(HttpHeaders.CONTENT_LENGTH, "0");
      }
      server.end();
      proxyExchange.sent();
      return;
    }
    if (length == UNKNOWN) {
      server.chunk();
    }
    if (kept != null) {
      send(server, kept);
    } else if (length != 0) {
      server.sendHead();
    }
    if (isEnded) {
      server.end();
      proxyExchange.sent();
    } else if (!isStalled) {
      request.resume();
    }
  }

  private static boolean expectsBody(HttpMethod method) {
    return method.equals(HttpMethod.POST)
        || method.equals(HttpMethod.PUT)
        || method.equals(HttpMethod.PATCH);
  }

  @Override
  public void handle(Buffer part) {
    bytes += part.length();
    proxyExchange.moved();
    if (proxyExchange.isOver()) {
      return;
    }
    if (isTooLarge()) {
      proxyExchange.bodyTooLarge();
      return;
    }
    UpstreamRequest server = to;
    if (server == null) {
      first = part;
    } else {
      try {
        send(server, part);
      } catch (RuntimeException e) {
        proxyExchange.threw(e);
      }
    }
  }

  private void send(UpstreamRequest server, Buffer part) {
    server.write(part);
    if (server.isFull() && !isStalled) {
      isStalled = true;
      request.pause();
      server.onRoom(this::resume);
    }
  }

  private void resume() {
    if (isStalled) {
      isStalled = false;
      proxyExchange.moved();
      if (!isEnded && !proxyExchange.isOver()) {
        request.resume();
      }
    }
  }

  private void ended() {
    isEnded = true;
    UpstreamRequest server = to;
    if (server != null && first == null && !proxyExchange.isOver()) {
      proxyExchange.guarded(
          () -> {
            server.end(proxyExchange.trailers());
            proxyExchange.sent();
          });
    }
  }

  /** Discards the rest of the body, within the limits of {@link BodyDrainer}. */
  void discard() {
    first = null;
    if (!isEnded) {
      BodyDrainer.discard(request);
    }
  }
}
