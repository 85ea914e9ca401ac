package io.weir.server.gateway;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.HeldCharge;
import io.weir.server.connection.MemoryBudget;
import io.weir.server.http.Millis;
import io.weir.server.traffic.GatewayTraffic;
import io.weir.server.traffic.StatusClass;

/**
 * Holds delayed requests until they may proceed. A held request uses no thread, but some memory,
 * and more if part of its body has arrived; all share one memory budget.
 */
final class GatewayDelayQueue {
  /** The approximate memory of a request without a body. */
  private static final long HEAD = 4 * 1024;

  /** The most bytes of a body that arrive while the request is paused. */
  private static final long BODY = 64 * 1024;

  private final Vertx vertx;
  private final MemoryBudget kept;
  private final GatewayTraffic<ProxyError> traffic;

  GatewayDelayQueue(Vertx vertx, MemoryBudget kept, GatewayTraffic<ProxyError> traffic) {
    this.vertx = vertx;
    this.kept = kept;
    this.traffic = traffic;
  }

  /**
   * Holds a request until its delay is over. If the client disconnects before, the reservation is
   * released.
   *
   * @return false if the memory budget is used up: the reservation was released, and the request
   *     must be refused
   */
  boolean await(HttpServerRequest request, HeldCharge heldCharge, Runnable turn) {
    if (request.response().closed()) { // the client disconnected during the store call
      heldCharge.settle(0);
      traffic.unasked().add(StatusClass.NONE);
      return true;
    }
    long bytes = HEAD + (RequestBody.isPossible(request) ? BODY : 0);
    if (!kept.keep(bytes)) {
      heldCharge.settle(0);
      return false;
    }
    traffic.held(true);
    long timer =
        vertx.setTimer(
            Millis.of(heldCharge.requestDecision().delay()),
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
                heldCharge.settle(0);
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
