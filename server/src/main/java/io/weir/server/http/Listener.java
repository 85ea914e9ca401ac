package io.weir.server.http;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.weir.server.door.Door;
import io.weir.server.door.Doors;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A port that is listened on by every event loop. */
public final class Listener {
  private static final System.Logger LOG = System.getLogger("io.weir.server");

  /** How long those who reuse connections have to hear that it is time to go. */
  private static final long LINGER_MILLIS = 500;

  private static final long LOOK_MILLIS = 10;

  /** How long Vert.x may take to close what is left when nobody is there any more. */
  private static final long GRACE_MILLIS = 200;

  /**
   * Vert.x gives all who ask for the same negative port the same free one: each listener has a
   * number of its own.
   */
  private static final AtomicInteger ANY_PORT = new AtomicInteger();

  private final Vertx vertx;
  private final String deployment;
  private final List<HttpServer> servers;
  private final Door door;
  private final Visitors visitors;
  private final @Nullable TlsRenewal renewal;

  private Listener(
      Vertx vertx,
      String deployment,
      List<HttpServer> servers,
      Door door,
      Visitors visitors,
      @Nullable TlsRenewal renewal) {
    this.vertx = vertx;
    this.deployment = deployment;
    this.servers = servers;
    this.door = door;
    this.visitors = visitors;
    this.renewal = renewal;
  }

  /**
   * Listens, in clear, with a door as most ports have it.
   *
   * @param options see {@link Bounds#at}; port 0: any that is free
   * @param loops how many event loops share the work
   */
  public static Future<Listener> open(
      Vertx vertx, HttpServerOptions options, int loops, Handler<HttpServerRequest> handler) {
    return open(
        vertx, options, Optional.empty(), new Door(), loops, HeapShare.OTHER_RESPONSES, handler);
  }

  /** Listens, with as much room for responses that are not taken as the gateway has. */
  public static Future<Listener> open(
      Vertx vertx,
      HttpServerOptions options,
      Optional<TlsFiles> tls,
      Door door,
      int loops,
      Handler<HttpServerRequest> handler) {
    return open(vertx, options, tls, door, loops, HeapShare.GATEWAY_RESPONSES, handler);
  }

  /**
   * Listens. Files of a certificate that change are read again; see {@link TlsRenewal}.
   *
   * @param tls empty: in clear
   * @param door before the port, if {@code vertx} is of {@link Doors#vertx}
   * @param untaken what its clients may leave of responses
   */
  public static Future<Listener> open(
      Vertx vertx,
      HttpServerOptions options,
      Optional<TlsFiles> tls,
      Door door,
      int loops,
      HeapShare untaken,
      Handler<HttpServerRequest> handler) {
    Visitors visitors = new Visitors(new Outflow(untaken));
    return open(vertx, options, tls, door, loops, visitors, handler);
  }

  static Future<Listener> open(
      Vertx vertx,
      HttpServerOptions options,
      Optional<TlsFiles> tls,
      Door door,
      int loops,
      Visitors visitors,
      Handler<HttpServerRequest> handler) {
    if (tls.isEmpty()) {
      return listen(vertx, options, door, loops, visitors, handler, servers -> null);
    }
    TlsFiles files = tls.get();
    return vertx
        .executeBlocking(() -> firstMaterial(vertx, files))
        .compose(
            first ->
                listen(
                    vertx,
                    first.addTo(options),
                    door,
                    loops,
                    visitors,
                    handler,
                    servers ->
                        new TlsRenewal(
                            vertx,
                            files,
                            first,
                            next -> servers.get(0).updateSSLOptions(next.options()))));
  }

  /** An expired certificate is better than none: some clients do not look. */
  private static TlsMaterial firstMaterial(Vertx vertx, TlsFiles files) {
    TlsMaterial first = files.read();
    if (!TlsMaterial.isCurrent(first.require(vertx), Instant.now())) {
      LOG.log(
          System.Logger.Level.WARNING,
          "the TLS certificate in {0} has expired, or is not good yet",
          files.certificate());
    }
    return first;
  }

