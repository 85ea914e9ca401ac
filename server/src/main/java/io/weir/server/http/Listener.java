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
import io.weir.TimeSource;
import io.weir.server.connection.CertificateFiles;
import io.weir.server.connection.CertificateReloader;
import io.weir.server.connection.ConnectionLimiter;
import io.weir.server.connection.ConnectionRegistry;
import io.weir.server.connection.HeapShare;
import io.weir.server.connection.LimitingTransport;
import io.weir.server.connection.NettyLogFilter;
import io.weir.server.connection.ResponseBackpressure;
import io.weir.server.connection.TlsMaterial;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A port on which several event loops listen. Thread-safe; does not block. */
public final class Listener {
  private static final System.Logger LOG = System.getLogger("io.weir.server");

  /** How long clients with reused connections have to receive a {@code Connection: close}. */
  private static final long LINGER_MILLIS = 500;

  private static final long LOOK_MILLIS = 10;

  /** How long Vert.x may take to close the port after all clients have disconnected. */
  private static final long GRACE_MILLIS = 200;

  /**
   * Vert.x binds all servers with the same negative port number to one shared free port, so each
   * listener uses its own number.
   */
  private static final AtomicInteger ANY_PORT = new AtomicInteger();

  private final Vertx vertx;
  private final String deployment;
  private final List<HttpServer> servers;
  private final ConnectionLimiter connectionLimiter;
  private final ConnectionRegistry connectionRegistry;
  private final @Nullable CertificateReloader renewal;

  private Listener(
      Vertx vertx,
      String deployment,
      List<HttpServer> servers,
      ConnectionLimiter connectionLimiter,
      ConnectionRegistry connectionRegistry,
      @Nullable CertificateReloader renewal) {
    this.vertx = vertx;
    this.deployment = deployment;
    this.servers = servers;
    this.connectionLimiter = connectionLimiter;
    this.connectionRegistry = connectionRegistry;
    this.renewal = renewal;
  }

  /**
   * Listens without TLS, with the default connection limit and timeouts.
   *
   * @param options see {@link ServerLimits#at}; port 0 for any free port
   * @param loops the number of event loops that share the port
   */
  public static Future<Listener> open(
      Vertx vertx, HttpServerOptions options, int loops, Handler<HttpServerRequest> handler) {
    return open(
        vertx,
        options,
        Optional.empty(),
        new ConnectionLimiter(),
        loops,
        HeapShare.OTHER_RESPONSES,
        handler);
  }

  /** Listens with the gateway's budget for unread responses. */
  public static Future<Listener> open(
      Vertx vertx,
      HttpServerOptions options,
      Optional<CertificateFiles> tls,
      ConnectionLimiter connectionLimiter,
      int loops,
      Handler<HttpServerRequest> handler) {
    return open(
        vertx, options, tls, connectionLimiter, loops, HeapShare.GATEWAY_RESPONSES, handler);
  }

  /**
   * Listens. Changed certificate files are reloaded; see {@link CertificateReloader}.
   *
   * @param tls empty for no TLS
   * @param connectionLimiter limits the port's connections if {@code vertx} was created by {@link
   *     LimitingTransport#vertx}
   * @param unread the budget for responses that clients do not read
   */
  public static Future<Listener> open(
      Vertx vertx,
      HttpServerOptions options,
      Optional<CertificateFiles> tls,
      ConnectionLimiter connectionLimiter,
      int loops,
      HeapShare unread,
      Handler<HttpServerRequest> handler) {
    ConnectionRegistry connectionRegistry =
        new ConnectionRegistry(new ResponseBackpressure(unread));
    return open(vertx, options, tls, connectionLimiter, loops, connectionRegistry, handler);
  }

  public static Future<Listener> open(
      Vertx vertx,
      HttpServerOptions options,
      Optional<CertificateFiles> tls,
      ConnectionLimiter connectionLimiter,
      int loops,
      ConnectionRegistry connectionRegistry,
      Handler<HttpServerRequest> handler) {
    if (tls.isEmpty()) {
      return listen(
          vertx, options, connectionLimiter, loops, connectionRegistry, handler, servers -> null);
    }
    CertificateFiles files = tls.get();
    return vertx
        .executeBlocking(() -> firstMaterial(vertx, files, connectionLimiter.time()))
        .compose(
            first ->
                listen(
                    vertx,
                    first.addTo(options),
                    connectionLimiter,
                    loops,
                    connectionRegistry,
                    handler,
                    servers ->
                        new CertificateReloader(
                            vertx,
                            files,
                            first,
                            next -> servers.get(0).updateSSLOptions(next.options()),
                            connectionLimiter.time())));
  }

  /** Accepts an expired certificate at the start, because some clients do not check the date. */
  private static TlsMaterial firstMaterial(Vertx vertx, CertificateFiles files, TimeSource time) {
    TlsMaterial first = files.read();
    if (!TlsMaterial.isCurrent(first.require(vertx), time)) {
      LOG.log(
          System.Logger.Level.WARNING,
          "the TLS certificate in {0} has expired or is not valid yet",
          files.certificate());
    }
    return first;
  }

