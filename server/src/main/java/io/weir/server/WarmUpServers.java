package io.weir.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.tracing.TracingPolicy;
import io.weir.Store;
import io.weir.decision.DecisionCounters;
import io.weir.decision.DecisionEngine;
import io.weir.insight.Insights;
import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleSet;
import io.weir.rules.file.InvalidRulesException;
import io.weir.rules.file.Reading;
import io.weir.rules.file.RuleFiles;
import io.weir.server.connection.ConnectionLimiter;
import io.weir.server.connection.HeapShare;
import io.weir.server.connection.ServerLimits;
import io.weir.server.gateway.Gateway;
import io.weir.server.http.Bodies;
import io.weir.server.http.Listener;
import io.weir.server.http.Router;
import io.weir.server.http.TokenAuth;
import io.weir.server.rls.RateLimitService;
import io.weir.server.service.BrowserRequestGuard;
import io.weir.server.service.ServiceApi;
import java.net.InetAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The servers for warm-up requests: copies of the gateway and the service, on the event loops that
 * serve later, but on free ports of loopback. They have rules, buckets, counters and an upstream of
 * their own. So warm-up requests are not counted, recorded or charged anywhere, and a client that
 * finds these ports cannot reach the limits of the node.
 */
final class WarmUpServers {
  /** The path, and the key of a descriptor, that are always refused. */
  static final String REFUSED = "refused";

  static final String DOMAIN = "warm-up";

  private static final String RULES =
      """
      attributes: { api_key: { header: X-API-Key }, client: { first_of: [api_key, ip] } }
      rules:
        - { name: client, per: client, limit: { rate: 1000000 per second } }
        - { name: window, match: { path: /** }, per: ip, limit: { algorithm: fixed-window, rate: 1000000 per second } }
        - { name: sliding, per: ip, limit: { algorithm: sliding-window, rate: 1000000 per second } }
        - { name: none, match: { path: /refused }, limit: 0 per hour }
      """;

  private static final String DESCRIPTORS =
      """
      domain: warm-up
      descriptors:
        - { key: client, rate_limit: { unit: second, requests_per_unit: 1000000 } }
        - { key: refused, rate_limit: { unit: hour, requests_per_unit: 0 } }
      """;

  private final Vertx vertx;
  private final int loops;
  private final Insights insights = Insights.ofAllCallers();
  private final Listeners opened = new Listeners();

  WarmUpServers(Vertx vertx, int loops) {
    this.vertx = vertx;
    this.loops = loops;
  }

  Future<Listener> service(ServerSettings serverSettings) {
    ServerSettings open = open(serverSettings);
    Bodies bodies = new Bodies(HeapShare.BODIES.kept());
    TokenAuth none = new TokenAuth(Optional.empty());
    RateLimitService rls = new RateLimitService(arbiter(DESCRIPTORS), open, none, bodies);
    Router routes = new Router();
    new ServiceApi(arbiter(RULES), open, bodies).addTo(routes);
    rls.addTo(routes);
    return listen(
        ServerLimits.PEERS,
        serverSettings.service().tls(),
        new ConnectionLimiter(),
        rls.before(new BrowserRequestGuard(open, true).before(none.before(routes))));
  }

  Future<Listener> gateway(ServerSettings serverSettings) {
    return EchoApi.open(vertx)
        .compose(
            echo -> {
              opened.add(echo);
              URI upstream = URI.create("http://127.0.0.1:" + echo.port());
              ServerSettings open = open(serverSettings).toBuilder().upstream(upstream).build();
              Gateway handler = new Gateway(vertx, arbiter(RULES), open, loops);
              return listen(
                  ServerLimits.PUBLIC,
                  serverSettings.gatewayTls(),
                  new ConnectionLimiter().with(handler.earlyResponder()),
                  handler);
            });
  }

  private static ServerSettings open(ServerSettings serverSettings) {
    return ServerSettings.DEMO.onFreePorts().toBuilder().headers(serverSettings.headers()).build();
  }

  private DecisionEngine arbiter(String rules) {
    RequestLimiter limiter =
        RequestLimiter.builder(read(rules)).store(Store.memory()).maxKeys(16).build();
    return new DecisionEngine(limiter, new DecisionCounters(insights.decisionListener()));
  }

  private static RuleSet read(String rules) {
    Reading reading = RuleFiles.read("(warm-up)", rules.getBytes(UTF_8));
    return reading.rules().orElseThrow(() -> new InvalidRulesException(reading.problems()));
  }

  private Future<Listener> listen(
      ServerLimits serverLimits,
      Optional<ServerSettings.Tls> tls,
      ConnectionLimiter connectionLimiter,
      Handler<HttpServerRequest> handler) {
    HttpServerOptions clear = serverLimits.at(InetAddress.getLoopbackAddress().getHostAddress(), 0);
    HttpServerOptions options =
        tls.map(ServerSettings.Tls::files).map(t -> t.openTo(clear)).orElse(clear);
    options.setTracingPolicy(TracingPolicy.IGNORE);
    return Listener.open(
            vertx,
            options,
            Optional.empty(),
            connectionLimiter,
            loops,
            HeapShare.OTHER_RESPONSES,
            handler)
        .onSuccess(opened::add);
  }

  /** Closes the servers without waiting for it. */
  void close() {
    opened.closeAll();
    insights.close();
  }

  /** Listeners that can be opened while others are being closed. */
  private static final class Listeners {
    private final List<Listener> all = new ArrayList<>();
    private boolean isClosed;

    synchronized void add(Listener listener) {
      if (isClosed) {
        close(listener);
      } else {
        all.add(listener);
      }
    }

    synchronized void closeAll() {
      isClosed = true;
      all.forEach(Listeners::close);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the end of the process closes it too
    private static void close(Listener listener) {
      listener.close();
    }
  }
}
