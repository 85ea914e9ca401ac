package io.weir.server.gateway;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.Held;
import io.weir.server.http.KeptBytes;
import io.weir.server.http.Millis;
import io.weir.server.traffic.GatewayTraffic;
import io.weir.server.traffic.StatusClass;

/**
 * Requests that are held until their turn has come. None of them has a thread, but all have some
 * memory, and the beginning of a body more of it: together they may take only so much.
 */
final class Turns {
  /** About what a request takes whose body has not begun. */
  private static final long HEAD = 4 * 1024;

  /** What a connection or a stream brings at most while nobody reads on. */
  private static final long BODY = 64 * 1024;

  private final Vertx vertx;
  private final KeptBytes kept;
  private final GatewayTraffic<Failure> traffic;

  Turns(Vertx vertx, KeptBytes kept, GatewayTraffic<Failure> traffic) {
    this.vertx = vertx;
    this.kept = kept;
    this.traffic = traffic;
  }

  /**
   * Holds a request until its turn has come; if the client goes before, its place is given back.
   *
   * @return false if too many wait: then it has no place, and is to be refused
   */
  boolean await(HttpServerRequest request, Held held, Runnable turn) {
    if (request.response().closed()) { // it went while a store was asked
      held.settle(0);
      traffic.unasked().add(StatusClass.NONE);
      return true;
    }
    long bytes = HEAD + (RequestBody.isPossible(request) ? BODY : 0);
    if (!kept.keep(bytes)) {
      held.settle(0);
      return false;
    }
    traffic.held(true);
    long timer =
        vertx.setTimer(
            Millis.of(held.ruling().delay()),
            now -> {
              release(bytes);
              turn.run();
            });
    request
        .response()
        .closeHandler(
            gone -> {
              if (vertx.cancelTimer(timer)) {
                release(bytes);
                held.settle(0);
                traffic.unasked().add(StatusClass.NONE);
              }
            });
    return true;
  }

  private void release(long bytes) {
    kept.release(bytes);
    traffic.held(false);
  }
}
