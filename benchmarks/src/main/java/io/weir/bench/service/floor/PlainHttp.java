package io.weir.bench.service.floor;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;

/** Responds to every request with 200 and a small body. */
public final class PlainHttp {
  private static final Buffer BODY = Buffer.buffer("{\"allowed\":true}");

  private PlainHttp() {}

  /** Argument: the port. */
  public static void main(String[] args) {
    LoopbackServer.on(
        Integer.parseInt(args[0]),
        vertx ->
            request ->
                request
                    .response()
                    .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
                    .end(BODY));
  }
}
