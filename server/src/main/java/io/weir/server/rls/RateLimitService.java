package io.weir.server.rls;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.weir.server.Arbiter;
import io.weir.server.Settings;
import io.weir.server.http.Router;

/** Descriptors over gRPC and JSON. */
public final class RateLimitService {
  public RateLimitService(Vertx vertx, Arbiter arbiter, Settings settings) {}

  /** Adds its routes for JSON. */
  public void addTo(Router router) {}

  /** Answers gRPC, and hands everything else to {@code others}. */
  public Handler<HttpServerRequest> before(Handler<HttpServerRequest> others) {
    return others;
  }
}
