package io.weir.server.gateway;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.weir.rules.http.Header;
import io.weir.server.connection.ForceClose;
import io.weir.server.http.HttpResponses;
import java.util.List;

/**
 * Sends error responses when a server has not responded. A response that has begun is aborted, so
 * that the client cannot take it for complete.
 */
final class ErrorResponses {
  /** HTTP/2's INTERNAL_ERROR. */
  private static final long INTERNAL_ERROR = 2;

  private ErrorResponses() {}

  /** Sends the error response, unless the client has disconnected or has a complete response. */
  static void send(HttpServerRequest request, ProxyError proxyError, List<Header> limits) {
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
    if (proxyError.isOfBody()) {
      HttpResponses.sendLast(request, proxyError.response(request), limits);
    } else {
      HttpResponses.send(request, proxyError.response(request), limits);
    }
  }

  private static void breakOff(HttpServerRequest request) {
    if (request.version() == HttpVersion.HTTP_2) {
      request.response().reset(INTERNAL_ERROR);
    } else if (request.version() == HttpVersion.HTTP_1_0) {
      ForceClose.reset(request.connection()); // a normal close would look like the end of the body
    } else {
      ForceClose.now(request.connection());
    }
  }
}
