package io.weir.server.gateway;

import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.server.http.Leftovers;
import org.jspecify.annotations.Nullable;

/**
 * Streams the body of a request upstream, no faster than the server reads it.
 *
 * <p>An HTTP/2 request without a length shows whether it has a body only by its next frame, data or
 * end of stream. So one frame is fetched in advance and kept until the request is sent.
 */
final class RequestBody implements Handler<Buffer> {
  private static final long UNKNOWN = -1;

  private final Exchange exchange;
  private final HttpServerRequest request;
  private final long length;
  private final long most;
  private @Nullable Leg to;
  private @Nullable Buffer first;
  private boolean isEnded;
  private boolean isStalled;
  private long bytes;

  /** Does not read yet; the request must be paused. */
  RequestBody(Exchange exchange, HttpServerRequest request, long most) {
    this.exchange = exchange;
    this.request = request;
    this.most = most;
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
    String told = request.headers().get(HttpHeaders.CONTENT_LENGTH);
    if (told == null) {
      return UNKNOWN;
    }
    try {
      return Long.parseLong(told.strip());
    } catch (NumberFormatException e) { // cannot happen: the port refuses invalid lengths
      return UNKNOWN;
    }
  }

  /** Whether the announced or received length exceeds the limit. */
  boolean isTooLarge() {
    return Math.max(length, bytes) > most;
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
    request.exceptionHandler(broken -> exchange.bodyBroken());
    if (request.version() == HttpVersion.HTTP_2 && length == UNKNOWN) {
      request.fetch(1);
    }
  }

  /** Sends the head and then each part as it is received. */
  void sendTo(Leg server) {
    boolean mayComeAtOnce = length == UNKNOWN && first == null && !isEnded;
    if (mayComeAtOnce && request.version() == HttpVersion.HTTP_2) {
      // By then, input that was read together with the head has been passed on.
      exchange.later(() -> begin(server));
    } else {
      begin(server);
    }
  }

  private void begin(Leg server) {
    if (exchange.isOver()) {
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
      exchange.sent();
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
      exchange.sent();
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
    exchange.moved();
    if (exchange.isOver()) {
      return;
    }
    if (isTooLarge()) {
      exchange.bodyTooLarge();
      return;
    }
    Leg server = to;
    if (server == null) {
      first = part;
    } else {
      try {
        send(server, part);
      } catch (RuntimeException e) {
        exchange.threw(e);
      }
    }
  }

  private void send(Leg server, Buffer part) {
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
      exchange.moved();
      if (!isEnded && !exchange.isOver()) {
        request.resume();
      }
    }
  }

  private void ended() {
    isEnded = true;
    Leg server = to;
    if (server != null && first == null && !exchange.isOver()) {
      exchange.guarded(
          () -> {
            server.end(exchange.trailers());
            exchange.sent();
          });
    }
  }

  /** Discards the rest of the body, within the limits of {@link Leftovers}. */
  void discard() {
    first = null;
    if (!isEnded) {
      Leftovers.discard(request);
    }
  }
}
