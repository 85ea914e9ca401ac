package io.weir.server.gateway;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;

/** What is left of a request that was answered before its body was read. */
final class Refusals {
  private static final long MOST_DISCARDED = 1024 * 1024;

  private Refusals() {}

  /**
   * Reads and forgets the rest, so that the connection can be used again and the client, who may be
   * writing still, sees the answer; but not for ever.
   */
  static void discard(HttpServerRequest request) {
    if (request.isEnded()) {
      return;
    }
    long[] discarded = {0};
    request.exceptionHandler(gone -> {});
    request.handler(
        part -> {
          discarded[0] += part.length();
          if (discarded[0] > MOST_DISCARDED) {
            if (request.version() == HttpVersion.HTTP_2) {
              request.response().reset(0);
            } else {
              request.connection().close();
            }
          }
        });
    request.resume();
  }
}
