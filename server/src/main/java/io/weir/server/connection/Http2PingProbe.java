package io.weir.server.connection;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import java.util.HashSet;
import java.util.Set;

/**
 * Probes HTTP/2 connections with a ping. All requests of an event loop share one connection. If it
 * broke silently, each of them would wait until the TCP timeout, about 15 minutes.
 */
public final class Http2PingProbe {
  private static final long PATIENCE_MILLIS = 3000;
  private static final Buffer PING = Buffer.buffer("are you?");

  private final Vertx vertx;
  private final Set<HttpConnection> felt = new HashSet<>();

  public Http2PingProbe(Vertx vertx) {
    this.vertx = vertx;
  }

  /** Sends a ping; closes the connection if no acknowledgment arrives in time. */
  public void probe(HttpConnection doubtful) {
    if (felt.add(doubtful)) {
      long timer =
          vertx.setTimer(
              PATIENCE_MILLIS,
              late -> {
                felt.remove(doubtful);
                ForceClose.now(doubtful);
              });
      doubtful
          .ping(PING)
          .onComplete(
              pong -> {
                felt.remove(doubtful);
                vertx.cancelTimer(timer);
              });
    }
  }
}
