package io.weir.server.gateway;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.TrustOptions;
import io.weir.TimeSource;
import io.weir.decision.DecisionEngine;
import io.weir.decision.DelayDetection;
import io.weir.rules.HeldCharge;
import io.weir.rules.RequestDecision;
import io.weir.rules.http.DecisionResponses;
import io.weir.rules.http.DirectResponse;
import io.weir.rules.http.Header;
import io.weir.rules.http.TrustedProxies;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.Forwarding;
import io.weir.server.ServerSettings;
import io.weir.server.access.AccessEntry;
import io.weir.server.access.AccessLog;
import io.weir.server.connection.EarlyResponder;
import io.weir.server.connection.HeapShare;
import io.weir.server.connection.TrustedAuthorities;
import io.weir.server.gateway.http1.HostResolver;
import io.weir.server.http.EventLoops;
import io.weir.server.http.HttpResponses;
import io.weir.server.http.RequestTrace;
import io.weir.server.traffic.GatewayTraffic;
import io.weir.server.traffic.StatusClass;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a request is allowed, then forwards it. Thread-safe; does not block, except for
 * the constructor, which reads files.
 *
 * <p>The decision is made before the body is read and before anything is sent upstream. A refused
 * request gets its response at once; a delayed one waits here.
 */
public final class Gateway implements Handler<HttpServerRequest> {
  private final GatewayTraffic<ProxyError> traffic = ProxyError.traffic();
  private final DecisionEngine decisionEngine;
  private final DecisionResponses decisionResponses;
  private final InboundHeadReader reader;
  private final ProxyOptions proxyOptions;
  private final RouteTable routeTable;
  private final DelayDetection delayDetection;
  private final GatewayDelayQueue gatewayDelayQueue;
  private final ThreadLocal<UpstreamPool> upstreamPools;

  /**
   * Forwards to the servers of the settings.
   *
   * @param loops the number of event loops that share the work
   * @throws io.weir.server.connection.UnusableTlsException if the file of certificate authorities
   *     cannot be used
   */
  public Gateway(
      Vertx vertx, DecisionEngine decisionEngine, ServerSettings serverSettings, int loops) {
    this(
        vertx,
        decisionEngine,
        serverSettings,
        loops,
        InetAddress::getAllByName,
        RouteTable.OUT,
        TimeSource.system().steady());
  }

  /**
   * {@link #Gateway(Vertx, DecisionEngine, ServerSettings, int)}.
   *
   * @param trace receives the events of requests; null for no tracing
   * @param access the access log; null for none
   * @param clock for elapsed times; without steps, see {@link TimeSource#steady}
   */
  public Gateway(
      Vertx vertx,
      DecisionEngine decisionEngine,
      ServerSettings serverSettings,
      int loops,
      @Nullable RequestTrace trace,
      @Nullable AccessLog access,
      TimeSource clock) {
    this(
        vertx,
        decisionEngine,
        serverSettings,
        loops,
        InetAddress::getAllByName,
        RouteTable.OUT,
        trace,
        access,
        clock);
  }

  /**
   * {@link #Gateway(Vertx, DecisionEngine, ServerSettings, int)}, for tests.
   *
   * @param lookup resolves host names
   * @param out how long a failing server is ejected
   * @param clock for elapsed times
   */
  Gateway(
      Vertx vertx,
      DecisionEngine decisionEngine,
      ServerSettings serverSettings,
      int loops,
      HostResolver.Lookup lookup,
      Duration out,
      TimeSource clock) {
    this(vertx, decisionEngine, serverSettings, loops, lookup, out, null, null, clock);
  }

  private Gateway(
      Vertx vertx,
      DecisionEngine decisionEngine,
      ServerSettings serverSettings,
      int loops,
      HostResolver.Lookup lookup,
      Duration out,
      @Nullable RequestTrace trace,
      @Nullable AccessLog access,
      TimeSource clock) {
    Forwarding forwarding = serverSettings.forwarding();
    Optional<TrustOptions> ca =
        forwarding.ca().map(file -> TrustedAuthorities.wellKnownAnd(vertx, file));
    RouteTable all = new RouteTable(forwarding, out, traffic, clock);
    this.decisionEngine = decisionEngine;
    this.decisionResponses = new DecisionResponses(serverSettings.headers());
    this.reader =
        new InboundHeadReader(
            new TrustedProxies(serverSettings.trustedProxies()),
            serverSettings.edge().encodedSlashes());
    this.proxyOptions =
        ProxyOptions.of(forwarding, decisionEngine::rules, traffic, trace, access, clock);
    this.routeTable = all;
    this.delayDetection = new DelayDetection(decisionEngine);
    this.gatewayDelayQueue =
        new GatewayDelayQueue(
            vertx, HeapShare.HELD_REQUESTS.bytes(), forwarding.clients().addressShare(), traffic);
    this.upstreamPools =
        ThreadLocal.withInitial(
            () -> new UpstreamPool(vertx, all, forwarding, ca, loops, lookup, clock));
  }

