package io.weir.server.gateway;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.NetSocket;
import io.weir.server.door.Cut;
import java.time.Duration;

/**
 * A connection upgraded to a WebSocket: bytes are forwarded in both directions without being
 * parsed. Its request was limited like any other. It is closed when idle for too long.
 */
final class Tunnel {
  private static final CharSequence WEBSOCKET = HttpHeaders.createOptimized("websocket");

  /** How long the last bytes may take to reach the side that is still open. */
  private static final long LINGER_MILLIS = 3000;

  /** The idle timeout, for both directions together. */
  static final Duration IDLE = Duration.ofMinutes(2);

  private final NetSocket server;
  private final HttpConnection beneath;
  private final Vertx vertx = Vertx.currentContext().owner();
  private final Duration idle;
  private final Runnable closed;
  private boolean isClosed;
  private long moved = System.nanoTime();
  private long timer;

  private Tunnel(NetSocket server, HttpConnection beneath, Duration idle, Runnable closed) {
    this.server = server;
    this.beneath = beneath;
    this.idle = idle;
    this.closed = closed;
  }

  /** Whether a request asks for a WebSocket. Other upgrades are not forwarded. */
  static boolean isAskedFor(HttpServerRequest request) {
    String upgrade = request.headers().get(HttpHeaders.UPGRADE);
    return upgrade != null
        && upgrade.strip().equalsIgnoreCase("websocket")
        && request.version() == HttpVersion.HTTP_1_1
        && request.method().equals(HttpMethod.GET)
        && !RequestBody.isPossible(request)
        && Passage.isAmong(Passage.named(request.headers()), "upgrade");
  }

  /** Adds the upgrade headers to a request that has all other headers, and sends it. */
  static void ask(HttpClientRequest to) {
    to.putHeader(HttpHeaders.CONNECTION, HttpHeaders.UPGRADE);
    to.putHeader(HttpHeaders.UPGRADE, WEBSOCKET);
    to.connect();
  }

  /**
   * Opens the tunnel after the server has agreed; the other response headers must be set.
   *
   * @param idle the idle timeout
   * @param closed runs when the tunnel is closed
   */
  static void open(
      HttpServerRequest request, HttpClientResponse from, Duration idle, Runnable closed) {
    NetSocket server = from.netSocket();
    server.pause();
    Tunnel tunnel = new Tunnel(server, from.request().connection(), idle, closed);
    request.response().headers().remove(HttpHeaders.CONTENT_LENGTH);
    request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.UPGRADE);
    request.response().putHeader(HttpHeaders.UPGRADE, WEBSOCKET);
    request
        .toNetSocket()
        .onSuccess(tunnel::connect)
        .onFailure(
            broken -> {
              Cut.now(tunnel.beneath);
              tunnel.close();
            });
  }

  private void connect(NetSocket client) {
    client.closeHandler(gone -> end(client));
    server.closeHandler(gone -> end(client));
    client.exceptionHandler(broken -> end(client));
    server.exceptionHandler(broken -> end(client));
    pass(client, server);
    pass(server, client);
    lookLater(client, idle.toNanos());
    server.resume();
  }

  /** Forwards bytes in one direction, no faster than the receiver reads. */
  private void pass(NetSocket from, NetSocket to) {
    from.handler(
        part -> {
          moved = System.nanoTime();
          to.write(part);
          if (to.writeQueueFull()) {
            from.pause();
            to.drainHandler(
                room -> {
                  moved = System.nanoTime();
                  from.resume();
                });
          }
        });
  }

  private void lookLater(NetSocket client, long nanos) {
    timer = vertx.setTimer(nanos / 1_000_000 + 1, now -> look(client));
  }

  private void look(NetSocket client) {
    long left = idle.toNanos() - (System.nanoTime() - moved);
    if (left > 0) {
      lookLater(client, left);
    } else {
      end(client);
    }
  }

  /** Closes both sides; buffered bytes are still delivered unless the receiver does not read. */
  private void end(NetSocket client) {
    if (isClosed) {
      return;
    }
    close();
    client.close();
    server.close();
    vertx.setTimer(
        LINGER_MILLIS,
        late -> {
          Cut.now(client);
          Cut.now(beneath);
        });
  }

  private void close() {
    if (!isClosed) {
      isClosed = true;
      vertx.cancelTimer(timer);
      closed.run();
    }
  }
}
