package io.weir.server.gateway;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.weir.server.door.Cut;
import java.util.HashSet;
import java.util.Set;

/**
 * Finds out whether a connection of HTTP/2 still leads anywhere. All requests of an event loop
 * share it: if it broke without a word, each of them would wait in vain until TCP gives up, a
 * quarter of an hour later.
 */
final class Pulse {
  private static final long PATIENCE_MILLIS = 3000;
  private static final Buffer PING = Buffer.buffer("are you?");

  private final Vertx vertx;
  private final Set<HttpConnection> felt = new HashSet<>();

  Pulse(Vertx vertx) {
    this.vertx = vertx;
  }

  /** Asks the other end for a sign of life; if there is none, the connection is closed. */
  void feel(HttpConnection doubtful) {
    if (felt.add(doubtful)) {
      long timer =
          vertx.setTimer(
              PATIENCE_MILLIS,
              late -> {
                felt.remove(doubtful);
                Cut.now(doubtful);
              });
      doubtful
          .ping(PING)
          .onComplete(
              answer -> {
                felt.remove(doubtful);
                vertx.cancelTimer(timer);
              });
    }
  }
}
