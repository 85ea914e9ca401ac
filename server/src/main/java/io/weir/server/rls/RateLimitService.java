package io.weir.server.rls;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.weir.StoreUnavailableException;
import io.weir.TimeSource;
import io.weir.decision.DecisionEngine;
import io.weir.rules.envoy.DescriptorDecision;
import io.weir.rules.envoy.DescriptorRequest;
import io.weir.rules.http.TrustedProxies;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.ServerSettings;
import io.weir.server.access.DecisionLog;
import io.weir.server.grpc.GrpcCall;
import io.weir.server.grpc.GrpcException;
import io.weir.server.grpc.GrpcMethod;
import io.weir.server.grpc.GrpcServer;
import io.weir.server.grpc.GrpcStatus;
import io.weir.server.grpc.ProtoReader;
import io.weir.server.http.Bodies;
import io.weir.server.http.EventLoops;
import io.weir.server.http.RefundAuthorization;
import io.weir.server.http.RequestTrace;
import io.weir.server.http.Router;
import io.weir.server.http.TokenAuth;
import org.jspecify.annotations.Nullable;

/** Descriptors over gRPC and JSON. */
public final class RateLimitService {
  /** The name of the gRPC service that Envoy calls. */
  static final String NAME = "envoy.service.ratelimit.v3.RateLimitService";

  static final String UNAVAILABLE = "the store is unavailable";

  private static final String IN_DOUBT =
      "the store of the limits has not answered: it is unknown whether this was done; do not"
          + " repeat it";

  private final Bodies bodies;
  private final DecisionEngine decisionEngine;
  private final ResponseMapper responseMapper;
  private final NegativeHitsAuthorization negativeHitsAuthorization;
  private final TokenAuth tokenAuth;
  private final DecisionLog log;
  private final TimeSource clock;
  private final GrpcHealthService grpcHealthService = new GrpcHealthService();

  /** Accepts callers that {@code tokens} admits. */
  public RateLimitService(
      DecisionEngine decisionEngine,
      ServerSettings serverSettings,
      TokenAuth tokenAuth,
      Bodies bodies) {
    this(
        decisionEngine,
        serverSettings,
        tokenAuth,
        bodies,
        TrustedProxies.LOOPBACK,
        DecisionLog.NONE,
        TimeSource.system().steady());
  }

  /**
   * Serves calls with an admitted token, and logs the decisions.
   *
   * @param clock for elapsed times; without steps, see {@link TimeSource#steady}
   */
  public RateLimitService(
      DecisionEngine decisionEngine,
      ServerSettings serverSettings,
      TokenAuth tokenAuth,
      Bodies bodies,
      DecisionLog log,
      TimeSource clock) {
    this(decisionEngine, serverSettings, tokenAuth, bodies, TrustedProxies.LOOPBACK, log, clock);
  }

  /**
   * @param near peers that may refund without a token
   */
  RateLimitService(
      DecisionEngine decisionEngine,
      ServerSettings serverSettings,
      TokenAuth tokenAuth,
      Bodies bodies,
      TrustedProxies near) {
    this(
        decisionEngine,
        serverSettings,
        tokenAuth,
        bodies,
        near,
        DecisionLog.NONE,
        TimeSource.system().steady());
  }

  private RateLimitService(
      DecisionEngine decisionEngine,
      ServerSettings serverSettings,
      TokenAuth tokenAuth,
      Bodies bodies,
      TrustedProxies near,
      DecisionLog log,
      TimeSource clock) {
    this.clock = clock;
    this.log = log;
    this.bodies = bodies;
    this.decisionEngine = decisionEngine;
    this.responseMapper = new ResponseMapper(serverSettings);
    this.negativeHitsAuthorization =
        new NegativeHitsAuthorization(
            new RefundAuthorization(serverSettings.service().knowsCallers(), near));
    this.tokenAuth = tokenAuth;
  }

  /** Adds its routes for JSON. */
  public void addTo(Router router) {
    router.on(
        HttpMethod.POST,
        "/json",
        new JsonEndpoint(bodies, decisionEngine, responseMapper, negativeHitsAuthorization, log));
  }

  /** Handles gRPC calls, and passes everything else to {@code others}. */
  public Handler<HttpServerRequest> before(Handler<HttpServerRequest> others) {
    return before(others, null);
  }

  /**
   * {@link #before(Handler)}.
   *
   * @param trace receives reports of calls; null: calls are not reported
   */
  public Handler<HttpServerRequest> before(
      Handler<HttpServerRequest> others, @Nullable RequestTrace trace) {
    return server(others).traced(trace);
  }

  /** {@link #before}, with access to the message timeout. */
  GrpcServer server(Handler<HttpServerRequest> others) {
    GrpcServer server = new GrpcServer(tokenAuth::admits, others, bodies.unfinished()).clock(clock);
    server.on(NAME + "/ShouldRateLimit", GrpcMethod.one(this::shouldRateLimit));
    grpcHealthService.addTo(server);
    new GrpcReflectionService().addTo(server);
    return server;
  }

  /** Reports from now on that it serves. */
  public void ready() {
    grpcHealthService.ready();
  }

  /** Reports to health checks and watches from now on that it does not serve. */
  public void drain() {
    grpcHealthService.drain();
  }

  private void shouldRateLimit(GrpcCall call, ProtoReader message) {
    try {
      DescriptorRequest descriptorRequest = ProtoRequestReader.read(message);
      if (!negativeHitsAuthorization.isAllowed(call.request(), descriptorRequest)) {
        throw new GrpcException(
            GrpcStatus.PERMISSION_DENIED, NegativeHitsAuthorization.MUST_BE_KNOWN);
      }
      Future<DescriptorDecision> decision =
          EventLoops.on(Vertx.currentContext(), decisionEngine.decide(descriptorRequest));
      if (decision.succeeded()) {
        respond(call, descriptorRequest, decision.result());
      } else {
        decision
            .onSuccess(later -> respond(call, descriptorRequest, later))
            .onFailure(cause -> fail(call, cause));
      }
    } catch (MalformedRequestException e) {
      fail(call, e);
    }
  }

  private static void fail(GrpcCall call, Throwable thrown) {
    Throwable cause = EventLoops.cause(thrown);
    if (cause instanceof MalformedRequestException) {
      call.fail(GrpcStatus.INVALID_ARGUMENT, String.valueOf(cause.getMessage()));
    } else if (StoreUnavailableException.isUndone(cause)) {
      call.fail(GrpcStatus.UNAVAILABLE, UNAVAILABLE);
    } else if (cause instanceof StoreUnavailableException) {
      call.fail(GrpcStatus.UNKNOWN, IN_DOUBT); // many clients retry UNAVAILABLE
    } else {
      call.fail(cause);
    }
  }

  private void respond(
      GrpcCall call, DescriptorRequest descriptorRequest, DescriptorDecision decision) {
    if (call.isOver()) {
      return;
    }
    log.decided(call.request(), decision);
    try {
      call.requireInTime();
      if (decision.isError()) {
        throw new GrpcException(GrpcStatus.UNAVAILABLE, UNAVAILABLE);
      }
      call.respond(ProtoResponseWriter.write(responseMapper.reply(descriptorRequest, decision)));
    } catch (RuntimeException | StackOverflowError e) { // every call gets a response
      call.fail(e);
    }
  }
}
