package io.weir.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.impl.ConnectionBase;
import io.weir.StoreUnavailableException;
import io.weir.logs.RateLimitedLog;
import io.weir.rules.http.DecisionResponses;
import io.weir.rules.http.DirectResponse;
import io.weir.rules.http.Header;
import io.weir.rules.http.JsonWriter;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.connection.BodyDrainer;
import io.weir.server.connection.ConnectionLimiter;
import io.weir.server.connection.ResponseBackpressure;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Sends responses. Called on the event loop of the request; does not block. */
public final class HttpResponses {
  private static final RateLimitedLog LOG = new RateLimitedLog("io.weir.server");

  private static final List<Header> JSON =
      List.of(
          new Header("Content-Type", "application/json"), new Header("Cache-Control", "no-store"));

  private HttpResponses() {}

  /** {@code {"error":…,"message":…}} */
  public static DirectResponse error(int status, String error, String message) {
    return json(
        status,
        new JsonWriter().open().text("error", error).text("message", message).close().toString());
  }

  /** A JSON response that must not be cached. */
  public static DirectResponse json(int status, String body) {
    return new DirectResponse(status, JSON, body);
  }

  /** {@link #json(int, String)} with more headers. */
  public static DirectResponse json(int status, List<Header> more, String body) {
    List<Header> headers = new ArrayList<>(JSON.size() + more.size());
    headers.addAll(JSON);
    headers.addAll(more);
    return new DirectResponse(status, headers, body);
  }

  /** Passes {@code found} on; an exception becomes the response. */
  public static <T> void orFailure(HttpServerRequest request, T found, Consumer<T> then) {
    try {
      then.accept(found);
    } catch (RuntimeException | Error e) { // even after an Error the client must get a response
      sendFailure(request, e);
    }
  }

  /**
   * Runs {@code work} for a request as soon as the client has read the previous responses. Over
   * HTTP/1, only this limits a client that pipelines requests without reading: the next request is
   * handled after the response to this one.
   *
   * @param bytes the size of what is buffered meanwhile
   */
  public static void whenWritable(HttpServerRequest request, int bytes, Runnable work) {
    boolean isFull =
        request.version() != HttpVersion.HTTP_2
            && request.connection() instanceof ConnectionBase base
            && !base.channel().isWritable();
    if (!isFull) {
      work.run();
      return;
    }
    Promise<Void> writable = Promise.promise();
    ResponseBackpressure.follow(request, writable.future(), bytes);
    request
        .response()
        .drainHandler(
            drained -> {
              if (writable.tryComplete()) {
                orFailure(request, work, then -> whenWritable(request, bytes, then));
              }
            });
  }

  /**
   * Responds to a failed request: 400, 408, 413 or 503 for a known failure, else 500, which is
   * logged at most once a minute. Does nothing if the client has disconnected.
   *
   * @return the status of the response
   */
  public static int sendFailure(HttpServerRequest request, Throwable thrown) {
    Throwable failure = EventLoops.cause(thrown);
    DirectResponse directResponse;
    if (failure instanceof MalformedRequestException malformed) {
      directResponse = malformed(request, reason(malformed));
      send(request, directResponse);
    } else if (failure instanceof Bodies.TooLargeException tooLargeException) {
      directResponse = error(413, "content_too_large", reason(tooLargeException));
      sendLast(request, directResponse, List.of());
    } else if (failure instanceof Bodies.TooSlowException tooSlowException) {
      directResponse = error(408, "request_timeout", reason(tooSlowException));
      sendLast(request, directResponse, List.of());
    } else if (failure instanceof Bodies.TooManyException tooManyException) {
      directResponse = soon(error(503, "too_many_bodies", reason(tooManyException)));
      sendLast(request, directResponse, List.of());
    } else if (failure instanceof StoreUnavailableException unavailable) {
      directResponse = unavailable(unavailable.isInDoubt());
      send(request, directResponse);
    } else {
      directResponse = error(500, "internal_error", "internal error; see the server's log");
      if (!request.response().closed()) {
        LOG.log(System.Logger.Level.ERROR, "a request failed with an internal error", failure);
        send(request, directResponse);
      }
    }
    return directResponse.status();
  }

  /**
   * Responds to an ambiguous request. Over HTTP/1 this closes the connection, because the bytes
   * that follow may be ambiguous too.
   */
  public static void sendMalformed(HttpServerRequest request, MalformedRequestException e) {
    sendLast(request, malformed(request, reason(e)), List.of());
  }

  /**
   * Responds to input that is not valid HTTP/1. The connection is closed, because the start of the
   * next request is unknown.
   */
  static void sendInvalid(HttpServerRequest request) {
    sendLast(request, invalid(request.decoderResult().cause()), List.of());
  }

