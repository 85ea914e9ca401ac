package io.weir.server.gateway;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.weir.rules.http.Header;
import io.weir.server.door.Cut;
import io.weir.server.http.Replies;
import java.util.List;

/**
 * What a client is told when there is no response of a server, or no more of it. One that was begun
 * is broken off, so that nobody takes it for whole.
 */
final class LastWord {
  /** Of HTTP/2. */
  private static final long INTERNAL_ERROR = 2;

  private LastWord() {}

  /** Answers instead of the server, unless the client is gone or has its answer. */
  static void tell(HttpServerRequest request, Failure failure, List<Header> limits) {
    HttpServerResponse response = request.response();
    if (response.closed() || response.ended()) {
      return;
    }
    if (response.headWritten()) {
      breakOff(request);
      return;
    }
    boolean isLast = response.headers().contains(HttpHeaders.CONNECTION);
    response.headers().clear(); // some may be the server's
    if (isLast) {
      response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    }
    if (failure.isOfBody()) {
      Replies.sendLast(request, failure.answer(request), limits);
    } else {
      Replies.send(request, failure.answer(request), limits);
    }
  }

  private static void breakOff(HttpServerRequest request) {
    if (request.version() == HttpVersion.HTTP_2) {
      request.response().reset(INTERNAL_ERROR);
    } else if (request.version() == HttpVersion.HTTP_1_0) {
      Cut.reset(request.connection()); // an end would look like that of the body
    } else {
      Cut.now(request.connection());
    }
  }
}
