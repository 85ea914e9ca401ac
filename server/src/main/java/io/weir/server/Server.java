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
import io.weir.decision.DecisionEngine;
import io.weir.decision.FrontEnd;
import io.weir.decision.RuleSource;
import io.weir.insight.Insights;
import io.weir.rules.RuleSet;
import io.weir.rules.http.TrustedProxies;
import io.weir.runtime.Closer;
import io.weir.runtime.Node;
import io.weir.server.access.AccessLog;
import io.weir.server.access.DecisionLog;
import io.weir.server.admin.AdminApi;
import io.weir.server.connection.ConnectionLimiter;
import io.weir.server.connection.HeapShare;
import io.weir.server.connection.LimitingTransport;
import io.weir.server.connection.OpenFileLimit;
import io.weir.server.connection.ServerLimits;
import io.weir.server.connection.UnusableTlsException;
import io.weir.server.gateway.Gateway;
import io.weir.server.http.Bodies;
import io.weir.server.http.Listener;
import io.weir.server.http.RequestTrace;
import io.weir.server.http.Router;
import io.weir.server.http.TokenAuth;
import io.weir.server.http.UnfinishedBodies;
import io.weir.server.rls.RateLimitService;
import io.weir.server.service.BrowserRequestGuard;
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

/**
 * A Weir process with all its front ends: gateway, service and admin port. Thread-safe; starting,
 * reloading and closing block.
 */
