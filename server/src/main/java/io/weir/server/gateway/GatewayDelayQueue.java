package io.weir.server.gateway;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.HeldCharge;
import io.weir.rules.match.Address;
import io.weir.server.connection.MemoryBudget;
import io.weir.server.http.Millis;
import io.weir.server.traffic.GatewayTraffic;
import io.weir.server.traffic.StatusClass;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Holds delayed requests until they may proceed. A held request uses no thread, but some memory,
 * and more if part of its body has arrived; all share one memory budget. One client address may use
 * a share of it.
 */
final class GatewayDelayQueue {
  /** The approximate memory of a request without a body. */
  private static final long HEAD = 4 * 1024;

  /** The most bytes of a body that arrive while the request is paused. */
  private static final long BODY = 64 * 1024;

  /** The minimum share, in requests with a body. */
  private static final int MIN_REQUESTS = 4;

  private final Vertx vertx;
  private final MemoryBudget kept;
  private final long maxBytesPerAddress;
  private final ConcurrentHashMap<Address, Long> ofAddresses = new ConcurrentHashMap<>();
  private final GatewayTraffic<ProxyError> traffic;

  /**
   * @param bytes the memory budget
   * @param addressShare how much of it one address may use, in percent
   */
  GatewayDelayQueue(Vertx vertx, long bytes, int addressShare, GatewayTraffic<ProxyError> traffic) {
    this.vertx = vertx;
    this.kept = new MemoryBudget(bytes);
    this.maxBytesPerAddress = Math.max(MIN_REQUESTS * (HEAD + BODY), bytes / 100 * addressShare);
    this.traffic = traffic;
  }

  /**
   * Holds a request until its delay is over. If the client disconnects before, the reservation is
   * released.
   *
   * @param client the address whose share it uses; null: none
   * @return false if the memory budget is used up: the reservation was released, and the request
   *     must be refused
   */
  boolean await(
      HttpServerRequest request, @Nullable Address client, HeldCharge heldCharge, Runnable turn) {
    if (request.response().closed()) { // the client disconnected during the store call
      heldCharge.settle(0);
      traffic.unasked().add(StatusClass.NONE);
      return true;
    }
    long bytes = HEAD + (RequestBody.isPossible(request) ? BODY : 0);
    if (!keep(client, bytes)) {
      heldCharge.settle(0);
      return false;
    }
    traffic.held(true);
    long timer =
        vertx.setTimer(
            Millis.of(heldCharge.requestDecision().delay()),
            now -> {
              release(client, bytes);
              turn.run();
            });
    request
        .response()
        .closeHandler(
            gone -> {
              if (vertx.cancelTimer(timer)) {
                release(client, bytes);
                heldCharge.settle(0);
                traffic.unasked().add(StatusClass.NONE);
              }
            });
    return true;
  }

  private boolean keep(@Nullable Address client, long bytes) {
    if (client == null) {
      return kept.keep(bytes);
    }
    if (ofAddresses.merge(client, bytes, Long::sum) <= maxBytesPerAddress && kept.keep(bytes)) {
      return true;
    }
    forget(client, bytes);
    return false;
  }

  private void forget(Address client, long bytes) {
    ofAddresses.merge(client, -bytes, (before, less) -> before + less == 0 ? null : before + less);
  }

  private void release(@Nullable Address client, long bytes) {
    if (client != null) {
      forget(client, bytes);
    }
    kept.release(bytes);
    traffic.held(false);
  }
}
