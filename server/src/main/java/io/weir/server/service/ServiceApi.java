package io.weir.server.service;

import io.vertx.core.http.HttpMethod;
import io.weir.arbiter.Arbiter;
import io.weir.rules.http.Answers;
import io.weir.rules.http.Proxies;
import io.weir.server.Settings;
import io.weir.server.access.DecisionLog;
import io.weir.server.http.Bodies;
import io.weir.server.http.Callers;
import io.weir.server.http.HeapShare;
import io.weir.server.http.Router;

/** The routes of the service port. */
public final class ServiceApi {
  /** At worst about a hundred megabytes of memory. */
  private static final int MOST_RESERVATIONS = 100_000;

  /** What is remembered of settled ones takes an eighth of it more. */
  private static final long MOST_RESERVED_BYTES = HeapShare.RESERVATIONS.bytes() / 9 * 8;

  private final Checks checks;
  private final Gatekeeper gatekeeper;
  private final Afterwards afterwards;
  private final Reservations reservations;

  /** The service for these settings. */
  public ServiceApi(Arbiter arbiter, Settings settings, Bodies bodies) {
    this(arbiter, settings, bodies, Proxies.LOOPBACK, DecisionLog.NONE);
  }

  /** The service of these settings, whose decisions are noted. */
  public ServiceApi(Arbiter arbiter, Settings settings, Bodies bodies, DecisionLog log) {
    this(arbiter, settings, bodies, Proxies.LOOPBACK, log);
  }

  /**
   * @param near peers that are trusted without configuration
   */
  ServiceApi(Arbiter arbiter, Settings settings, Bodies bodies, Proxies near) {
    this(arbiter, settings, bodies, near, DecisionLog.NONE);
  }

  private ServiceApi(
      Arbiter arbiter, Settings settings, Bodies bodies, Proxies near, DecisionLog log) {
    Answers answers = new Answers(settings.headers());
    Findings findings = new Findings(answers, arbiter::nowMillis, log);
    Settings.ServicePort port = settings.service();
    Proxies trusted = near.and(port.trustedPeers());
    Paths paths = new Paths(settings.edge().encodedSlashes());
    checks = new Checks(bodies, arbiter, findings, paths);
    Originals originals = new Originals(trusted, port.token().isPresent(), paths);
    gatekeeper = new Gatekeeper(arbiter, answers, trusted, originals, log);
    Callers callers = new Callers(port.knowsCallers(), near);
    reservations = new Reservations(MOST_RESERVATIONS, MOST_RESERVED_BYTES, System::nanoTime);
    afterwards = new Afterwards(bodies, arbiter, findings, reservations, callers, paths);
  }

  /** How many reservations are open. */
  public int reservations() {
    return reservations.size();
  }

  /** Adds its routes. */
  public void addTo(Router router) {
    router
        .on(HttpMethod.POST, "/v1/check", checks::post)
        .on(HttpMethod.GET, "/v1/check", checks::get)
        .onAny("/v1/auth", gatekeeper::ask)
        .on(HttpMethod.POST, "/v1/reserve", afterwards::reserve)
        .on(HttpMethod.POST, "/v1/commit", afterwards::commit)
        .on(HttpMethod.POST, "/v1/refund", afterwards::refund);
  }
}
