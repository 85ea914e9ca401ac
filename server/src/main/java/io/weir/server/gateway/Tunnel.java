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
import io.weir.server.http.Lookout;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A connection that has become a WebSocket: bytes go through in both directions, and nobody here
 * looks at them. Its request was limited like any other. Where nothing goes through for long, or
 * one side does not take what the other has said, it ends. While it is stalled so, it gives way to
 * a request that needs its connection to the server.
 */
final class Tunnel extends Lookout.Watched {
  private static final CharSequence WEBSOCKET = HttpHeaders.createOptimized("websocket");

  /** How long the last words may take to whoever is still there. */
  private static final long LINGER_MILLIS = 3000;

  /** How long nothing may go through in either direction. */
  static final Duration IDLE = Duration.ofMinutes(2);

  /** How long one that gives way has been stalled, at least: less is a slow network. */
  private static final long STALLED_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final NetSocket server;
  private final HttpConnection beneath;
  private final Vertx vertx = Vertx.currentContext().owner();
  private final Duration idle;
  private final Runnable closed;
  private final @Nullable Exchange exchange;
  private final Way toServer = new Way();
  private final Way toClient = new Way();
  private @Nullable NetSocket client;
  private boolean isClosed;
  private long moved = System.nanoTime();
  private long timer;

  private Tunnel(
      NetSocket server,
      HttpConnection beneath,
      Duration idle,
      Runnable closed,
      @Nullable Exchange exchange) {
    this.exchange = exchange;
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
   * @param idle how long nothing may go through, or one side may leave what the other has said
   * @param closed is run when it is over
   * @param exchange of which it has become; null: it gives way to none
   */
  static void open(
      HttpServerRequest request,
      HttpClientResponse from,
      Duration idle,
      Runnable closed,
      @Nullable Exchange exchange) {
    NetSocket server = from.netSocket();
    server.pause();
    Tunnel tunnel = new Tunnel(server, from.request().connection(), idle, closed, exchange);
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
    this.client = client;
    Lookout.here().add(this);
    client.closeHandler(gone -> end(client));
    server.closeHandler(gone -> end(client));
    client.exceptionHandler(broken -> end(client));
    server.exceptionHandler(broken -> end(client));
    pass(client, server, toServer);
    pass(server, client, toClient);
    lookLater(client, idle.toNanos());
    server.resume();
  }

  /** What one says to the other, no faster than it listens. */
  private void pass(NetSocket from, NetSocket to, Way way) {
    from.handler(
        part -> {
          moved = System.nanoTime();
          to.write(part);
          if (to.writeQueueFull()) {
            from.pause();
            way.stall(moved);
            to.drainHandler(
                room -> {
                  moved = System.nanoTime();
                  way.go();
                  from.resume();
                });
          }
        });
  }

  /** One direction: whether, and since when, more waits to be written than has room. */
  private static final class Way {
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

  /** For how long one side has taken nothing of what the other has said, in nanoseconds. */
  private long stalled(long now) {
    return Math.max(toServer.stalled(now), toClient.stalled(now));
  }

  @Override
  protected void look(long now) {
    if (stalled(now) > idle.toNanos()) {
      giveWay();
    }
  }

  /**
   * Ends the tunnel that has been stalled for longest.
   *
   * @param among by the exchange of which it has become
   * @return whether there was one
   */
  static boolean makeRoom(Predicate<Exchange> among) {
    long now = System.nanoTime();
    Optional<Tunnel> found =
        Lookout.here()
            .all(Tunnel.class)
            .filter(each -> each.exchange != null && among.test(each.exchange))
            .filter(each -> each.stalled(now) > STALLED_NANOS)
            .max(Comparator.comparingLong(each -> each.stalled(now)));
    found.ifPresent(Tunnel::giveWay);
    return found.isPresent();
  }

  private void giveWay() {
    NetSocket its = client;
    if (its != null && !isClosed) {
      close();
      Cut.now(its);
      Cut.now(beneath);
    }
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
      Lookout.here().remove(this);
      vertx.cancelTimer(timer);
      closed.run();
    }
  }
}