  private static Future<Listener> listen(
      Vertx vertx,
      HttpServerOptions options,
      Door door,
      int loops,
      Visitors visitors,
      Handler<HttpServerRequest> handler,
      java.util.function.Function<List<HttpServer>, @Nullable TlsRenewal> renewal) {
    NettyLogs.hush();
    HttpServerOptions shared = new HttpServerOptions(options);
    if (options.getPort() == 0) {
      shared.setPort(ANY_PORT.decrementAndGet());
    }
    Doors.put(vertx, shared, door);
    List<HttpServer> servers = new CopyOnWriteArrayList<>();
    Handler<HttpServerRequest> safe = visitors.servedBy(new LastResort(handler));
    return vertx
        .deployVerticle(
            () -> new Loop(shared, visitors, safe, servers),
            new DeploymentOptions().setInstances(loops))
        .map(id -> new Listener(vertx, id, servers, door, visitors, renewal.apply(servers)));
  }

  /** Looks now whether the files of the certificate have changed; nothing in clear. */
  public Future<Void> renewCertificate() {
    return renewal == null ? Future.succeededFuture() : renewal.now();
  }

  /** The port that was bound. */
  public int port() {
    return servers.get(0).actualPort();
  }

  /**
   * Tells clients to go elsewhere, listens no more, and lets requests under way come to an end, for
   * {@code patience} at most; then closes what is still open.
   *
   * <p>Before it stops to listen it waits for a moment, or until all have left: a client that
   * reuses its connection hears by an answer that the connection ends, instead of finding it closed
   * with its next request already on the way.
   */
  public Future<Void> drain(Duration patience) {
    stopRenewal();
    door.dismissPorter();
    visitors.askToLeave();
    long linger = Math.min(LINGER_MILLIS, patience.toMillis() / 2);
    return allLeft(linger).compose(moment -> shutDown(patience.toMillis() - linger));
  }

  /** When all are gone, but for connections that nobody ever used, or the time is over. */
  private Future<Void> shutDown(long millis) {
    List<Future<Void>> all =
        servers.stream().map(server -> server.shutdown(millis, TimeUnit.MILLISECONDS)).toList();
    Future<Void> closed = Future.join(all).mapEmpty();
    Future<Void> left =
        allLeft(Long.MAX_VALUE).compose(empty -> closedWithin(closed, GRACE_MILLIS));
    return Future.any(closed, left).mapEmpty();
  }

  private Future<Void> closedWithin(Future<Void> closed, long millis) {
    Promise<Void> over = Promise.promise();
    vertx.setTimer(millis, timer -> over.tryComplete());
    closed.onComplete(done -> over.tryComplete());
    return over.future();
  }

  private Future<Void> allLeft(long withinMillis) {
    Promise<Void> left = Promise.promise();
    look(System.nanoTime(), TimeUnit.MILLISECONDS.toNanos(withinMillis), left);
    return left.future();
  }

  private void look(long start, long nanos, Promise<Void> left) {
    if (visitors.haveLeft() || System.nanoTime() - start >= nanos) {
      left.complete();
    } else {
      vertx.setTimer(LOOK_MILLIS, later -> look(start, nanos, left));
    }
  }

  /** Listens no more, and closes connections. */
  public Future<Void> close() {
    stopRenewal();
    return vertx.undeploy(deployment);
  }

  private void stopRenewal() {
    if (renewal != null) {
      renewal.stop();
    }
  }

  private static final class Loop extends VerticleBase {
    private final HttpServerOptions options;
    private final Visitors visitors;
    private final Handler<HttpServerRequest> handler;
    private final List<HttpServer> servers;
    private @Nullable HttpServer server;

    Loop(
        HttpServerOptions options,
        Visitors visitors,
        Handler<HttpServerRequest> handler,
        List<HttpServer> servers) {
      this.options = options;
      this.visitors = visitors;
      this.handler = handler;
      this.servers = servers;
    }

    @Override
    public Future<?> start() {
      HttpServer listening = vertx.createHttpServer(options);
      server = listening;
      servers.add(listening);
      return listening
          .connectionHandler(visitors)
          .invalidRequestHandler(new Unreadable())
          .requestHandler(handler)
          .listen();
    }

    @Override
    public Future<?> stop() {
      HttpServer listening = server;
      return listening == null ? Future.succeededFuture() : listening.close();
    }
  }
}
