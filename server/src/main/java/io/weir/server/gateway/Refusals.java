package io.weir.server.gateway;

import io.vertx.core.http.HttpServerRequest;
import io.weir.server.http.Leftovers;

/** What is left of a request that was answered before its body was read. */
final class Refusals {
  private Refusals() {}

  /** Reads and forgets the rest, within bounds. */
  static void discard(HttpServerRequest request) {
    Leftovers.discard(request);
  }
}
