package io.weir.rules.http;

import io.weir.Origin;
import io.weir.rules.Ruling;
import io.weir.rules.Verdict;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Converts rulings to HTTP: the headers of every response that rules applied to, and the complete
 * response for a refused request. Thread-safe.
 */
public final class Answers {
  private static final String TYPES = "https://iana.org/assignments/http-problem-types#";

  private static final String REDUCED_CAPACITY = "temporary-reduced-capacity";

  private final LimitHeaders headers;
  private final Refusals refusals = new Refusals();

  /** Uses headers of this style. */
  public Answers(HeaderStyle style) {
    headers = new LimitHeaders(style);
  }

  /** The headers of a ruling, allowed or refused; none if no enforced rule applied. */
  public List<Header> headers(Ruling ruling) {
    return headers.of(ruling);
  }

  /**
   * The response to a refused request.
   *
   * @param accept the request's {@code Accept}; null if it has none
   */
  public Answer refusal(Ruling ruling, @Nullable String accept) {
    Verdict deciding = ruling.deciding().orElseThrow();
    if (ruling.allowed()) {
      throw new IllegalArgumentException("not refused: " + ruling);
    }
    boolean asProblem = Accept.prefersProblem(accept);
    LimitHeaders.Told told = headers.toldAlone(deciding, ruling);
    Answer known = told == null ? null : refusals.find(told, asProblem);
    if (known != null) {
      return known;
    }
    Answer answer = refusal(ruling, deciding, asProblem);
    if (told != null) {
      refusals.keep(told, asProblem, answer);
    }
    return answer;
  }

  private Answer refusal(Ruling ruling, Verdict deciding, boolean asProblem) {
    boolean isFailure = deciding.decision().origin() == Origin.FAILURE;
    String error = isFailure ? "limiter_unavailable" : "rate_limit_exceeded";
    Message message =
        ruling.isError()
            ? new Message(503, error, REDUCED_CAPACITY, "Temporary Reduced Capacity")
            : new Message(429, error, "quota-exceeded", "Quota Exceeded");
    if (deciding.decision().neverFits()) {
      message.neverFits();
    } else {
      message.retryAfter(LimitHeaders.retryAfterSeconds(deciding.decision()));
    }
    message.rule = deciding.rule().name();
    if (asProblem) { // only this format has the member
      message.violated = headers.refusing(ruling);
    }
    return message.answer(asProblem, headers.of(ruling));
  }

  /**
   * The response to a request that is rejected because the server is overloaded.
   *
   * @param seconds after which the client may retry, at least 1
   */
  public static Answer overloaded(long seconds, @Nullable String accept) {
    Message message =
        new Message(503, "overloaded", REDUCED_CAPACITY, "Temporary Reduced Capacity");
    message.retryAfter(seconds);
    return message.answer(
        Accept.prefersProblem(accept), List.of(new Header("Retry-After", Long.toString(seconds))));
  }

  /** The response to a request that rules cannot be applied to. */
  public static Answer badRequest(String reason, @Nullable String accept) {
    Message message = new Message(400, "bad_request", "", "Bad Request");
    message.text = reason;
    return message.answer(Accept.prefersProblem(accept), List.of());
  }

  /** The body of a response, in either format. */
  private static final class Message {
    private final int status;
    private final String error;
    private final String type;
    private final String title;
    private String text = "";
    private boolean tellsWait;
    private long wait;
    private @Nullable String rule;
    private List<String> violated = List.of();

    Message(int status, String error, String type, String title) {
      this.status = status;
      this.error = error;
      this.type = type.isEmpty() ? "about:blank" : TYPES + type;
      this.title = title;
    }

    void retryAfter(long seconds) {
      text =
          (status == 503 ? "The server is busy." : "Too many requests.")
              + (" Please retry after " + seconds + (seconds == 1 ? " second." : " seconds."));
      tellsWait = true;
      wait = seconds;
    }

    void neverFits() {
      text = "This request asks for more than the limit can ever give; retrying will not help.";
      tellsWait = true;
    }

    Answer answer(boolean asProblem, List<Header> others) {
      List<Header> all = new ArrayList<>(others.size() + 2);
      String type = asProblem ? "application/problem+json" : "application/json";
      all.add(new Header("Content-Type", type));
      all.add(new Header("Cache-Control", "no-store"));
      all.addAll(others);
      return new Answer(status, all, asProblem ? problem() : plain());
    }

    private String plain() {
      Json json = new Json(160).open().text("error", error).text("message", text);
      return ended(json);
    }

    private String problem() {
      Json json = new Json(320).open().text("type", type).text("title", title);
      json.number("status", status).text("detail", text);
      if (!violated.isEmpty()) {
        json.open("violated-policies", '[');
        violated.forEach(json::text);
        json.end(']');
      }
      return ended(json);
    }

    private String ended(Json json) {
      if (tellsWait && wait == 0) {
        json.nothing("retry_after_seconds");
      } else if (tellsWait) {
        json.number("retry_after_seconds", wait);
      }
      if (rule != null) {
        json.text("rule", rule);
      }
      return json.close().toString();
    }
  }
}
