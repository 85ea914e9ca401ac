package io.weir.server.http;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Header;
import java.util.List;

/** Sends answers. */
public final class Replies {
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

  /** Sends an answer. */
  public static void send(HttpServerRequest request, Answer answer) {
    send(request, answer, List.of());
  }

  /** Sends an answer with more headers than its own; nothing if the caller has gone. */
  public static void send(HttpServerRequest request, Answer answer, List<Header> more) {
    HttpServerResponse response = request.response();
    if (response.ended() || response.closed()) {
      return;
    }
    response.setStatusCode(answer.status());
    answer.headers().forEach(header -> response.putHeader(header.name(), header.value()));
    more.forEach(header -> response.putHeader(header.name(), header.value()));
    response.end(answer.body());
  }
}
