package io.weir.server.service;

import io.weir.Decision;
import io.weir.Origin;
import io.weir.rules.Ruling;
import io.weir.rules.Verdict;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Answers;
import io.weir.rules.http.Header;
import io.weir.server.http.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Tells rulings to programs: what was decided, in numbers. */
final class Findings {
  /** Of a request that can never fit, as in a file of decisions. */
  private static final long NEVER = -1;

  private static final Header JSON = new Header("Content-Type", "application/json");
  private static final Header NO_STORE = new Header("Cache-Control", "no-store");

  private final Answers answers;
  private final LongSupplier now;

  /**
   * @param now milliseconds since the epoch, for what no store was asked about
   */
  Findings(Answers answers, LongSupplier now) {
    this.answers = answers;
    this.now = now;
  }

  /** The whole answer to one question. */
  Answer answer(Ruling ruling) {
    return answer(ruling, new Json().open());
  }

  /** The whole answer; {@code body} is begun and may have told other things already. */
  Answer answer(Ruling ruling, Json body) {
    List<Header> headers = new ArrayList<>(10);
    headers.add(JSON);
    headers.add(NO_STORE);
    headers.addAll(answers.headers(ruling));
    append(body, ruling);
    return new Answer(status(ruling), headers, body.close().toString());
  }

  /** The answer to a list of questions. */
  static Answer list(List<String> found) {
    Json body = new Json().begin('[');
    found.forEach(body::raw);
    return new Answer(200, List.of(JSON, NO_STORE), body.end(']').toString());
  }

  /** Anything else that went well. */
  static Answer told(Json body) {
    return new Answer(200, List.of(JSON, NO_STORE), body.toString());
  }

  static int status(Ruling ruling) {
    return ruling.allowed() ? 200 : ruling.isError() ? 503 : 429;
  }

  /** One element of the answer to a list. */
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
      append(body, Duration.ZERO, Duration.ZERO, Duration.ZERO);
      // Whatever the store is, it was not asked.
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
    Optional<Duration> wait = ruling.retryAfter();
    append(body, wait.orElse(null), decision.resetAfter(), ruling.delay());
    body.number("time", decision.time().toEpochMilli()).text("origin", name(decision.origin()));
  }

  private static void append(Json body, @Nullable Duration wait, Duration reset, Duration delay) {
    body.number("retry_after_ms", wait == null ? NEVER : millis(wait));
    body.number("reset_after_ms", millis(reset)).number("delay_ms", millis(delay));
  }

  private static long millis(Duration duration) {
    return duration.plusNanos(999_999).toMillis();
  }

  private static String name(Origin origin) {
    return origin.name().toLowerCase(Locale.ROOT);
  }
}
