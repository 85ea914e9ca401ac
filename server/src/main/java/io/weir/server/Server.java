package io.weir.server;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.tracing.TracingPolicy;
import io.weir.Store;
import io.weir.TimeSource;
import io.weir.arbiter.Arbiter;
import io.weir.arbiter.FrontEnd;
import io.weir.arbiter.RuleFeed;
import io.weir.node.Closing;
import io.weir.node.Node;
import io.weir.rules.RuleSet;
import io.weir.rules.http.Proxies;
import io.weir.server.access.AccessLog;
import io.weir.server.admin.AdminApi;
import io.weir.server.door.Door;
import io.weir.server.door.Doors;
import io.weir.server.door.OpenFiles;
import io.weir.server.gateway.EchoApi;
import io.weir.server.gateway.Gateway;
import io.weir.server.http.Bodies;
import io.weir.server.http.Bounds;
import io.weir.server.http.HeapShare;
import io.weir.server.http.Listener;
import io.weir.server.http.RequestTrace;
import io.weir.server.http.Router;
import io.weir.server.http.Tokens;
import io.weir.server.http.UnfinishedBodies;
import io.weir.server.http.UnusableTlsException;
import io.weir.server.rls.RateLimitService;
import io.weir.server.service.PageGuard;
import io.weir.server.service.ServiceApi;
import io.weir.server.tracing.Tracing;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** All fronts, listening. */
public final class Server implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("io.weir.server");
  private static final Duration CLOSING = Duration.ofSeconds(3);
  private static final int MOST_LISTENERS = 64;
  private static final int MOST_PROBES = 64;
  private static final int LOOPS = Runtime.getRuntime().availableProcessors();

  private final Settings settings;
  private final RuleFeed feed;
  private final Shares shares;
  private final Tokens serviceTokens;
  private final Closing closing = new Closing();
  private final Node node;
  private final Vitals vitals;
  private final @Nullable RequestTrace trace;
  private final @Nullable AccessLog access;
  private final Vertx vertx;
  private final RateLimitService rls;
  private final Listener gateway;
  private final Listener service;
  private final Listener admin;
  private final AdminApi adminApi;
  private final @Nullable Listener health;
  private final Door gatewayDoor;
  private final Door serviceDoor;
  private final Door adminDoor;
  private volatile Duration drain;
  private List<Path> rulePaths;

  private Server(Builder builder) {
    this.settings = builder.settings;
    this.drain = settings.drain();
    this.rulePaths = settings.rules();
    this.serviceTokens = new Tokens(settings.service().token().map(Settings.Secret::value));
    this.shares = Shares.of(settings.edge().maxConnections(), OpenFiles.most());
    requireTokenOffLoopback(settings.admin());
    try {
      Tracing tracing = builder.tracing == null ? Tracing.ifThere() : builder.tracing;
      this.feed = builder.feed == null ? feed(settings) : builder.feed;
      this.node = open(builder, feed, tracing);
      closing.add(node::close);
      this.trace = tracing == null ? null : tracing.trace();
      this.vitals = new Vitals(node.reloads());
      this.access = openAccess(node.arbiter());
      this.vertx = Doors.vertx(options(), tracing == null ? null : tracing.requests());
      closing.add(() -> awaitAtMost(CLOSING, vertx.close()));
      Arbiter arbiter = node.arbiter();
      this.gatewayDoor = counted("gateway", gatewayDoor());
      this.serviceDoor = counted("service", serviceDoor());
      this.adminDoor = counted("admin", door(shares.admin(), Bounds.STRANGERS, Proxies.LOOPBACK));
      this.gateway = openGateway(arbiter);
      Bodies bodies = new Bodies(HeapShare.BODIES.kept(), unfinishedBodies());
      this.rls =
          new RateLimitService(arbiter.at(FrontEnd.SERVICE), settings, serviceTokens, bodies);
      this.service = openService(arbiter, bodies);
      int listeners = Math.max(1, Math.min(MOST_LISTENERS, shares.admin() / 2));
      this.adminApi = new AdminApi(node, settings, vitals, listeners);
      closing.add(adminApi::close);
      this.admin = openAdmin();
      this.health = settings.health().isEmpty() ? null : openHealth(settings.health().getAsInt());
      tellPorts();
      if (builder.isWarmedUp) {
        new WarmUp(vertx, settings, LOOPS, WarmUp.LONGEST).run(node.store());
      }
      rls.ready();
    } catch (RuntimeException | Error e) {
      closing.becauseOf(e);
      throw e;
    }
    vitals.ready(true);
  }

  /** Before there is a Vert.x, which must know what requests carry along. */
  private @Nullable AccessLog openAccess(Arbiter arbiter) {
    if (!settings.access().isOn()) {
      return null;
    }
    try {
      AccessLog log = new AccessLog(settings.access(), arbiter::nowMillis, trace);
      closing.add(log::close);
      vitals.droppedAccessLines(log::dropped);
      return log;
    } catch (IOException e) {
      throw new CouldNotStartException("--access-log cannot be written: " + e.getMessage(), e);
    }
  }

  private Handler<HttpServerRequest> logged(String port, Handler<HttpServerRequest> handler) {
    return access == null ? handler : access.before(port, handler);
  }

  private static Node open(Builder builder, RuleFeed feed, @Nullable Tracing tracing) {
    Settings settings = builder.settings;
    return Node.builder(feed)
        .store(settings.store())
        .storeTimeout(settings.storeTimeout())
        .data(settings.data().orElse(null))
        .maxKeys(settings.maxKeys())
        .descriptors(settings.envoy().mode())
        .time(builder.time)
        .follower(tracing == null ? null : tracing.decisions())
        .watched(builder.isWatched)
        .open();
  }

  private static RuleFeed feed(Settings settings) {
    return settings.rules().isEmpty()
        ? RuleFeed.of(DemoRules.read())
        : RuleFeed.of(settings.rules());
  }

  /** Starts with rules that a program made; they are not reloaded. */
  public static Server start(Settings settings, RuleSet rules) {
    return builder(settings).rules(rules).start();
  }

  /** Starts with the rules that the settings name. */
  public static Server start(Settings settings) {
    return builder(settings).start();
  }

  /** A server that is not started yet. */
  public static Builder builder(Settings settings) {
    return new Builder(settings);
  }

  private static void requireTokenOffLoopback(Settings.AdminPort admin) {
    if (admin.token().isEmpty() && !isLoopback(admin.bind())) {
      throw new CouldNotStartException(
          "the admin port would listen on "
              + admin.bind()
              + " without a token; set WEIR_ADMIN_TOKEN or"
              + " admin_token, or leave --admin-bind out",
          null);
    }
  }

  private static boolean isLoopback(String address) {
    try {
      return InetAddress.getByName(address).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private static VertxOptions options() {
    // Nothing is served from files: a directory for copies of them is not needed.
    FileSystemOptions files =
        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false);
    return new VertxOptions()
        .setPreferNativeTransport(true)
        .setDisableTCCL(true) // one class loader has it all: to set it for each event costs time
        .setFileSystemOptions(files);
  }

  private Listener openGateway(Arbiter arbiter) {
    HttpServerOptions options = Bounds.STRANGERS.at(settings.bind(), settings.gateway());
    Gateway handler;
    try {
      handler =
          new Gateway(vertx, arbiter.at(FrontEnd.GATEWAY), withUpstream(), LOOPS, trace, access);
    } catch (UnusableTlsException e) {
      throw new CouldNotStartException("--upstream-ca: " + e.getMessage(), e);
    }
    vitals.gateway(handler.traffic());
    if (!arbiter.isFollowed()) { // what is decided at the door is seen by nobody who follows it
      gatewayDoor.with(handler.porter());
    }
    return listening(
        "gateway",
        options,
        Listener.open(
            vertx,
            options,
            settings.gatewayTls().map(Settings.Tls::files),
            gatewayDoor,
            LOOPS,
            HeapShare.GATEWAY_RESPONSES,
            logged("gateway", handler)));
  }

  /** The settings; where they name no server, the echo API is it. */
  private Settings withUpstream() {
    Forwarding forwarding = settings.forwarding();
    return forwarding.upstreams().isEmpty() && forwarding.routes().isEmpty()
        ? settings.toBuilder().upstream(echo(vertx)).build()
        : settings;
  }

  private static URI echo(Vertx vertx) {
    return URI.create("http://127.0.0.1:" + await(EchoApi.open(vertx)).port());
  }

  private Listener openService(Arbiter arbiter, Bodies bodies) {
    Router routes = new Router().traced(trace);
    ServiceApi api = new ServiceApi(arbiter.at(FrontEnd.SERVICE), settings, bodies);
    vitals.reservations(api::reservations);
    api.addTo(routes);
    rls.addTo(routes);
    PageGuard pages = new PageGuard(settings, isLoopback(settings.bind()));
    HttpServerOptions options = Bounds.PEERS.at(settings.bind(), settings.service().port());
    return listening(
        "service",
        options,
        Listener.open(
            vertx,
            options,
            settings.service().tls().map(Settings.Tls::files),
            serviceDoor,
            LOOPS,
            HeapShare.SERVICE_RESPONSES,
            logged("service", rls.before(pages.before(serviceTokens.before(routes)), trace))));
  }

  private Door gatewayDoor() {
    Proxies trusted = new Proxies(settings.trustedProxies());
    return new Door(
        shares.gateway(),
        Bounds.STRANGERS.patience(),
        settings.edge().unfinishedShare(),
        trusted::trustsPeer,
        settings.edge().proxyProtocol() ? trusted::trustsPeer : anybody -> false);
  }

  private Door serviceDoor() {
    Proxies trusted = Proxies.LOOPBACK.and(settings.service().trustedPeers());
    return door(shares.service(), Bounds.PEERS, trusted);
  }

  /** As many of one address as heads. */
  private UnfinishedBodies unfinishedBodies() {
    Proxies trusted = Proxies.LOOPBACK.and(settings.service().trustedPeers());
    int most = Door.unfinished(shares.service(), settings.edge().unfinishedShare());
    return new UnfinishedBodies(trusted, () -> most);
  }

  private Door door(int most, Bounds bounds, Proxies proxies) {
    int share = settings.edge().unfinishedShare();
    return new Door(most, bounds.patience(), share, proxies::trustsPeer, anybody -> false);
  }

  private Door counted(String port, Door door) {
    vitals.connected(port, door::inside);
    return door;
  }

  private Listener openAdmin() {
    Router routes = new Router();
    adminApi.addTo(routes);
    HttpServerOptions options =
        Bounds.STRANGERS.at(settings.admin().bind(), settings.admin().port());
    options.setTracingPolicy(TracingPolicy.IGNORE); // who looks on is not looked at
    return listening(
        "admin",
        options,
        Listener.open(
            vertx, options, Optional.empty(), adminDoor, 1, HeapShare.ADMIN_RESPONSES, routes));
  }

  /** Where a kubelet or a balancer probes that cannot reach the admin port on loopback. */
  private Listener openHealth(int port) {
    Router routes = new Router();
    adminApi.addHealthTo(routes);
    HttpServerOptions options = Bounds.STRANGERS.at(settings.bind(), port);
    options.setTracingPolicy(TracingPolicy.IGNORE);
    int most = Math.min(MOST_PROBES, shares.admin());
    Door door = counted("health", door(most, Bounds.STRANGERS, Proxies.LOOPBACK));
    return listening(
        "health",
        options,
        Listener.open(
            vertx, options, Optional.empty(), door, 1, HeapShare.HEALTH_RESPONSES, routes));
  }

  private void tellPorts() {
    vitals.listens("gateway", gateway.port(), settings.gatewayTls().isPresent());
    vitals.listens("service", service.port(), settings.service().tls().isPresent());
    vitals.listens("admin", admin.port(), false);
  }

  private static Listener listening(
      String front, HttpServerOptions options, Future<Listener> listener) {
    try {
      return await(listener);
    } catch (CompletionException e) {
      throw new CouldNotStartException(
          "the %s cannot listen on %s:%d: %s"
              .formatted(front, options.getHost(), options.getPort(), why(e, front)),
          e.getCause());
    }
  }

  private static String why(CompletionException e, String front) {
    Throwable cause = e.getCause() == null ? e : e.getCause();
    String message = String.valueOf(cause.getMessage());
    if (!(cause instanceof IOException)) {
      return message; // not the system's words: the name of a file may be in it, say
    }
    // A BindException, or what the native transport has instead; the system's words are the same.
    if (message.contains("in use")) {
      return "the port is in use; choose another with --" + front + "-port, or 0 for any";
    }
    if (message.contains("ermission denied")) {
      return "no permission; ports below 1024 are for root, choose another";
    }
    if (message.contains("assign requested address")) {
      return "this machine has no such address";
    }
    return message;
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }

  /** Whatever hangs, the process ends. */
  private static void awaitAtMost(Duration longest, Future<?> future) {
    try {
      future
          .toCompletionStage()
          .toCompletableFuture()
          .get(longest.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.log(System.Logger.Level.WARNING, "not all connections could be closed in time");
    } catch (ExecutionException e) {
      throw new CompletionException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The gateway's port. */
  public int gatewayPort() {
    return gateway.port();
  }

  /** The port that the service listens on. */
  public int servicePort() {
    return service.port();
  }

  /** The admin port. */
  public int adminPort() {
    return admin.port();
  }

  /** The port of probes, if there is one. */
  public OptionalInt healthPort() {
    return health == null ? OptionalInt.empty() : OptionalInt.of(health.port());
  }

  /** Where buckets are kept. */
  public Store store() {
    return node.store();
  }

  /** The rules in force. */
  public RuleSet rules() {
    return node.rules();
  }

  /** Opens the access log anew, if there is one: after its file was moved away. */
  private void reopenLogs() {
    if (access != null) {
      access.reopen();
    }
  }

  /** How the process is. */
  public Vitals vitals() {
    return vitals;
  }

  /**
   * Reads rules and certificates again now, changed or not, and opens the access log anew. What is
   * wrong is logged, and what was in force stays. No connection ends, and no request waits.
   */
  public void reload() {
    reopenLogs();
    feed.reload();
    awaitAtMost(CLOSING, Future.join(gateway.renewCertificate(), service.renewCertificate()));
  }

  /**
   * Takes up what can change while it runs: the files of rules, the values of tokens that were
   * asked for before, how many may be connected, and how long a drain may take.
   *
   * @return whether the rules are those of the files that {@code next} names
   */
  public synchronized boolean adopt(Settings next) {
    if (settings.service().token().isPresent()) {
      next.service().token().ifPresent(token -> serviceTokens.replace(token.value()));
    }
    if (settings.admin().token().isPresent()) {
      next.admin().token().ifPresent(token -> adminApi.replaceToken(token.value()));
    }
    drain = next.drain();
    int unfinished = next.edge().unfinishedShare();
    Shares wanted = Shares.of(next.edge().maxConnections(), OpenFiles.most());
    gatewayDoor.resize(wanted.gateway(), unfinished);
    serviceDoor.resize(wanted.service(), unfinished);
    adminDoor.resize(wanted.admin(), unfinished);
    if (!next.rules().isEmpty() && !next.rules().equals(rulePaths) && feed.follow(next.rules())) {
      rulePaths = next.rules();
    }
    return next.rules().equals(rulePaths);
  }

  /**
   * Ends in an orderly way: says that it is not ready, listens no more for requests, lets those
   * under way come to an end for as long as the settings say, and closes everything.
   */
  public void drain() {
    vitals.ready(false);
    closing.after(
        () -> {
          rls.drain();
          Duration patience = drain;
          awaitAtMost(
              patience.plus(CLOSING),
              Future.join(gateway.drain(patience), service.drain(patience)));
        });
  }

  /** Closes everything at once. */
  @Override
  public void close() {
    vitals.ready(false);
    closing.all();
  }

  /** What a server is started with. */
  public static final class Builder {
    private final Settings settings;
    private @Nullable RuleFeed feed;
    private TimeSource time = TimeSource.system();
    private @Nullable Tracing tracing;
    private boolean isWatched = true;
    private boolean isWarmedUp;

    private Builder(Settings settings) {
      this.settings = settings;
    }

    /** Rules that a program made, instead of those that the settings name. */
    public Builder rules(RuleSet rules) {
      return rules(RuleFeed.of(rules));
    }

    /** Where rules come from; closed with the server. */
    public Builder rules(RuleFeed from) {
      feed = from;
      return this;
    }

    /** The clock of a store in this process; the system's unless set. */
    public Builder time(TimeSource source) {
      time = source;
      return this;
    }

    /** Who follows requests; whoever is found in the process unless set. */
    public Builder tracing(Tracing by) {
      tracing = by;
      return this;
    }

    /** Whether it is seen who is limited: see {@link Node.Builder#watched}. */
    public Builder watched(boolean isWatched) {
      this.isWatched = isWatched;
      return this;
    }

    /**
     * Whether it is only ready when requests of its own have loaded what the first ones need, which
     * takes {@link WarmUp#LONGEST} at most; it is ready at once unless set.
     */
    public Builder warmedUp(boolean isWarmedUp) {
      this.isWarmedUp = isWarmedUp;
      return this;
    }

    /**
     * Starts it; all fronts listen when this returns, and it is ready.
     *
     * @throws io.weir.rules.file.InvalidRulesException if the rules are wrong
     * @throws IllegalArgumentException if there is no such store
     * @throws CouldNotStartException if a port cannot be listened on, or the admin port would be
     *     open to others without a token
     */
    public Server start() {
      return new Server(this);
    }
  }
}
