package io.weir.server;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.weir.rules.http.JsonWriter;
import io.weir.server.connection.ServerLimits;
import io.weir.server.http.Listener;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** The API of the demonstration: responds 200 to every path and method, and echoes the request. */
public final class EchoApi implements Handler<HttpServerRequest> {
  private EchoApi() {}

  /** Listens on loopback, on any free port. */
  public static Future<Listener> open(Vertx vertx) {
    return Listener.open(vertx, ServerLimits.PEERS.at("127.0.0.1", 0), 1, new EchoApi());
  }

  @Override
  public void handle(HttpServerRequest request) {
    long[] bytes = {0};
    request.handler(part -> bytes[0] += part.length());
    request.exceptionHandler(gone -> {});
    request.endHandler(end -> respond(request, bytes[0]));
  }

  private static void respond(HttpServerRequest request, long bytes) {
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    request.headers().forEach(each -> headers.merge(each.getKey(), each.getValue(), EchoApi::join));
    JsonWriter body = new JsonWriter().open().text("method", request.method().name());
    body.text("path", request.path()).text("query", request.query());
    body.number("body_bytes", bytes).open("headers", '{');
    headers.forEach(body::text);
    byte[] utf8 = (body.close().close() + "\n").getBytes(StandardCharsets.UTF_8);
    HttpServerResponse response = request.response();
    response.putHeader("Content-Type", "application/json");
    response.putHeader("Content-Length", Integer.toString(utf8.length));
    if (request.method().equals(HttpMethod.HEAD)) {
      response.end();
    } else {
      response.end(io.vertx.core.buffer.Buffer.buffer(utf8));
    }
  }

  private static String join(String one, String another) {
    return one + ", " + another;
  }
}
