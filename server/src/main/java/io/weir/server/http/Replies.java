package io.weir.server.http;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Answers;
import io.weir.rules.http.Header;
import io.weir.rules.match.MalformedRequestException;
import java.util.List;

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

  /**
   * Answers a request that came to nothing: 400 or 413 if that is the caller's doing, else 500,
   * which is logged, a line a minute at most.
   */
  public static void sendFailure(HttpServerRequest request, Throwable failure) {
    if (failure instanceof MalformedRequestException malformed) {
      send(request, Answers.badRequest(reason(malformed), request.getHeader("Accept")));
    } else if (failure instanceof Bodies.TooLarge tooLarge) {
      send(request, error(413, "content_too_large", reason(tooLarge)));
    } else {
      LOG.log(System.Logger.Level.ERROR, "a request could not be answered", failure);
      send(request, error(500, "internal_error", "something went wrong here; it was logged"));
    }
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
    answer.headers().forEach(header -> response.putHeader(header.name(), header.value()));
    more.forEach(header -> response.putHeader(header.name(), header.value()));
    response.end(answer.body());
  }
}
