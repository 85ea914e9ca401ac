package io.weir.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Answers;
import io.weir.rules.http.Header;
import io.weir.rules.match.MalformedRequestException;
import java.util.List;
import java.util.concurrent.CompletionException;

/** Sends answers. */
public final class Replies {
  private static final RareLog LOG = new RareLog("io.weir.server");

  private Replies() {}

  /** {@code {"error":…,"message":…}} */
  public static Answer error(int status, String error, String message) {
    return new Answer(
        status,
        List.of(
            new Header("Content-Type", "application/json"),
            new Header("Cache-Control", "no-store")),
        new Json().open().text("error", error).text("message", message).close().toString());
  }

  /** Does {@code work}; if it throws, that is the answer. */
  public static void orFailure(HttpServerRequest request, Runnable work) {
    try {
      work.run();
    } catch (RuntimeException | Error e) { // the last resort: nobody is left waiting
      sendFailure(request, e);
    }
  }

  /**
   * Answers a request that came to nothing: 400, 408 or 413 if that is the caller's doing, else
   * 500, which is logged, a line a minute at most. Where the caller has gone, nothing is to be
   * done.
   */
  public static void sendFailure(HttpServerRequest request, Throwable thrown) {
    Throwable failure =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    if (failure instanceof MalformedRequestException malformed) {
      send(request, malformed(request, reason(malformed)));
    } else if (failure instanceof Bodies.TooLarge tooLarge) {
      send(request, error(413, "content_too_large", reason(tooLarge)), hangUp(request));
    } else if (failure instanceof Bodies.TooSlow tooSlow) {
      send(request, error(408, "request_timeout", reason(tooSlow)), hangUp(request));
    } else if (!request.response().closed()) {
      LOG.log(System.Logger.Level.ERROR, "a request could not be answered", failure);
      send(request, error(500, "internal_error", "something went wrong here; it was logged"));
    }
  }

  /** What a request gets that makes no sense, in the form that it asks for. */
  public static Answer malformed(HttpServerRequest request, String message) {
    return Answers.badRequest(message, request.getHeader("Accept"));
  }

  /** Nobody waits for the rest of a body: in HTTP/1 the connection ends with it. */
  private static List<Header> hangUp(HttpServerRequest request) {
    return request.version() == HttpVersion.HTTP_2
        ? List.of()
        : List.of(new Header("Connection", "close"));
  }

  private static String reason(RuntimeException e) {
    return e.getMessage() == null ? "the request cannot be understood" : e.getMessage();
  }

  /** Sends an answer. */
  public static void send(HttpServerRequest request, Answer answer) {
    send(request, answer, List.of());
  }

  /**
   * Sends an answer with more headers than its own; nothing if one was begun already, or the caller
   * has gone.
   */
  public static void send(HttpServerRequest request, Answer answer, List<Header> more) {
    HttpServerResponse response = request.response();
    if (response.headWritten() || response.ended() || response.closed()) {
      return;
    }
    response.setStatusCode(answer.status());
    put(response, answer.headers());
    put(response, more);
    if (request.method().equals(HttpMethod.HEAD)) { // HTTP/2 would send the body
      int length = answer.body().getBytes(UTF_8).length;
      response.putHeader("Content-Length", Integer.toString(length)).end();
    } else {
      response.end(answer.body());
    }
  }

  private static void put(HttpServerResponse response, List<Header> headers) {
    for (int i = 0; i < headers.size(); i++) {
      response.putHeader(headers.get(i).name(), headers.get(i).value());
    }
  }
}