  private static Future<Listener> listen(
      Vertx vertx,
      HttpServerOptions options,
      ConnectionLimiter connectionLimiter,
      int loops,
      ConnectionRegistry connectionRegistry,
      Handler<HttpServerRequest> handler,
      java.util.function.Function<List<HttpServer>, @Nullable CertificateReloader> renewal) {
    NettyLogFilter.install();
    HttpServerOptions shared = new HttpServerOptions(options);
    if (options.getPort() == 0) {
      shared.setPort(ANY_PORT.decrementAndGet());
    }
    LimitingTransport.put(vertx, shared, connectionLimiter);
    List<HttpServer> servers = new CopyOnWriteArrayList<>();
    Handler<HttpServerRequest> safe = connectionRegistry.servedBy(answeringErrors(handler));
    return vertx
        .deployVerticle(
            () -> new ListenerVerticle(shared, connectionRegistry, safe, servers),
            new DeploymentOptions().setInstances(loops))
        .map(
            id ->
                new Listener(
                    vertx,
                    id,
                    servers,
                    connectionLimiter,
                    connectionRegistry,
                    renewal.apply(servers)));
  }

  /** Responds with an error when a handler throws, so that the client gets a response. */
  private static Handler<HttpServerRequest> answeringErrors(Handler<HttpServerRequest> handler) {
    return request -> {
      try {
        handler.handle(request);
      } catch (RuntimeException | StackOverflowError e) {
        HttpResponses.sendFailure(request, e);
      }
    };
  }

  /** Checks now whether the certificate files have changed; does nothing without TLS. */
  public Future<Void> renewCertificate() {
    return renewal == null ? Future.succeededFuture() : renewal.now();
  }

  /** The port that was bound. */
  public int port() {
    return servers.get(0).actualPort();
  }

  /**
   * Drains the port: makes clients disconnect, stops listening, and waits for requests in progress,
   * for {@code timeout} at most. Then closes the remaining connections.
   *
   * <p>Before it stops listening, it waits for a moment, or until all clients have disconnected. In
   * that time, clients that reuse connections receive {@code Connection: close} with a response.
   * Otherwise they could find the connection closed with their next request already sent.
   */
  public Future<Void> drain(Duration timeout) {
    stopRenewal();
    connectionLimiter.removeEarlyResponder();
    connectionRegistry.startDrain();
    long linger = Math.min(LINGER_MILLIS, timeout.toMillis() / 2);
    return within(linger, allClosed()).compose(moment -> shutDown(timeout.toMillis() - linger));
  }

  /** Completes when all used connections are closed, or the time is over. */
  private Future<Void> shutDown(long millis) {
    List<Future<Void>> all =
        servers.stream().map(server -> server.shutdown(millis, TimeUnit.MILLISECONDS)).toList();
    Future<Void> closed = Future.join(all).mapEmpty();
    Future<Void> left = allClosed().compose(empty -> within(GRACE_MILLIS, closed));
    return Future.any(closed, left).mapEmpty();
  }

  /** Completes with {@code awaited}, or when the time is over. */
  private Future<Void> within(long millis, Future<Void> awaited) {
    Promise<Void> over = Promise.promise();
    vertx.setTimer(Math.max(1, millis), timer -> over.tryComplete());
    awaited.onComplete(done -> over.tryComplete());
    return over.future();
  }

  private Future<Void> allClosed() {
    Promise<Void> left = Promise.promise();
    look(left);
    return left.future();
  }

  private void look(Promise<Void> left) {
    if (connectionRegistry.isEmpty()) {
      left.complete();
    } else {
      vertx.setTimer(LOOK_MILLIS, later -> look(left));
    }
  }

  /** Stops listening and closes all connections. */
  public Future<Void> close() {
    stopRenewal();
    return vertx.undeploy(deployment);
  }

  private void stopRenewal() {
    if (renewal != null) {
      renewal.stop();
    }
  }

  private static final class ListenerVerticle extends VerticleBase {
    private final HttpServerOptions options;
    private final ConnectionRegistry connectionRegistry;
    private final Handler<HttpServerRequest> handler;
    private final List<HttpServer> servers;
    private @Nullable HttpServer server;

    ListenerVerticle(
        HttpServerOptions options,
        ConnectionRegistry connectionRegistry,
        Handler<HttpServerRequest> handler,
        List<HttpServer> servers) {
      this.options = options;
      this.connectionRegistry = connectionRegistry;
      this.handler = handler;
      this.servers = servers;
    }

    @Override
    public Future<?> start() {
      HttpServer listening = vertx.createHttpServer(options);
      server = listening;
      servers.add(listening);
      return listening
          .connectionHandler(connectionRegistry)
          .invalidRequestHandler(HttpResponses::sendInvalid)
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
