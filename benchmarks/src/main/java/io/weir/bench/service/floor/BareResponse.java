package io.weir.bench.service.floor;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;

/**
 * Responds to every gRPC call with the same message, on the HTTP server alone: the request is read
 * to its end but not parsed.
 */
public final class BareResponse {
  /** A length of two, and {@code overall_code: OK}. */
  private static final Buffer OK = Buffer.buffer(new byte[] {0, 0, 0, 0, 2, 8, 1});

  private BareResponse() {}

  /** Argument: the port. */
  public static void main(String[] args) {
    LoopbackServer.on(
        Integer.parseInt(args[0]), vertx -> request -> request.endHandler(end -> respond(request)));
  }

  private static void respond(HttpServerRequest request) {
    HttpServerResponse response = request.response();
    response.putHeader(HttpHeaders.CONTENT_TYPE, "application/grpc");
    response.putTrailer("grpc-status", "0");
    response.write(OK);
    response.end();
  }
}
