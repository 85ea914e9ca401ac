package io.weir.server.admin;

import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.POST;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.weir.StoreHealth;
import io.weir.decision.DecisionEngine;
import io.weir.insight.ActivityHistory;
import io.weir.insight.Insights;
import io.weir.rules.http.DirectResponse;
import io.weir.runtime.Node;
import io.weir.server.ServerSettings;
import io.weir.server.ServerStatus;
import io.weir.server.http.HttpResponses;
import io.weir.server.http.Router;
import io.weir.server.http.TokenAuth;
import io.weir.server.metrics.Scrape;
import java.util.function.Supplier;

/** The routes of the admin port. */
public final class AdminApi implements AutoCloseable {
  private final DecisionEngine decisionEngine;
  private final TokenAuth tokenAuth;
  private final AdminAuth adminAuth;
  private final HealthEndpoints health;
  private final MetricsEndpoint metrics;
  private final AuditLog audit;
  private final KeyEndpoints keys;
  private final CallerEndpoints callers;
  private final WhatIfEndpoint whatIf;
  private final Assets assets = new Assets();
  private final OverviewEndpoint overview;
  private final SeriesEndpoint series;
  private final ChangesEndpoint changes;
  private final EventsEndpoint eventsEndpoint;

  /**
   * Creates all pages.
   *
   * @param insights observes the node
   * @param listeners the most event streams at once
   */
  public AdminApi(
      Node node,
      Insights insights,
      ServerSettings serverSettings,
      ServerStatus serverStatus,
      int listeners) {
    this.decisionEngine = node.decisionEngine();
    ActivityHistory activityHistory = insights.activityHistory();
    Supplier<StoreHealth> store = node::health;
    ServerSettings.AdminPort port = serverSettings.admin();
    this.tokenAuth = new TokenAuth(port.token().map(ServerSettings.Secret::value));
    this.adminAuth = new AdminAuth(tokenAuth, port.bind());
    this.health = new HealthEndpoints(decisionEngine, serverStatus, store);
    this.metrics = new MetricsEndpoint(new Scrape(decisionEngine, serverStatus, store));
    this.audit = new AuditLog(decisionEngine::nowMillis);
    node.backgroundThread().eachSecond(audit::second);
    KeyReveal keyReveal = new KeyReveal(audit);
    this.keys = new KeyEndpoints(decisionEngine, insights, audit, keyReveal);
    this.callers = new CallerEndpoints(decisionEngine, insights, keyReveal);
    this.whatIf = new WhatIfEndpoint(decisionEngine, insights);
    this.overview =
        new OverviewEndpoint(
            decisionEngine, serverSettings, serverStatus, activityHistory, insights);
    this.series = new SeriesEndpoint(decisionEngine, activityHistory);
    this.changes = new ChangesEndpoint(activityHistory.changes());
    this.eventsEndpoint = new EventsEndpoint(activityHistory, insights, listeners);
  }

  /**
   * Requires another token from now on.
   *
   * @throws IllegalStateException if there was none
   */
  public void replaceToken(String token) {
    tokenAuth.replace(token);
  }

  /** Adds the pages for health probes, which need no token. */
  public void addHealthTo(Router router) {
    router
        .always(AdminResponses.ALWAYS)
        .on(GET, "/health/live", page(health::live))
        .on(GET, "/health/ready", page(health::ready));
  }

  /**
   * Adds its routes. Health pages need no token: probes have none, and the pages reveal little.
   * Neither do the files of the dashboard, which asks for the token itself.
   */
  public void addTo(Router router) {
    addHealthTo(router);
    router
        .on(GET, "/", adminAuth.openly(assets::page))
        .below(GET, Assets.PREFIX, adminAuth.openly(assets::file))
        .on(GET, "/openapi.yaml", guarded(page(AdminApi::description)))
        .on(GET, "/metrics", guarded(metrics::show))
        .on(
            GET,
            "/v1/rules",
            guarded(page(() -> AdminResponses.json(RulesEndpoint.page(decisionEngine.rules())))))
        .on(GET, "/v1/overview", guarded(overview::show))
        .on(GET, "/v1/series", guarded(series::show))
        .on(GET, "/v1/changes", guarded(page(changes::page)))
        .on(GET, "/v1/events", guarded(eventsEndpoint::listen))
        .on(GET, "/v1/top", guarded(callers::top))
        .on(GET, "/v1/callers", guarded(callers::caller))
        .on(GET, "/v1/what-if", guarded(whatIf::show))
        .on(GET, "/v1/keys", guarded(keys::look))
        .on(DELETE, "/v1/keys", guarded(keys::reset))
        .on(POST, "/v1/keys/grant", guarded(keys::grant));
  }

  /** How many event streams are open now. */
  int listeners() {
    return eventsEndpoint.listeners();
  }

  /** Ends the open event streams. */
  @Override
  public void close() {
    eventsEndpoint.close();
    audit.close();
  }

  private Handler<HttpServerRequest> guarded(Handler<HttpServerRequest> handler) {
    return adminAuth.before(handler);
  }

  private static Handler<HttpServerRequest> page(Supplier<DirectResponse> page) {
    return request -> HttpResponses.send(request, page.get());
  }

  private static DirectResponse description() {
    return AdminResponses.page("application/yaml", OpenApi.text());
  }
}
