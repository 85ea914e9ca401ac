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
 * A connection that has become a WebSocket: bytes go through in both directions, and nobody here
 * looks at them. Its request was limited like any other. Where nothing goes through for long, it
 * ends.
 */
final class Tunnel {
  private static final CharSequence WEBSOCKET = HttpHeaders.createOptimized("websocket");

  /** How long the last words may take to whoever is still there. */
  private static final long LINGER_MILLIS = 3000;

  /** How long nothing may go through in either direction. */
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

  /** Whether a request wants to become a WebSocket. Other upgrades are not passed on. */
  static boolean isAskedFor(HttpServerRequest request) {
    String upgrade = request.headers().get(HttpHeaders.UPGRADE);
    return upgrade != null
        && upgrade.strip().equalsIgnoreCase("websocket")
        && request.version() == HttpVersion.HTTP_1_1
        && request.method().equals(HttpMethod.GET)
        && !RequestBody.isPossible(request)
        && Passage.isAmong(Passage.named(request.headers()), "upgrade");
  }

  /** Sends the request, whose headers are there but for those that ask for the upgrade. */
  static void ask(HttpClientRequest to) {
    to.putHeader(HttpHeaders.CONNECTION, HttpHeaders.UPGRADE);
    to.putHeader(HttpHeaders.UPGRADE, WEBSOCKET);
    to.connect();
  }

  /**
   * Lets both talk, once the server has agreed; the other headers of the response are there.
   *
   * @param idle how long nothing may go through
   * @param closed is told when it is over
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

  /** What one says to the other, no faster than it listens. */
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

  /** Either is told all that the other has said, unless it does not listen. */
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
