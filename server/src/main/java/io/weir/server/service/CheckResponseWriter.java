package io.weir.server.service;

import io.vertx.core.http.HttpServerRequest;
import io.weir.Decision;
import io.weir.Origin;
import io.weir.rules.RequestDecision;
import io.weir.rules.RuleDecision;
import io.weir.rules.http.DecisionResponses;
import io.weir.rules.http.DirectResponse;
import io.weir.rules.http.JsonWriter;
import io.weir.server.access.DecisionLog;
import io.weir.server.http.HttpResponses;
import io.weir.server.http.Millis;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Writes decisions as JSON responses. */
final class CheckResponseWriter {
  private static final List<String> ORIGINS =
      Arrays.stream(Origin.values()).map(each -> each.name().toLowerCase(Locale.ROOT)).toList();

  private final DecisionResponses decisionResponses;
  private final LongSupplier now;
  private final DecisionLog log;

  /**
   * @param now milliseconds since the epoch, for decisions without a store
   */
  CheckResponseWriter(DecisionResponses decisionResponses, LongSupplier now, DecisionLog log) {
    this.decisionResponses = decisionResponses;
    this.now = now;
    this.log = log;
  }

  /** Logs the decision on a request if its response is not sent by {@link #send}. */
  void decided(HttpServerRequest request, RequestDecision requestDecision) {
    log.decided(request, requestDecision);
  }

  /** Sends the response to one request. */
  void send(HttpServerRequest request, RequestDecision requestDecision) {
    log.decided(request, requestDecision);
    HttpResponses.send(
        request,
        HttpResponses.json(status(requestDecision), element(requestDecision)),
        decisionResponses.headers(requestDecision));
  }

  /** The whole response; {@code body} is begun and may already have other fields. */
  DirectResponse response(RequestDecision requestDecision, JsonWriter body) {
    append(body, requestDecision);
    return HttpResponses.json(
        status(requestDecision),
        decisionResponses.headers(requestDecision),
        body.close().toString());
  }

  /** The response to a list of requests. */
  static DirectResponse list(List<String> found) {
    JsonWriter body = new JsonWriter().begin('[');
    found.forEach(body::raw);
    return HttpResponses.json(200, body.end(']').toString());
  }

  /** Any other successful response. */
  static DirectResponse ok(JsonWriter body) {
    return HttpResponses.json(200, body.toString());
  }

  static int status(RequestDecision requestDecision) {
    return requestDecision.allowed() ? 200 : requestDecision.isError() ? 503 : 429;
  }

  /** The result of one request, alone or in a list. */
  String element(RequestDecision requestDecision) {
    JsonWriter body = new JsonWriter().open();
    append(body, requestDecision);
    return body.close().toString();
  }

  private void append(JsonWriter body, RequestDecision requestDecision) {
    Optional<RuleDecision> deciding = requestDecision.deciding();
    body.truth("allowed", requestDecision.allowed());
    if (deciding.isEmpty()) {
      body.nothing("rule").nothing("limit").nothing("remaining");
      append(body, Optional.of(Duration.ZERO), Duration.ZERO, Duration.ZERO);
      // No store was called, whatever the store is.
      body.number("time", now.getAsLong()).text("origin", name(Origin.MEMORY));
      return;
    }
    Decision decision = deciding.get().decision();
    boolean isFailure = decision.origin() == Origin.FAILURE;
    if (isFailure && !requestDecision.allowed()) {
      body.text("error", "limiter_unavailable");
    }
    body.text("rule", deciding.get().rule().name());
    if (isFailure) {
      body.nothing("limit").nothing("remaining");
    } else {
      body.number("limit", decision.limit().capacity())
          .number("remaining", requestDecision.remaining());
    }
    append(body, requestDecision.retryAfter(), decision.resetAfter(), requestDecision.delay());
    body.number("time", decision.time().toEpochMilli()).text("origin", name(decision.origin()));
  }

  private static void append(
      JsonWriter body, Optional<Duration> wait, Duration reset, Duration delay) {
    body.number("retry_after_ms", Millis.orNever(wait));
    body.number("reset_after_ms", Millis.of(reset)).number("delay_ms", Millis.of(delay));
  }

  private static String name(Origin origin) {
    return ORIGINS.get(origin.ordinal());
  }
}