  private static DirectResponse invalid(Throwable cause) {
    if (cause instanceof TooLongHttpLineException) {
      return error(414, "uri_too_long", "the first line of a request must not exceed 8 KiB");
    }
    if (cause instanceof TooLongHttpHeaderException) {
      return error(
          431, "headers_too_large", "a request must not exceed 100 headers or 16 KiB of headers");
    }
    if (cause instanceof UnsupportedOperationException) {
      return error(505, "version_not_supported", String.valueOf(cause.getMessage()));
    }
    String why = cause instanceof IllegalArgumentException ? cause.getMessage() : null;
    return error(400, "bad_request", why == null ? "the request is not valid HTTP/1.1" : why);
  }

  /** If the outcome is unknown there is no Retry-After, because a retry could act twice. */
  private static DirectResponse unavailable(boolean isInDoubt) {
    return isInDoubt
        ? error(
            503,
            "store_unavailable",
            "the store has not answered: it is unknown whether this was done; do not repeat it")
        : soon(error(503, "store_unavailable", "the store is not available; try again later"));
  }

  /** A response with {@code Retry-After: 1}. */
  public static DirectResponse soon(DirectResponse directResponse) {
    List<Header> headers = new ArrayList<>(directResponse.headers());
    headers.add(new Header("Retry-After", "1"));
    return new DirectResponse(directResponse.status(), headers, directResponse.body());
  }

  /** The response to a malformed request, in the format that the request accepts. */
  public static DirectResponse malformed(HttpServerRequest request, String message) {
    return DecisionResponses.badRequest(message, request.getHeader(HttpHeaders.ACCEPT));
  }

  /**
   * Responds and closes the connection without reading the rest of the body. {@link
   * ConnectionLimiter} closes it such that a client that is still sending can read the response.
   * Over HTTP/2, only the stream ends.
   */
  public static void sendLast(
      HttpServerRequest request, DirectResponse directResponse, List<Header> more) {
    if (request.version() == HttpVersion.HTTP_2) {
      send(request, directResponse, more);
    } else {
      ConnectionLimiter.discardFurtherRequests(request.connection());
      deliver(request, directResponse, more);
    }
  }

  private static String reason(RuntimeException e) {
    return e.getMessage() == null ? "the request cannot be understood" : e.getMessage();
  }

  /** Sends a response. */
  public static void send(HttpServerRequest request, DirectResponse directResponse) {
    send(request, directResponse, List.of());
  }

  /**
   * Sends a response with additional headers. Does nothing if a response has begun already or the
   * client has disconnected. The rest of the request is discarded.
   */
  public static void send(
      HttpServerRequest request, DirectResponse directResponse, List<Header> more) {
    deliver(request, directResponse, more);
    BodyDrainer.discard(request);
  }

  private static void deliver(
      HttpServerRequest request, DirectResponse directResponse, List<Header> more) {
    if (isOpen(request.response())) {
      whenWritable(
          request, directResponse.body().length(), () -> write(request, directResponse, more));
    }
  }

  private static boolean isOpen(HttpServerResponse response) {
    return !response.headWritten() && !response.ended() && !response.closed();
  }

  private static void write(
      HttpServerRequest request, DirectResponse directResponse, List<Header> more) {
    HttpServerResponse response = request.response();
    if (!isOpen(response)) {
      return;
    }
    response.setStatusCode(directResponse.status());
    put(response.headers(), directResponse.headers());
    put(response.headers(), more);
    if (request.method().equals(HttpMethod.HEAD)) { // over HTTP/2, Vert.x would send the body
      int length = directResponse.body().getBytes(UTF_8).length;
      ResponseBackpressure.follow(
          request, response.putHeader("Content-Length", Integer.toString(length)).end(), 0);
    } else {
      ResponseBackpressure.follow(
          request, response.end(directResponse.body()), directResponse.body().length());
    }
  }

  /** Sends bytes unchanged, such as a file. */
  public static void send(
      HttpServerRequest request, int status, List<Header> headers, Buffer body) {
    if (isOpen(request.response())) {
      whenWritable(request, body.length(), () -> write(request, status, headers, body));
    }
    BodyDrainer.discard(request);
  }

  private static void write(
      HttpServerRequest request, int status, List<Header> headers, Buffer body) {
    HttpServerResponse response = request.response();
    if (!isOpen(response)) {
      return;
    }
    put(response.setStatusCode(status).headers(), headers);
    boolean isHead = request.method().equals(HttpMethod.HEAD);
    if (isHead && status != 304) {
      response.putHeader("Content-Length", Integer.toString(body.length()));
    }
    boolean isBare = isHead || status == 304;
    Future<Void> written = isBare ? response.end() : response.end(body);
    ResponseBackpressure.follow(request, written, isBare ? 0 : body.length());
  }

  private static void put(MultiMap into, List<Header> headers) {
    for (int i = 0; i < headers.size(); i++) {
      into.add(HeaderNames.prepared(headers.get(i).name()), headers.get(i).value());
    }
  }
}