  /** The counters of this gateway. */
  public GatewayTraffic<?> traffic() {
    return traffic;
  }

  /** A responder that refuses requests before dispatch where possible. */
  public EarlyResponder earlyResponder() {
    return new EarlyRejection(
        decisionEngine,
        reader,
        decisionResponses,
        proxyOptions.cors(),
        delayDetection,
        traffic,
        proxyOptions.access());
  }

  @Override
  public void handle(HttpServerRequest request) {
    if (RequestBody.isPossible(request)) {
      request.pause();
    }
    HttpResponses.whenWritable(request, 0, () -> serve(request));
  }

  private void serve(HttpServerRequest request) {
    if (InboundRequest.isOfNoPath(request)) { // OPTIONS *, a ping that is not limited
      answered(request, 204);
      HttpResponses.send(request, new DirectResponse(204, List.of(), ""));
      return;
    }
    EarlyRejection.EarlyDecision earlyDecision = EarlyRejection.takeDecision(request);
    if (earlyDecision != null) {
      InboundRequest inboundRequest = new InboundRequest(request, earlyDecision.inboundHead());
      EventLoops.respond(
          request,
          earlyDecision.stage(),
          requestDecision -> apply(inboundRequest, requestDecision, null),
          status -> answered(request, status));
      return;
    }
    try {
      InboundHead inboundHead = reader.read(request);
      InboundRequest inboundRequest = new InboundRequest(request, inboundHead);
      if (delayDetection.arePossible()) {
        EventLoops.respond(
            request,
            decisionEngine.hold(inboundHead),
            heldCharge -> apply(inboundRequest, heldCharge.requestDecision(), heldCharge),
            status -> answered(request, status));
      } else {
        EventLoops.respond(
            request,
            decisionEngine.decide(inboundHead),
            requestDecision -> apply(inboundRequest, requestDecision, null),
            status -> answered(request, status));
      }
    } catch (MalformedRequestException e) {
      answered(request, 400);
      HttpResponses.sendMalformed(request, e);
    }
  }

  /** Counts a request that was not sent to a server. */
  private void answered(HttpServerRequest request, int status) {
    traffic.unasked().add(request.response().closed() ? StatusClass.NONE : StatusClass.of(status));
  }

  private void apply(
      InboundRequest inboundRequest,
      RequestDecision requestDecision,
      @Nullable HeldCharge heldCharge) {
    HttpServerRequest request = inboundRequest.request();
    log(inboundRequest, requestDecision);
    if (!requestDecision.allowed()) {
      refuse(
          request,
          decisionResponses.refusal(requestDecision, request.getHeader(HttpHeaders.ACCEPT)));
      return;
    }
    List<Header> limits = decisionResponses.headers(requestDecision);
    RouteTable.Group group = routeTable.find(inboundRequest);
    if (group == null) {
      List<Header> all = proxyOptions.cors().with(limits, request.getHeader(HttpHeaders.ORIGIN));
      traffic.errors().add(ProxyError.NO_ROUTE);
      answered(request, ProxyError.NO_ROUTE.status());
      HttpResponses.send(request, ProxyError.NO_ROUTE.response(request), all);
      return;
    }
    RequestTrace trace = proxyOptions.trace();
    String route = group.route();
    if (trace != null && route != null) {
      trace.routed(request, route);
    }
    ProxyExchange proxyExchange =
        new ProxyExchange(proxyOptions, upstreamPools.get(), group, inboundRequest, limits);
    if (heldCharge == null || requestDecision.delay().isZero()) {
      proxyExchange.begin();
    } else if (!gatewayDelayQueue.await(
        request, ClientIdentity.of(inboundRequest).address(), heldCharge, proxyExchange::begin)) {
      proxyExchange.refuse(ProxyError.BUSY);
    }
  }

  private void log(InboundRequest inboundRequest, RequestDecision requestDecision) {
    AccessLog access = proxyOptions.access();
    AccessEntry entry = access == null ? null : access.of(inboundRequest.request());
    if (entry != null) {
      EarlyRejection.describe(entry, inboundRequest.inboundHead(), requestDecision);
    }
  }

  private void refuse(HttpServerRequest request, DirectResponse refusal) {
    answered(request, refusal.status());
    String origin = proxyOptions.cors().isOn() ? request.getHeader(HttpHeaders.ORIGIN) : null;
    if (origin == null) {
      HttpResponses.send(request, refusal);
      return;
    }
    List<Header> all = proxyOptions.cors().with(refusal.headers(), origin);
    HttpResponses.send(request, new DirectResponse(refusal.status(), all, refusal.body()));
  }
}
