package io.weir.server.service;

import io.vertx.core.http.HttpServerRequest;
import io.weir.decision.DecisionEngine;
import io.weir.logs.RateLimitedLog;
import io.weir.rules.RequestDecision;
import io.weir.rules.http.DecisionResponses;
import io.weir.rules.http.DirectResponse;
import io.weir.rules.http.Header;
import io.weir.rules.http.Query;
import io.weir.rules.http.TrustedProxies;
import io.weir.rules.match.Address;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.access.DecisionLog;
import io.weir.server.http.CountParser;
import io.weir.server.http.EventLoops;
import io.weir.server.http.HttpResponses;
import io.weir.server.http.PeerAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code /v1/auth}: a proxy checks whether a request that it has received may pass.
 *
 * <p>Only trusted peers may call it, because the description of a request cannot be verified.
 */
final class ForwardAuthApi {
  private final RateLimitedLog log = new RateLimitedLog("io.weir.server");
  private final DecisionEngine decisionEngine;
  private final DecisionResponses decisionResponses;
  private final TrustedProxies trusted;
  private final ForwardedRequestReader forwardedRequestReader;
  private final DecisionLog decisions;

  ForwardAuthApi(
      DecisionEngine decisionEngine,
      DecisionResponses decisionResponses,
      TrustedProxies trusted,
      ForwardedRequestReader forwardedRequestReader,
      DecisionLog decisions) {
    this.decisions = decisions;
    this.decisionEngine = decisionEngine;
    this.decisionResponses = decisionResponses;
    this.trusted = trusted;
    this.forwardedRequestReader = forwardedRequestReader;
  }

  void handle(HttpServerRequest request) {
    Address peer = PeerAddress.of(request);
    if (peer == null || !trusted.trusts(peer)) {
      // A proxy shows its client a 403 as an ordinary refusal, so the cause has to be logged.
      log.log(
          System.Logger.Level.WARNING,
          "/v1/auth was called by "
              + (peer == null ? "a peer without an address" : peer)
              + ", which is not in the setting auth_trusted_peers: 403 for all its clients",
          null);
      HttpResponses.send(
          request,
          HttpResponses.error(
              403,
              "untrusted_peer",
              "this address may not describe requests; add it to the setting auth_trusted_peers"));
      return;
    }
    ResponseOptions responseOptions = ResponseOptions.of(request.query());
    try {
      EventLoops.respond(
          request,
          decisionEngine.decide(forwardedRequestReader.of(request, peer)),
          requestDecision -> {
            decisions.decided(request, requestDecision);
            HttpResponses.send(request, response(requestDecision, request, responseOptions));
          });
    } catch (
        ForwardedRequestReader.MissingHeaderException e) { // a wrong configuration of the proxy
      HttpResponses.send(request, HttpResponses.malformed(request, String.valueOf(e.getMessage())));
    } catch (MalformedRequestException e) { // a mistake of its client
      HttpResponses.send(
          request,
          responseOptions.refused(
              HttpResponses.malformed(request, String.valueOf(e.getMessage()))));
    }
  }

  private DirectResponse response(
      RequestDecision requestDecision, HttpServerRequest request, ResponseOptions responseOptions) {
    if (requestDecision.allowed()) {
      List<Header> headers = new ArrayList<>(decisionResponses.headers(requestDecision));
      headers.add(new Header("Cache-Control", "no-store"));
      return new DirectResponse(200, headers, "");
    }
    DirectResponse refusal =
        decisionResponses.refusal(requestDecision, request.getHeader("Accept"));
    return requestDecision.isError() ? refusal : responseOptions.refused(refusal);
  }

  /**
   * The response format that the proxy selects. It cannot set a cost: a proxy may pass its client's
   * own query on, and a client must not choose its cost.
   *
   * @param status the status of a refusal; null: unchanged
   */
  private record ResponseOptions(@Nullable Integer status) {
    static ResponseOptions of(@Nullable String query) {
      Map<String, String> parameters = Query.parameters(query == null ? "" : query, 2);
      String status = parameters.remove("status");
      if (!parameters.isEmpty()) {
        throw new MalformedRequestException(
            "unknown parameter '"
                + parameters.keySet().iterator().next()
                + "'; there is only 'status'");
      }
      return new ResponseOptions(
          status == null ? null : status(CountParser.parse(status, "'status'")));
    }

    private static int status(long status) {
      if (status < 400 || status > 599) {
        throw new MalformedRequestException("'status' must be from 400 to 599");
      }
      return (int) status;
    }

    DirectResponse refused(DirectResponse refusal) {
      return status == null
          ? refusal
          : new DirectResponse(status, refusal.headers(), refusal.body());
    }
  }
}
