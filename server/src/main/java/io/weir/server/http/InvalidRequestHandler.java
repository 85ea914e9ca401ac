package io.weir.server.http;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.http.DirectResponse;
import java.util.List;

/**
 * Responds to invalid HTTP/1 input. The connection is closed, because the start of the next request
 * is unknown.
 */
final class InvalidRequestHandler implements Handler<HttpServerRequest> {
  @Override
  public void handle(HttpServerRequest request) {
    HttpResponses.sendLast(request, answer(request.decoderResult().cause()), List.of());
  }

  private static DirectResponse answer(Throwable cause) {
    if (cause instanceof TooLongHttpLineException) {
      return HttpResponses.error(
          414, "uri_too_long", "the first line of a request must not exceed 8 KiB");
    }
    if (cause instanceof TooLongHttpHeaderException) {
      return HttpResponses.error(
          431, "headers_too_large", "a request must not exceed 100 headers or 16 KiB of headers");
    }
    if (cause instanceof UnsupportedOperationException) {
      return HttpResponses.error(505, "version_not_supported", String.valueOf(cause.getMessage()));
    }
    String why = cause instanceof IllegalArgumentException ? cause.getMessage() : null;
    return HttpResponses.error(
        400, "bad_request", why == null ? "the request is not valid HTTP/1.1" : why);
  }
}
