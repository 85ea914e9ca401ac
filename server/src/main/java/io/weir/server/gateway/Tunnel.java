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
import io.weir.TimeSource;
import io.weir.server.connection.ForceClose;
import io.weir.server.connection.TimeoutSweeper;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A connection upgraded to a WebSocket: bytes are forwarded in both directions without being
 * parsed. Its request was limited like any other. It is closed when idle for too long, or when one
 * side does not read what the other sent. While it is stalled, it is closed for a request that
 * needs its upstream connection.
 */
final class Tunnel extends TimeoutSweeper.Watched {
  private static final CharSequence WEBSOCKET = HttpHeaders.createOptimized("websocket");

  /** How long the last bytes may take to reach the side that is still open. */
  private static final long LINGER_MILLIS = 3000;

  /** The idle timeout, for both directions together. */
  static final Duration IDLE = Duration.ofMinutes(2);

  /** The minimum stall before it may be closed for another request: less is a slow network. */
  private static final long STALLED_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final NetSocket server;
  private final HttpConnection serverConnection;
  private final Vertx vertx = Vertx.currentContext().owner();
  private final Duration idle;
  private final TimeSource clock;
  private final Runnable closed;
  private final @Nullable ProxyExchange proxyExchange;
  private final Direction toServer = new Direction();
  private final Direction toClient = new Direction();
  private @Nullable NetSocket client;
  private boolean isClosed;
  private long moved;

  private Tunnel(
      NetSocket server,
      HttpConnection serverConnection,
      Duration idle,
      TimeSource clock,
      Runnable closed,
      @Nullable ProxyExchange proxyExchange) {
    this.proxyExchange = proxyExchange;
    this.server = server;
    this.serverConnection = serverConnection;
    this.idle = idle;
    this.clock = clock;
    this.moved = clock.epochNanos();
    this.closed = closed;
  }

  /** Whether a request asks for a WebSocket. Other upgrades are not forwarded. */
  static boolean isRequested(HttpServerRequest request) {
    String upgrade = request.headers().get(HttpHeaders.UPGRADE);
    return upgrade != null
        && upgrade.strip().equalsIgnoreCase("websocket")
        && request.version() == HttpVersion.HTTP_1_1
        && request.method().equals(HttpMethod.GET)
        && !RequestBody.isPossible(request)
        && RequestHeaderFilter.isAmong(RequestHeaderFilter.named(request.headers()), "upgrade");
  }

  /** Adds the upgrade headers to a request that has all other headers, and sends it. */
  static void sendUpgrade(HttpClientRequest to) {
    to.putHeader(HttpHeaders.CONNECTION, HttpHeaders.UPGRADE);
    to.putHeader(HttpHeaders.UPGRADE, WEBSOCKET);
    to.connect();
  }

  /**
   * Opens the tunnel after the server has agreed; the other response headers must be set.
   *
   * @param idle the idle timeout, also of a direction in which bytes wait
   * @param clock without steps
   * @param closed runs when the tunnel is closed
   * @param proxyExchange the exchange that was upgraded; null: it is never closed for another
   *     request
   */
  static void open(
      HttpServerRequest request,
      HttpClientResponse from,
      Duration idle,
      TimeSource clock,
      Runnable closed,
      @Nullable ProxyExchange proxyExchange) {
    NetSocket server = from.netSocket();
    server.pause();
    HttpConnection serverConnection = from.request().connection();
    Tunnel tunnel = new Tunnel(server, serverConnection, idle, clock, closed, proxyExchange);
    request.response().headers().remove(HttpHeaders.CONTENT_LENGTH);
    request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.UPGRADE);
    request.response().putHeader(HttpHeaders.UPGRADE, WEBSOCKET);
    request
        .toNetSocket()
        .onSuccess(tunnel::connect)
        .onFailure(
            broken -> {
              ForceClose.now(tunnel.serverConnection);
              tunnel.close();
            });
  }

  private void connect(NetSocket client) {
    this.client = client;
    TimeoutSweeper.here().add(this);
    client.closeHandler(gone -> end(client));
    server.closeHandler(gone -> end(client));
    client.exceptionHandler(broken -> end(client));
    server.exceptionHandler(broken -> end(client));
    pass(client, server, toServer);
    pass(server, client, toClient);
    server.resume();
  }

  /** Forwards bytes in one direction, no faster than the receiver reads. */
  private void pass(NetSocket from, NetSocket to, Direction way) {
    from.handler(
        part -> {
          moved = clock.epochNanos();
          to.write(part);
          if (to.writeQueueFull()) {
            from.pause();
            way.stall(moved);
            to.drainHandler(
                writable -> {
                  moved = clock.epochNanos();
                  way.go();
                  from.resume();
                });
          }
        });
  }

  /** One direction: whether, and since when, more waits to be written than has room. */
  private static final class Direction {
    private boolean isStalled;
    private long since;

    void stall(long now) {
      if (!isStalled) {
        isStalled = true;
        since = now;
      }
    }

    void go() {
      isStalled = false;
    }

    long stalled(long now) {
      return isStalled ? now - since : 0;
    }
  }

  /** How long one side has read nothing that the other has sent, in nanoseconds. */
  private long stalled(long now) {
    return Math.max(toServer.stalled(now), toClient.stalled(now));
  }

  @Override
  public void look() {
    NetSocket its = client;
    long now = clock.epochNanos();
    if (stalled(now) > idle.toNanos()) {
      forceClose();
    } else if (its != null && now - moved >= idle.toNanos()) {
      end(its);
    }
  }

  /**
   * Ends the tunnel that has been stalled for longest.
   *
   * @param among by the exchange of which it has become
   * @param now the time of the gateway's clock
   * @return whether there was one
   */
  static boolean makeRoom(Predicate<ProxyExchange> among, long now) {
    Optional<Tunnel> found =
        TimeoutSweeper.here()
            .all(Tunnel.class)
            .filter(each -> each.proxyExchange != null && among.test(each.proxyExchange))
            .filter(each -> each.stalled(now) > STALLED_NANOS)
            .max(Comparator.comparingLong(each -> each.stalled(now)));
    found.ifPresent(Tunnel::forceClose);
    return found.isPresent();
  }

  private void forceClose() {
    NetSocket its = client;
    if (its != null && !isClosed) {
      close();
      ForceClose.now(its);
      ForceClose.now(serverConnection);
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
          ForceClose.now(client);
          ForceClose.now(serverConnection);
        });
  }

  private void close() {
    if (!isClosed) {
      isClosed = true;
      TimeoutSweeper.here().remove(this);
      closed.run();
    }
  }
}
