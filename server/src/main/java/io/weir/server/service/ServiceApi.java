package io.weir.server.service;

import io.vertx.core.http.HttpMethod;
import io.weir.TimeSource;
import io.weir.decision.DecisionEngine;
import io.weir.rules.http.DecisionResponses;
import io.weir.rules.http.TrustedProxies;
import io.weir.server.ServerSettings;
import io.weir.server.access.DecisionLog;
import io.weir.server.connection.HeapShare;
import io.weir.server.http.Bodies;
import io.weir.server.http.RefundAuthorization;
import io.weir.server.http.Router;

/** The routes of the service port. */
public final class ServiceApi {
  /** At worst about a hundred megabytes of memory. */
  private static final int MAX_RESERVATIONS = 100_000;

  /** What is remembered of settled ones takes an eighth of it more. */
  private static final long MAX_RESERVED_BYTES = HeapShare.RESERVATIONS.bytes() / 9 * 8;

  private final CheckApi checkApi;
  private final ForwardAuthApi forwardAuthApi;
  private final ReservationApi reservationApi;
  private final Reservations reservations;

  /** The service for these settings. */
  public ServiceApi(DecisionEngine decisionEngine, ServerSettings serverSettings, Bodies bodies) {
    this(decisionEngine, serverSettings, bodies, TrustedProxies.LOOPBACK);
  }

  /**
   * The service for these settings, with a log of its decisions.
   *
   * @param clock for elapsed times; without steps, see {@link TimeSource#steady}
   */
  public ServiceApi(
      DecisionEngine decisionEngine,
      ServerSettings serverSettings,
      Bodies bodies,
      DecisionLog log,
      TimeSource clock) {
    this(decisionEngine, serverSettings, bodies, TrustedProxies.LOOPBACK, log, clock);
  }

  /**
   * @param near peers that are trusted without configuration
   */
  ServiceApi(
      DecisionEngine decisionEngine,
      ServerSettings serverSettings,
      Bodies bodies,
      TrustedProxies near) {
    this(
        decisionEngine,
        serverSettings,
        bodies,
        near,
        DecisionLog.NONE,
        TimeSource.system().steady());
  }

  private ServiceApi(
      DecisionEngine decisionEngine,
      ServerSettings serverSettings,
      Bodies bodies,
      TrustedProxies near,
      DecisionLog log,
      TimeSource clock) {
    DecisionResponses decisionResponses = new DecisionResponses(serverSettings.headers());
    CheckResponseWriter checkResponseWriter =
        new CheckResponseWriter(decisionResponses, decisionEngine::nowMillis, log);
    ServerSettings.ServicePort port = serverSettings.service();
    TrustedProxies trusted = near.and(port.trustedPeers());
    PathNormalizer pathNormalizer = new PathNormalizer(serverSettings.edge().encodedSlashes());
    checkApi = new CheckApi(bodies, decisionEngine, checkResponseWriter, pathNormalizer);
    ForwardedRequestReader forwardedRequestReader =
        new ForwardedRequestReader(trusted, port.token().isPresent(), pathNormalizer);
    forwardAuthApi =
        new ForwardAuthApi(decisionEngine, decisionResponses, trusted, forwardedRequestReader, log);
    RefundAuthorization refundAuthorization = new RefundAuthorization(port.knowsCallers(), near);
    reservations = new Reservations(MAX_RESERVATIONS, MAX_RESERVED_BYTES, clock::epochNanos);
    reservationApi =
        new ReservationApi(
            bodies,
            decisionEngine,
            checkResponseWriter,
            reservations,
            refundAuthorization,
            pathNormalizer);
  }

  /** How many reservations are open. */
  public int reservations() {
    return reservations.size();
  }

  /** Adds its routes. */
  public void addTo(Router router) {
    router
        .on(HttpMethod.POST, "/v1/check", checkApi::post)
        .on(HttpMethod.GET, "/v1/check", checkApi::get)
        .onAny("/v1/auth", forwardAuthApi::handle)
        .on(HttpMethod.POST, "/v1/reserve", reservationApi::reserve)
        .on(HttpMethod.POST, "/v1/commit", reservationApi::commit)
        .on(HttpMethod.POST, "/v1/refund", reservationApi::refund);
  }
}
