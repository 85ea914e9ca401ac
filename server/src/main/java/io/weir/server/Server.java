package io.weir.server;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.weir.Store;
import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleSet;
import io.weir.server.admin.AdminApi;
import io.weir.server.http.Bounds;
import io.weir.server.http.Listener;
import io.weir.server.http.Router;
import io.weir.server.rls.RateLimitService;
import io.weir.server.service.ServiceApi;

/** All fronts, listening. */
public final class Server implements AutoCloseable {
  private final Vertx vertx;
  private final Store store;
  private final Listener service;
  private final Listener admin;

  private Server(Vertx vertx, Store store, Listener service, Listener admin) {
    this.vertx = vertx;
    this.store = store;
    this.service = service;
    this.admin = admin;
  }

  /** Starts with rules that a program made; they are not reloaded. */
  public static Server start(Settings settings, RuleSet rules) {
    Vertx vertx = Vertx.vertx(new VertxOptions().setPreferNativeTransport(true));
    Store store = Store.open(settings.store());
    Arbiter arbiter =
        new Arbiter(
            RequestLimiter.builder(rules)
                .store(store)
                .maxKeys(settings.maxKeys())
                .descriptors(settings.envoy().mode())
                .build(),
            new Tally());
    int loops = Runtime.getRuntime().availableProcessors();

    Router serviceRoutes = new Router();
    new ServiceApi(arbiter, settings).addTo(serviceRoutes);
    RateLimitService rls = new RateLimitService(vertx, arbiter, settings);
    rls.addTo(serviceRoutes);
    Listener service =
        await(
            Listener.open(
                vertx,
                Bounds.PEERS.at(settings.bind(), settings.service().port()),
                settings.service().tls().map(Settings.Tls::files),
                loops,
                rls.before(serviceRoutes)));

    Router adminRoutes = new Router();
    new AdminApi(arbiter, settings).addTo(adminRoutes);
    Listener admin =
        await(
            Listener.open(
                vertx,
                Bounds.STRANGERS.at(settings.admin().bind(), settings.admin().port()),
                1,
                adminRoutes));
    return new Server(vertx, store, service, admin);
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }

  /** The port that the service listens on. */
  public int servicePort() {
    return service.port();
  }

  /** The admin port. */
  public int adminPort() {
    return admin.port();
  }

  @Override
  public void close() {
    await(vertx.close());
    store.close();
  }
}
