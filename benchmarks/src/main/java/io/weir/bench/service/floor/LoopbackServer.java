package io.weir.bench.service.floor;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.util.function.Function;

/** A port of loopback on which every event loop listens, with the socket options that Weir sets. */
final class LoopbackServer {
  private LoopbackServer() {}

  static void on(int port, Function<Vertx, Handler<HttpServerRequest>> handler) {
    System.setProperty("vertx.disableContextTimings", "true");
    Vertx vertx =
        Vertx.vertx(new VertxOptions().setPreferNativeTransport(true).setDisableTCCL(true));
    System.err.println("native transport: " + vertx.isNativeTransportEnabled());
    HttpServerOptions options =
        new HttpServerOptions().setHost("127.0.0.1").setPort(port).setStrictThreadMode(true);
    vertx
        .deployVerticle(
            () ->
                new VerticleBase() {
                  @Override
                  public Future<?> start() {
                    return vertx
                        .createHttpServer(options)
                        .requestHandler(handler.apply(vertx))
                        .listen();
                  }
                },
            new DeploymentOptions().setInstances(Runtime.getRuntime().availableProcessors()))
        .toCompletionStage()
        .toCompletableFuture()
        .join();
  }
}
