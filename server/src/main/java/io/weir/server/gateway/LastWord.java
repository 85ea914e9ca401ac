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
 * Sends error responses when a server has not responded. A response that has begun is aborted, so
 * that the client cannot take it for complete.
 */
final class LastWord {
  /** HTTP/2's INTERNAL_ERROR. */
  private static final long INTERNAL_ERROR = 2;

  private LastWord() {}

  /** Sends the error response, unless the client has disconnected or has a complete response. */
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
    response.headers().clear(); // some may come from the server
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
      Cut.reset(request.connection()); // a normal close would look like the end of the body
    } else {
      Cut.now(request.connection());
    }
  }
}
