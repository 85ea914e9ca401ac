package io.weir.server.rls;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.weir.StoreUnavailableException;
import io.weir.arbiter.Arbiter;
import io.weir.rules.DescriptorQuestion;
import io.weir.rules.DescriptorRuling;
import io.weir.rules.http.Proxies;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.Settings;
import io.weir.server.access.DecisionLog;
import io.weir.server.grpc.GrpcCall;
import io.weir.server.grpc.GrpcException;
import io.weir.server.grpc.GrpcMethod;
import io.weir.server.grpc.GrpcServer;
import io.weir.server.grpc.GrpcStatus;
import io.weir.server.grpc.ProtoReader;
import io.weir.server.http.Bodies;
import io.weir.server.http.Callers;
import io.weir.server.http.Later;
import io.weir.server.http.RequestTrace;
import io.weir.server.http.Router;
import io.weir.server.http.Tokens;
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
  private final Arbiter arbiter;
  private final Replier replier;
  private final Peers peers;
  private final Tokens tokens;
  private final DecisionLog log;
  private final Health health = new Health();

  /** Accepts callers that {@code tokens} admits. */
  public RateLimitService(Arbiter arbiter, Settings settings, Tokens tokens, Bodies bodies) {
    this(arbiter, settings, tokens, bodies, Proxies.LOOPBACK, DecisionLog.NONE);
  }

  /** Answers those whom {@code tokens} admits, and notes what was decided. */
  public RateLimitService(
      Arbiter arbiter, Settings settings, Tokens tokens, Bodies bodies, DecisionLog log) {
    this(arbiter, settings, tokens, bodies, Proxies.LOOPBACK, log);
  }

  /**
   * @param near peers that may refund without a token
   */
  RateLimitService(Arbiter arbiter, Settings settings, Tokens tokens, Bodies bodies, Proxies near) {
    this(arbiter, settings, tokens, bodies, near, DecisionLog.NONE);
  }

  private RateLimitService(
      Arbiter arbiter,
      Settings settings,
      Tokens tokens,
      Bodies bodies,
      Proxies near,
      DecisionLog log) {
    this.log = log;
    this.bodies = bodies;
    this.arbiter = arbiter;
    this.replier = new Replier(settings);
    this.peers = new Peers(new Callers(settings.service().knowsCallers(), near));
    this.tokens = tokens;
  }

  /** Adds its routes for JSON. */
  public void addTo(Router router) {
    router.on(HttpMethod.POST, "/json", new JsonTwin(bodies, arbiter, replier, peers, log));
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
    GrpcServer server = new GrpcServer(tokens::admits, others, bodies.halfSent());
    server.on(NAME + "/ShouldRateLimit", GrpcMethod.one(this::shouldRateLimit));
    health.addTo(server);
    new Reflection().addTo(server);
    return server;
  }

  /** Reports from now on that it serves. */
  public void ready() {
    health.ready();
  }

  /** Reports to health checks and watches from now on that it does not serve. */
  public void drain() {
    health.drain();
  }

  private void shouldRateLimit(GrpcCall call, ProtoReader message) {
    try {
      DescriptorQuestion question = ProtoQuestion.read(message);
      if (!peers.mayAsk(call.request(), question)) {
        throw new GrpcException(GrpcStatus.PERMISSION_DENIED, Peers.MUST_BE_KNOWN);
      }
      Future<DescriptorRuling> ruling = Later.on(Vertx.currentContext(), arbiter.decide(question));
      if (ruling.succeeded()) {
        answer(call, question, ruling.result());
      } else {
        ruling
            .onSuccess(later -> answer(call, question, later))
            .onFailure(cause -> fail(call, cause));
      }
    } catch (MalformedRequestException e) {
      fail(call, e);
    }
  }

  private static void fail(GrpcCall call, Throwable thrown) {
    Throwable cause = Later.cause(thrown);
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

  private void answer(GrpcCall call, DescriptorQuestion question, DescriptorRuling ruling) {
    if (call.isOver()) {
      return;
    }
    log.decided(call.request(), ruling);
    try {
      call.requireInTime();
      if (ruling.isError()) {
        throw new GrpcException(GrpcStatus.UNAVAILABLE, UNAVAILABLE);
      }
      call.answer(ProtoReply.write(replier.reply(question, ruling)));
    } catch (RuntimeException | StackOverflowError e) { // every call gets a response
      call.fail(e);
    }
  }
}
