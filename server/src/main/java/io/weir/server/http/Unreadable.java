package io.weir.server.http;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.http.Answer;
import java.util.List;

/**
 * Answers what comes over HTTP/1 and is no request. The connection ends with it: nobody knows where
 * the next one begins.
 */
final class Unreadable implements Handler<HttpServerRequest> {
  @Override
  public void handle(HttpServerRequest request) {
    Replies.sendLast(request, answer(request.decoderResult().cause()), List.of());
  }

  private static Answer answer(Throwable cause) {
    if (cause instanceof TooLongHttpLineException) {
      return Replies.error(414, "uri_too_long", "the first line of a request may have 8 KiB");
    }
    if (cause instanceof TooLongHttpHeaderException) {
      return Replies.error(
          431, "headers_too_large", "a request may have 100 headers, and 16 KiB of them");
    }
    if (cause instanceof UnsupportedOperationException) {
      return Replies.error(505, "version_not_supported", String.valueOf(cause.getMessage()));
    }
    String why = cause instanceof IllegalArgumentException ? cause.getMessage() : null;
    return Replies.error(400, "bad_request", why == null ? "this is no request of HTTP/1.1" : why);
  }
}
