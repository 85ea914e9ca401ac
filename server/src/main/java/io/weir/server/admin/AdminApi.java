package io.weir.server.admin;

import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.POST;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.weir.StoreHealth;
import io.weir.arbiter.Arbiter;
import io.weir.node.Node;
import io.weir.rules.http.Answer;
import io.weir.seeing.Past;
import io.weir.seeing.Watch;
import io.weir.server.Settings;
import io.weir.server.Vitals;
import io.weir.server.http.Router;
import io.weir.server.http.Tokens;
import io.weir.server.metrics.Scrape;
import java.util.function.Supplier;

/** The routes of the admin port. */
public final class AdminApi implements AutoCloseable {
  private final Arbiter arbiter;
  private final Tokens tokens;
  private final Doorkeeper doorkeeper;
  private final HealthPages health;
  private final MetricsPage metrics;
  private final AuditLog audit;
  private final KeyPages keys;
  private final CallerPages callers;
  private final WhatIfPage whatIf;
  private final Assets assets = new Assets();
  private final OverviewPage overview;
  private final SeriesPage series;
  private final ChangesPage changes;
  private final Events events;

  /**
   * Creates all pages.
   *
   * @param listeners the most event streams at once
   */
  public AdminApi(Node node, Settings settings, Vitals vitals, int listeners) {
    this.arbiter = node.arbiter();
    Watch watch = node.watch();
    Past past = node.past();
    Supplier<StoreHealth> store = node::health;
    Settings.AdminPort port = settings.admin();
    this.tokens = new Tokens(port.token().map(Settings.Secret::value));
    this.doorkeeper = new Doorkeeper(tokens, port.bind());
    this.health = new HealthPages(arbiter, vitals, store);
    this.metrics = new MetricsPage(new Scrape(arbiter, vitals, store));
    this.audit = new AuditLog(arbiter::nowMillis);
    watch.watchman().eachSecond(audit::second);
    Reveal reveal = new Reveal(audit);
    this.keys = new KeyPages(arbiter, watch, audit, reveal);
    this.callers = new CallerPages(arbiter, watch, reveal);
    this.whatIf = new WhatIfPage(arbiter, watch);
    this.overview = new OverviewPage(arbiter, settings, vitals, past, watch);
    this.series = new SeriesPage(arbiter, past);
    this.changes = new ChangesPage(past.changes());
    this.events = new Events(past, watch, listeners);
  }

  /**
   * Requires another token from now on.
   *
   * @throws IllegalStateException if there was none
   */
  public void replaceToken(String token) {
    tokens.replace(token);
  }

  /** Adds the pages for health probes, which need no token. */
  public void addHealthTo(Router router) {
    router
        .always(Pages.ALWAYS)
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
        .on(GET, "/", doorkeeper.openly(assets::page))
        .below(GET, Assets.PREFIX, doorkeeper.openly(assets::file))
        .on(GET, "/openapi.yaml", guarded(page(AdminApi::description)))
        .on(GET, "/metrics", guarded(metrics::show))
        .on(GET, "/v1/rules", guarded(page(() -> Pages.json(RulePages.page(arbiter.rules())))))
        .on(GET, "/v1/overview", guarded(overview::show))
        .on(GET, "/v1/series", guarded(series::show))
        .on(GET, "/v1/changes", guarded(page(changes::page)))
        .on(GET, "/v1/events", guarded(events::listen))
        .on(GET, "/v1/top", guarded(callers::top))
        .on(GET, "/v1/callers", guarded(callers::caller))
        .on(GET, "/v1/what-if", guarded(whatIf::show))
        .on(GET, "/v1/keys", guarded(keys::look))
        .on(DELETE, "/v1/keys", guarded(keys::reset))
        .on(POST, "/v1/keys/grant", guarded(keys::grant));
  }

  /** How many event streams are open now. */
  int listeners() {
    return events.listeners();
  }

  /** Ends the open event streams. */
  @Override
  public void close() {
    events.close();
    audit.close();
  }

  private Handler<HttpServerRequest> guarded(Handler<HttpServerRequest> room) {
    return doorkeeper.before(room);
  }

  private static Handler<HttpServerRequest> page(Supplier<Answer> page) {
    return request -> Pages.send(request, page.get());
  }

  private static Answer description() {
    return Pages.page("application/yaml", OpenApi.text());
  }
}
