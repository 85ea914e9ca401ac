package io.weir.server.rls;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.weir.decision.DecisionEngine;
import io.weir.rules.envoy.DescriptorDecision;
import io.weir.rules.envoy.DescriptorRequest;
import io.weir.rules.http.Header;
import io.weir.server.access.DecisionLog;
import io.weir.server.grpc.GrpcServer;
import io.weir.server.http.Bodies;
import io.weir.server.http.EventLoops;
import io.weir.server.http.HttpResponses;
import java.util.List;

/** {@code POST /json}: the rate limit service for clients without gRPC. */
final class JsonEndpoint implements Handler<HttpServerRequest> {
  private final Bodies bodies;
  private final DecisionEngine decisionEngine;
  private final ResponseMapper responseMapper;
  private final NegativeHitsAuthorization negativeHitsAuthorization;
  private final DecisionLog log;

  JsonEndpoint(
      Bodies bodies,
      DecisionEngine decisionEngine,
      ResponseMapper responseMapper,
      NegativeHitsAuthorization negativeHitsAuthorization,
      DecisionLog log) {
    this.log = log;
    this.bodies = bodies;
    this.decisionEngine = decisionEngine;
    this.responseMapper = responseMapper;
    this.negativeHitsAuthorization = negativeHitsAuthorization;
  }

  @Override
  public void handle(HttpServerRequest request) {
    bodies.read(request, GrpcServer.MAX_MESSAGE_BYTES, body -> decide(request, body));
  }

  private void decide(HttpServerRequest request, Buffer body) {
    DescriptorRequest descriptorRequest = JsonRequestReader.read(body.getBytes());
    if (negativeHitsAuthorization.isAllowed(request, descriptorRequest)) {
      EventLoops.respond(
          request,
          decisionEngine.decide(descriptorRequest),
          decision -> respond(request, descriptorRequest, decision));
    } else {
      HttpResponses.send(
          request, HttpResponses.error(403, "forbidden", NegativeHitsAuthorization.MUST_BE_KNOWN));
    }
  }

  private void respond(
      HttpServerRequest request, DescriptorRequest descriptorRequest, DescriptorDecision decision) {
    log.decided(request, decision);
    if (decision.isError()) {
      HttpResponses.send(
          request,
          HttpResponses.error(503, "limiter_unavailable", RateLimitService.UNAVAILABLE),
          List.of(new Header("Retry-After", "1")));
      return;
    }
    RlsResponse rlsResponse = responseMapper.reply(descriptorRequest, decision);
    HttpResponses.send(
        request,
        HttpResponses.json(rlsResponse.isOver() ? 429 : 200, JsonResponseWriter.write(rlsResponse)),
        rlsResponse.headers());
  }
}
