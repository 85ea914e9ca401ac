package io.weir.server.gateway;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.weir.server.Arbiter;
import io.weir.server.Settings;
import io.weir.server.http.Replies;
import java.net.URI;

/** Limits a request, then forwards it. */
public final class Gateway implements Handler<HttpServerRequest> {
  public Gateway(Vertx vertx, Arbiter arbiter, Settings settings, URI upstream) {}

  @Override
  public void handle(HttpServerRequest request) {
    Replies.send(request, Replies.error(502, "bad_gateway", "soon"));
  }
}