public final class Server implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("io.weir.server");
  private static final Duration CLOSING = Duration.ofSeconds(3);
  private static final int MAX_LISTENERS = 64;
  private static final int MAX_PROBES = 64;
  private static final int LOOPS = Runtime.getRuntime().availableProcessors();

  private final ServerSettings serverSettings;
  private final RuleSource feed;
  private final ConnectionShares connectionShares;
  private final TokenAuth serviceTokens;
  private final Closer closer = new Closer();
  private final TimeSource clock;
  private final TimeSource steadyClock;
  private final Node node;
  private final ServerStatus serverStatus;
  private final @Nullable RequestTrace trace;
  private final @Nullable AccessLog access;
  private final Vertx vertx;
  private final RateLimitService rls;
  private final Listener gateway;
  private final Listener service;
  private final Listener admin;
  private final AdminApi adminApi;
  private final @Nullable Listener health;
  private final ConnectionLimiter gatewayLimiter;
  private final ConnectionLimiter serviceLimiter;
  private final ConnectionLimiter adminLimiter;
  private final UnfinishedBodies unfinishedBodies;
  private volatile Duration drain;
  private List<Path> rulePaths;

  private Server(Builder builder) {
    this.serverSettings = builder.serverSettings;
    this.clock = builder.clock;
    this.steadyClock = builder.clock.steady();
    this.drain = serverSettings.drain();
    this.rulePaths = serverSettings.rules();
    this.serviceTokens =
        new TokenAuth(serverSettings.service().token().map(ServerSettings.Secret::value));
    this.connectionShares =
        ConnectionShares.of(serverSettings.edge().maxConnections(), OpenFileLimit.get());
    requireTokenOffLoopback(serverSettings.admin());
    try {
      Tracing tracing = builder.tracing == null ? Tracing.ifPresent() : builder.tracing;
      this.feed = builder.feed == null ? feed(serverSettings) : builder.feed;
      Insights insights =
          builder.isInsightEnabled ? Insights.ofAllCallers() : Insights.withoutCallers();
      this.node = open(builder, feed, insights, tracing);
      closer.add(node::close);
      this.trace = tracing == null ? null : tracing.trace();
      this.serverStatus = new ServerStatus(node.reloadCounters());
      this.access = openAccess(node.decisionEngine());
      this.vertx = LimitingTransport.vertx(options(), tracing == null ? null : tracing.requests());
      closer.add(() -> awaitAtMost(CLOSING, vertx.close()));
      DecisionEngine decisionEngine = node.decisionEngine();
      this.gatewayLimiter = counted("gateway", gatewayLimiter());
      this.serviceLimiter = counted("service", serviceLimiter());
      this.adminLimiter =
          counted(
              "admin",
              limiter(connectionShares.admin(), ServerLimits.PUBLIC, TrustedProxies.LOOPBACK));
      this.gateway = openGateway(decisionEngine);
      this.unfinishedBodies = unfinishedBodies();
      Bodies bodies = new Bodies(unfinishedBodies);
      this.rls =
          new RateLimitService(
              decisionEngine.at(FrontEnd.SERVICE),
              serverSettings,
              serviceTokens,
              bodies,
              decisionLog(),
              steadyClock);
      this.service = openService(decisionEngine, bodies);
      int listeners = Math.max(1, Math.min(MAX_LISTENERS, connectionShares.admin() / 2));
      this.adminApi = new AdminApi(node, insights, serverSettings, serverStatus, listeners);
      closer.add(adminApi::close);
      this.admin = openAdmin();
      this.health =
          serverSettings.health().isEmpty() ? null : openHealth(serverSettings.health().getAsInt());
      reportPorts();
      if (builder.isWarmedUp) {
        new WarmUp(vertx, serverSettings, LOOPS, WarmUp.TIME_LIMIT, steadyClock).run(node.store());
      }
      rls.ready();
    } catch (RuntimeException | Error e) {
      closer.becauseOf(e);
      throw e;
    }
    serverStatus.ready(true);
  }

  /**
   * Opened before Vert.x is created, because the context data of requests must be registered
   * before.
   */
  private @Nullable AccessLog openAccess(DecisionEngine decisionEngine) {
    if (!serverSettings.access().isOn()) {
      return null;
    }
    try {
      AccessLog log =
          new AccessLog(serverSettings.access(), decisionEngine::nowMillis, steadyClock, trace);
      closer.add(log::close);
      serverStatus.droppedAccessLines(log::dropped);
      return log;
    } catch (IOException e) {
      throw new CouldNotStartException("--access-log cannot be written: " + e.getMessage(), e);
    }
  }

  private DecisionLog decisionLog() {
    return access == null ? DecisionLog.NONE : access;
  }

  private Handler<HttpServerRequest> logged(String port, Handler<HttpServerRequest> handler) {
    return access == null ? handler : access.before(port, handler);
  }

  private static Node open(
      Builder builder, RuleSource feed, Insights insights, @Nullable Tracing tracing) {
    ServerSettings serverSettings = builder.serverSettings;
    return Node.builder(feed)
        .store(serverSettings.store())
        .storeTimeout(serverSettings.storeTimeout())
        .data(serverSettings.data().orElse(null))
        .maxKeys(serverSettings.maxKeys())
        .descriptors(serverSettings.envoy().mode())
        .time(builder.time)
        .follower(tracing == null ? null : tracing.decisions())
        .observer(insights)
        .open();
  }

  private static RuleSource feed(ServerSettings serverSettings) {
    return serverSettings.rules().isEmpty()
        ? RuleSource.of(DemoRules.read())
        : RuleSource.of(serverSettings.rules());
  }

  /** Starts with the given rules; they are not reloaded. */
  public static Server start(ServerSettings serverSettings, RuleSet rules) {
    return builder(serverSettings).rules(rules).start();
  }

  /** Starts with the rules that the settings name. */
  public static Server start(ServerSettings serverSettings) {
    return builder(serverSettings).start();
  }

  /** A builder for a server with these settings. */
  public static Builder builder(ServerSettings serverSettings) {
    return new Builder(serverSettings);
  }

  private static void requireTokenOffLoopback(ServerSettings.AdminPort admin) {
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
    // No static files are served from disk, so no cache directory is needed.
    FileSystemOptions files =
        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false);
    return new VertxOptions()
        .setPreferNativeTransport(true)
        .setDisableTCCL(true) // setting the only class loader for each event costs time
        .setFileSystemOptions(files);
  }

  private Listener openGateway(DecisionEngine decisionEngine) {
    HttpServerOptions options =
        ServerLimits.PUBLIC.at(serverSettings.bind(), serverSettings.gateway());
    Gateway handler;
    try {
      handler =
          new Gateway(
              vertx,
              decisionEngine.at(FrontEnd.GATEWAY),
              withUpstream(),
              LOOPS,
              trace,
              access,
              steadyClock);
    } catch (UnusableTlsException e) {
      throw new CouldNotStartException("--upstream-ca: " + e.getMessage(), e);
    }
    serverStatus.gateway(handler.traffic());
    if (!decisionEngine.isFollowed()) { // tracing would not see what is decided before dispatch
      gatewayLimiter.with(handler.earlyResponder());
    }
    return listening(
        "gateway",
        options,
        Listener.open(
            vertx,
            options,
            serverSettings.gatewayTls().map(ServerSettings.Tls::files),
            gatewayLimiter,
            LOOPS,
            HeapShare.GATEWAY_RESPONSES,
            logged("gateway", handler)));
  }

  /** The settings; without upstreams, the echo API becomes the upstream. */
  private ServerSettings withUpstream() {
    Forwarding forwarding = serverSettings.forwarding();
    return forwarding.upstreams().isEmpty() && forwarding.routes().isEmpty()
        ? serverSettings.toBuilder().upstream(echo(vertx)).build()
        : serverSettings;
  }

  private static URI echo(Vertx vertx) {
    return URI.create("http://127.0.0.1:" + await(EchoApi.open(vertx)).port());
  }

  private Listener openService(DecisionEngine decisionEngine, Bodies bodies) {
    Router routes = new Router().traced(trace);
    ServiceApi api =
        new ServiceApi(
            decisionEngine.at(FrontEnd.SERVICE),
            serverSettings,
            bodies,
            decisionLog(),
            steadyClock);
    serverStatus.reservations(api::reservations);
    api.addTo(routes);
    rls.addTo(routes);
    BrowserRequestGuard browserRequestGuard =
        new BrowserRequestGuard(serverSettings, isLoopback(serverSettings.bind()));
    HttpServerOptions options =
        ServerLimits.PEERS.at(serverSettings.bind(), serverSettings.service().port());
    return listening(
        "service",
        options,
        Listener.open(
            vertx,
            options,
            serverSettings.service().tls().map(ServerSettings.Tls::files),
            serviceLimiter,
            LOOPS,
            HeapShare.SERVICE_RESPONSES,
            logged(
                "service",
                rls.before(browserRequestGuard.before(serviceTokens.before(routes)), trace))));
  }

  private ConnectionLimiter gatewayLimiter() {
    TrustedProxies trusted = new TrustedProxies(serverSettings.trustedProxies());
    return new ConnectionLimiter(
        connectionShares.gateway(),
        ServerLimits.PUBLIC.timeouts(),
        serverSettings.edge().unfinishedShare(),
        trusted::trustsPeer,
        serverSettings.edge().proxyProtocol() ? trusted::trustsPeer : address -> false,
        clock);
  }

  private ConnectionLimiter serviceLimiter() {
    TrustedProxies trusted = TrustedProxies.LOOPBACK.and(serverSettings.service().trustedPeers());
    return limiter(connectionShares.service(), ServerLimits.PEERS, trusted);
  }

  /** One address may have as many as heads. */
  private UnfinishedBodies unfinishedBodies() {
    TrustedProxies trusted = TrustedProxies.LOOPBACK.and(serverSettings.service().trustedPeers());
    int share = serverSettings.edge().unfinishedShare();
    int maxPerAddress = ConnectionLimiter.unfinished(connectionShares.service(), share);
    return new UnfinishedBodies(HeapShare.BODIES.kept(), trusted, maxPerAddress, share);
  }

  private ConnectionLimiter limiter(
      int maxConnections, ServerLimits serverLimits, TrustedProxies trustedProxies) {
    int share = serverSettings.edge().unfinishedShare();
    return new ConnectionLimiter(
        maxConnections,
        serverLimits.timeouts(),
        share,
        trustedProxies::trustsPeer,
        address -> false,
        clock);
  }

  private ConnectionLimiter counted(String port, ConnectionLimiter connectionLimiter) {
    serverStatus.connected(port, connectionLimiter::inside);
    return connectionLimiter;
  }

  private Listener openAdmin() {
    Router routes = new Router();
    adminApi.addTo(routes);
    HttpServerOptions options =
        ServerLimits.PUBLIC.at(serverSettings.admin().bind(), serverSettings.admin().port());
    options.setTracingPolicy(TracingPolicy.IGNORE); // admin requests are not traced
    return listening(
        "admin",
        options,
        Listener.open(
            vertx, options, Optional.empty(), adminLimiter, 1, HeapShare.ADMIN_RESPONSES, routes));
  }

  /**
   * Opens the port for kubelets and load balancers that cannot reach the admin port on loopback.
   */
  private Listener openHealth(int port) {
    Router routes = new Router();
    adminApi.addHealthTo(routes);
    HttpServerOptions options = ServerLimits.PUBLIC.at(serverSettings.bind(), port);
    options.setTracingPolicy(TracingPolicy.IGNORE);
    int maxConnections = Math.min(MAX_PROBES, connectionShares.admin());
    ConnectionLimiter connectionLimiter =
        counted("health", limiter(maxConnections, ServerLimits.PUBLIC, TrustedProxies.LOOPBACK));
    return listening(
        "health",
        options,
        Listener.open(
            vertx,
            options,
            Optional.empty(),
            connectionLimiter,
            1,
            HeapShare.HEALTH_RESPONSES,
            routes));
  }

  private void reportPorts() {
    serverStatus.listens("gateway", gateway.port(), serverSettings.gatewayTls().isPresent());
    serverStatus.listens("service", service.port(), serverSettings.service().tls().isPresent());
    serverStatus.listens("admin", admin.port(), false);
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
      return message; // not the system's message: it may contain a file name
    }
    // A BindException, or the native transport's equivalent; the system's message is the same.
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

  /** Waits for at most {@code timeout}: the process must end whatever hangs. */
  private static void awaitAtMost(Duration timeout, Future<?> future) {
    try {
      future
          .toCompletionStage()
          .toCompletableFuture()
          .get(timeout.toMillis(), TimeUnit.MILLISECONDS);
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

  /** The service's port. */
  public int servicePort() {
    return service.port();
  }

  /** The admin port. */
  public int adminPort() {
    return admin.port();
  }

  /** The health port, if there is one. */
  public OptionalInt healthPort() {
    return health == null ? OptionalInt.empty() : OptionalInt.of(health.port());
  }

  /** The store of the buckets. */
  public Store store() {
    return node.store();
  }

  /** The rules in force. */
  public RuleSet rules() {
    return node.rules();
  }

  /** Reopens the access log, if there is one, after its file was moved away. */
  private void reopenLogs() {
    if (access != null) {
      access.reopen();
    }
  }

  /** The status of the process. */
  public ServerStatus serverStatus() {
    return serverStatus;
  }

  /**
   * Reloads rules and certificates now, whether changed or not, and reopens the access log. Errors
   * are logged, and the previous rules or certificate stay in force. No connection is closed and no
   * request is delayed.
   */
  public void reload() {
    reopenLogs();
    feed.reload();
    awaitAtMost(CLOSING, Future.join(gateway.renewCertificate(), service.renewCertificate()));
  }

  /**
   * Applies the settings that can change at run time: the rule files, the values of configured
   * tokens, the connection limits, the drain timeout and the share of requests in the access log.
   *
   * @return whether the rules in force come from the files that {@code next} names
   */
  public synchronized boolean adopt(ServerSettings next) {
    if (serverSettings.service().token().isPresent()) {
      next.service().token().ifPresent(token -> serviceTokens.replace(token.value()));
    }
    if (serverSettings.admin().token().isPresent()) {
      next.admin().token().ifPresent(token -> adminApi.replaceToken(token.value()));
    }
    drain = next.drain();
    if (access != null) {
      access.sample(next.access().percent());
    }
    int unfinished = next.edge().unfinishedShare();
    ConnectionShares wanted =
        ConnectionShares.of(next.edge().maxConnections(), OpenFileLimit.get());
    gatewayLimiter.resize(wanted.gateway(), unfinished);
    serviceLimiter.resize(wanted.service(), unfinished);
    unfinishedBodies.resize(ConnectionLimiter.unfinished(wanted.service(), unfinished), unfinished);
    adminLimiter.resize(wanted.admin(), unfinished);
    if (!next.rules().isEmpty() && !next.rules().equals(rulePaths) && feed.follow(next.rules())) {
      rulePaths = next.rules();
    }
    return next.rules().equals(rulePaths);
  }

  /**
   * Shuts down gracefully: reports that it is not ready, accepts no more requests, waits for open
   * requests for at most the drain timeout, and closes everything. Blocks until then.
   */
  public void drain() {
    serverStatus.ready(false);
    closer.after(
        () -> {
          rls.drain();
          Duration timeout = drain;
          awaitAtMost(
              timeout.plus(CLOSING), Future.join(gateway.drain(timeout), service.drain(timeout)));
        });
  }

  /** Closes everything at once. */
  @Override
  public void close() {
    serverStatus.ready(false);
    closer.all();
  }

  /** Builds a server. Not thread-safe. */
  public static final class Builder {
    private final ServerSettings serverSettings;
    private @Nullable RuleSource feed;
    private TimeSource time = TimeSource.system();
    private TimeSource clock = TimeSource.system();
    private @Nullable Tracing tracing;
    private boolean isInsightEnabled = true;
    private boolean isWarmedUp;

    private Builder(ServerSettings serverSettings) {
      this.serverSettings = serverSettings;
    }

    /** Uses these rules instead of those that the settings name. */
    public Builder rules(RuleSet rules) {
      return rules(RuleSource.of(rules));
    }

    /** The source of the rules; closed with the server. */
    public Builder rules(RuleSource from) {
      feed = from;
      return this;
    }

    /** The clock of a local store; the system's by default. */
    public Builder time(TimeSource source) {
      time = source;
      return this;
    }

    /**
     * The clock of timeouts, of durations in the access log and of the dates of certificates; the
     * system's by default.
     */
    public Builder clock(TimeSource source) {
      clock = source;
      return this;
    }

    /** Where spans are reported; an OpenTelemetry agent or SDK in the process by default. */
    public Builder tracing(Tracing by) {
      tracing = by;
      return this;
    }

    /** Whether callers are counted and recorded for the dashboard; the default is yes. */
    public Builder watched(boolean isInsightEnabled) {
      this.isInsightEnabled = isInsightEnabled;
      return this;
    }

    /**
     * Whether the server becomes ready only after its own warm-up requests have loaded the classes
     * for the first requests, which takes {@link WarmUp#LONGEST} at most. By default it is ready at
     * once.
     */
    public Builder warmedUp(boolean isWarmedUp) {
      this.isWarmedUp = isWarmedUp;
      return this;
    }

    /**
     * Starts the server. When this returns, all front ends are listening and the server is ready.
     *
     * @throws io.weir.rules.file.InvalidRulesException if the rules are invalid
     * @throws IllegalArgumentException if the store does not exist
     * @throws CouldNotStartException if a port is not available, or if the admin port would be
     *     reachable from other machines without a token
     */
    public Server start() {
      return new Server(this);
    }
  }
}
