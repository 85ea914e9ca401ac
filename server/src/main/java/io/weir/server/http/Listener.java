package io.weir.server.http;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/** A port that is listened on by every event loop. */
public final class Listener {
  private final String deployment;
  private final Vertx vertx;
  private final int port;

  private Listener(String deployment, Vertx vertx, int port) {
    this.deployment = deployment;
    this.vertx = vertx;
    this.port = port;
  }

  /**
   * Listens.
   *
   * @param loops how many event loops share the work
   */
  public static Future<Listener> open(
      Vertx vertx, HttpServerOptions options, int loops, Handler<HttpServerRequest> handler) {
    Bound bound = new Bound(options);
    return vertx
        .deployVerticle(() -> new Loop(bound, handler), new DeploymentOptions().setInstances(loops))
        .map(id -> new Listener(id, vertx, bound.port));
  }

  /** The port that was bound. */
  public int port() {
    return port;
  }

  /** Listens no more, and closes connections. */
  public Future<Void> close() {
    return vertx.undeploy(deployment);
  }

  /** Any port that is free is the same one for all loops. */
  private static final class Bound {
    private final HttpServerOptions options;
    private volatile int port;

    Bound(HttpServerOptions options) {
      this.options =
          new HttpServerOptions(options).setPort(options.getPort() == 0 ? -1 : options.getPort());
    }
  }

  private static final class Loop extends VerticleBase {
    private final Bound bound;
    private final Handler<HttpServerRequest> handler;
    private @Nullable HttpServer server;

    Loop(Bound bound, Handler<HttpServerRequest> handler) {
      this.bound = bound;
      this.handler = handler;
    }

    @Override
    public Future<?> start() {
      HttpServer listening = vertx.createHttpServer(bound.options);
      server = listening;
      return listening
          .requestHandler(handler)
          .listen()
          .onSuccess(open -> bound.port = open.actualPort());
    }

    @Override
    public Future<?> stop() {
      HttpServer listening = server;
      return listening == null ? Future.succeededFuture() : listening.close();
    }
  }
}
