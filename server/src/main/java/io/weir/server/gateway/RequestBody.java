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
 * The body of a request on its way upstream, part by part, no faster than the server takes it.
 *
 * <p>Where HTTP/2 tells no length, only what comes first, data or the end, tells whether there is a
 * body at all. So one thing is looked at in advance, and kept until somebody takes it.
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

  /** Begins nothing; the request must be paused. */
  RequestBody(Exchange exchange, HttpServerRequest request, long most) {
    this.exchange = exchange;
    this.request = request;
    this.most = most;
    this.length = length(request);
  }

  /** Whether a request may have a body; of HTTP/2 that is not known before it has come. */
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
    } catch (NumberFormatException e) { // the parser of the port refuses such
      return UNKNOWN;
    }
  }

  /** Whether it is larger than allowed, as far as is known. */
  boolean isTooLarge() {
    return Math.max(length, bytes) > most;
  }

  /** Whether all of it has come. */
  boolean isEnded() {
    return isEnded;
  }

  /** Whether there is nothing in it, for sure. */
  boolean isEmpty() {
    return isEnded && bytes == 0;
  }

  /** Whether it is the server that is waited for. */
  boolean isStalled() {
    return isStalled;
  }

  /** What has come so far. */
  long bytes() {
    return bytes;
  }

  /** Gets ready, and looks whether there is a body where that is not told. */
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

  /** Sends the head, and what comes as it comes. */
  void sendTo(Leg server) {
    boolean mayComeAtOnce = length == UNKNOWN && first == null && !isEnded;
    if (mayComeAtOnce && request.version() == HttpVersion.HTTP_2) {
      // What was read together with the head is handed on by then.
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

  /** Forgets what is still to come, but not for ever: see {@link Leftovers}. */
  void discard() {
    first = null;
    if (!isEnded) {
      Leftovers.discard(request);
    }
  }
}
