package io.weir.server.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.util.Attribute;
import io.netty.util.AttributeKey;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.impl.ConnectionBase;
import io.weir.decision.DecisionEngine;
import io.weir.decision.DelayDetection;
import io.weir.rules.RequestDecision;
import io.weir.rules.http.Cors;
import io.weir.rules.http.DecisionResponses;
import io.weir.rules.http.DirectResponse;
import io.weir.rules.match.Address;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.access.AccessEntry;
import io.weir.server.access.AccessLog;
import io.weir.server.connection.EarlyResponder;
import io.weir.server.http.PeerAddress;
import io.weir.server.traffic.GatewayTraffic;
import io.weir.server.traffic.StatusClass;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Decides requests before dispatch, and refuses them there.
 *
 * <p>Dispatching a request and encoding its response are most of the cost of a refusal. A request
 * that is not refused here is dispatched together with its decision, so that nothing is charged
 * twice. Unusual requests are dispatched undecided and get the same decision later. So do all
 * requests if tracing is on, because spans begin after dispatch.
 */
final class EarlyRejection implements EarlyResponder {
  private static final AttributeKey<EarlyDecision> JUDGED =
      AttributeKey.valueOf(EarlyRejection.class, "decision");

  private final DecisionEngine decisionEngine;
  private final InboundHeadReader reader;
  private final DecisionResponses decisionResponses;
  private final Cors cors;
  private final DelayDetection delayDetection;
  private final GatewayTraffic<?> traffic;
  private final @Nullable AccessLog access;

  EarlyRejection(
      DecisionEngine decisionEngine,
      InboundHeadReader reader,
      DecisionResponses decisionResponses,
      Cors cors,
      DelayDetection delayDetection,
      GatewayTraffic<?> traffic,
      @Nullable AccessLog access) {
    this.decisionEngine = decisionEngine;
    this.reader = reader;
    this.decisionResponses = decisionResponses;
    this.cors = cors;
    this.delayDetection = delayDetection;
    this.traffic = traffic;
    this.access = access;
  }

  @Override
  public @Nullable ByteBuf respond(Channel connection, HttpRequest request) {
    Address peer = PeerAddress.known(connection);
    if (peer == null
        || delayDetection.arePossible()
        || !(request.headers() instanceof MultiMap headers)) {
      return null;
    }
    EarlyDecision earlyDecision;
    try {
      InboundHead inboundHead = reader.read(request, headers, peer);
      earlyDecision = new EarlyDecision(inboundHead, decisionEngine.decide(inboundHead));
    } catch (MalformedRequestException e) {
      return null;
    }
    Attribute<EarlyDecision> slot = connection.attr(JUDGED);
    slot.set(earlyDecision); // from here on, no second decision may charge the request again
    RequestDecision requestDecision = earlyDecision.now();
    boolean isOfPage = cors.isOn() && headers.contains(HttpHeaders.ORIGIN);
    if (requestDecision == null || requestDecision.allowed() || isOfPage) {
      return null;
    }
    DirectResponse refusal =
        decisionResponses.refusal(requestDecision, headers.get(HttpHeaders.ACCEPT));
    byte[] bytes = refusal.http1();
    ByteBuf encoded = connection.alloc().ioBuffer(bytes.length).writeBytes(bytes);
    slot.set(null);
    traffic.unasked().add(StatusClass.of(refusal.status()));
    if (access != null) {
      log(access, earlyDecision.inboundHead(), requestDecision, refusal);
    }
    return encoded;
  }

  private static void log(
      AccessLog access,
      InboundHead inboundHead,
      RequestDecision requestDecision,
      DirectResponse refusal) {
    AccessEntry entry =
        access.early(
            "gateway",
            inboundHead.method(),
            inboundHead.target(),
            inboundHead.host(),
            inboundHead.headers());
    if (entry != null) {
      describe(entry, inboundHead, requestDecision);
      access.end(entry, refusal.status(), refusal.body().length());
    }
  }

  /** Adds the client and the decision to an entry of the access log. */
  static void describe(
      AccessEntry entry, InboundHead inboundHead, RequestDecision requestDecision) {
    entry.client(inboundHead.client());
    entry.decided(requestDecision);
  }

  /** Takes the early decision of a request; null if there is none. */
  @SuppressWarnings("ReferenceEquality") // identity is meant
  static @Nullable EarlyDecision takeDecision(HttpServerRequest request) {
    if (!(request.connection() instanceof ConnectionBase base)) {
      return null;
    }
    Attribute<EarlyDecision> slot = base.channel().attr(JUDGED);
    EarlyDecision earlyDecision = slot.get();
    if (earlyDecision == null || earlyDecision.inboundHead.headers() != request.headers()) {
      return null;
    }
    slot.set(null); // an idle connection must not retain the request
    return earlyDecision;
  }

  /** A request and its decision. */
  record EarlyDecision(InboundHead inboundHead, CompletionStage<RequestDecision> stage) {
    /** The decision, if it is complete. */
    @Nullable RequestDecision now() {
      CompletableFuture<RequestDecision> future = stage.toCompletableFuture();
      return future.isDone() && !future.isCompletedExceptionally() ? future.join() : null;
    }
  }
}
