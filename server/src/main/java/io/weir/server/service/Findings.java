package io.weir.server.service;

import io.vertx.core.http.HttpServerRequest;
import io.weir.Decision;
import io.weir.Origin;
import io.weir.rules.Ruling;
import io.weir.rules.Verdict;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Answers;
import io.weir.rules.http.Json;
import io.weir.server.access.DecisionLog;
import io.weir.server.http.Millis;
import io.weir.server.http.Replies;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Writes decisions as JSON responses. */
final class Findings {
  private static final List<String> ORIGINS =
      Arrays.stream(Origin.values()).map(each -> each.name().toLowerCase(Locale.ROOT)).toList();

  private final Answers answers;
  private final LongSupplier now;
  private final DecisionLog log;

  /**
   * @param now milliseconds since the epoch, for decisions without a store
   */
  Findings(Answers answers, LongSupplier now, DecisionLog log) {
    this.answers = answers;
    this.now = now;
    this.log = log;
  }

  /** Notes what was decided of a request that is answered by another way than {@link #send}. */
  void decided(HttpServerRequest request, Ruling ruling) {
    log.decided(request, ruling);
  }

  /** Sends the response to one request. */
  void send(HttpServerRequest request, Ruling ruling) {
    log.decided(request, ruling);
    Replies.send(request, Replies.json(status(ruling), element(ruling)), answers.headers(ruling));
  }

  /** The whole response; {@code body} is begun and may already have other fields. */
  Answer answer(Ruling ruling, Json body) {
    append(body, ruling);
    return Replies.json(status(ruling), answers.headers(ruling), body.close().toString());
  }

  /** The response to a list of requests. */
  static Answer list(List<String> found) {
    Json body = new Json().begin('[');
    found.forEach(body::raw);
    return Replies.json(200, body.end(']').toString());
  }

  /** Any other successful response. */
  static Answer told(Json body) {
    return Replies.json(200, body.toString());
  }

  static int status(Ruling ruling) {
    return ruling.allowed() ? 200 : ruling.isError() ? 503 : 429;
  }

  /** The result of one request, alone or in a list. */
  String element(Ruling ruling) {
    Json body = new Json().open();
    append(body, ruling);
    return body.close().toString();
  }

  private void append(Json body, Ruling ruling) {
    Optional<Verdict> deciding = ruling.deciding();
    body.truth("allowed", ruling.allowed());
    if (deciding.isEmpty()) {
      body.nothing("rule").nothing("limit").nothing("remaining");
      append(body, Optional.of(Duration.ZERO), Duration.ZERO, Duration.ZERO);
      // No store was called, whatever the store is.
      body.number("time", now.getAsLong()).text("origin", name(Origin.MEMORY));
      return;
    }
    Decision decision = deciding.get().decision();
    boolean isFailure = decision.origin() == Origin.FAILURE;
    if (isFailure && !ruling.allowed()) {
      body.text("error", "limiter_unavailable");
    }
    body.text("rule", deciding.get().rule().name());
    if (isFailure) {
      body.nothing("limit").nothing("remaining");
    } else {
      body.number("limit", decision.limit().capacity()).number("remaining", ruling.remaining());
    }
    append(body, ruling.retryAfter(), decision.resetAfter(), ruling.delay());
    body.number("time", decision.time().toEpochMilli()).text("origin", name(decision.origin()));
  }

  private static void append(Json body, Optional<Duration> wait, Duration reset, Duration delay) {
    body.number("retry_after_ms", Millis.orNever(wait));
    body.number("reset_after_ms", Millis.of(reset)).number("delay_ms", Millis.of(delay));
  }

  private static String name(Origin origin) {
    return ORIGINS.get(origin.ordinal());
  }
}
