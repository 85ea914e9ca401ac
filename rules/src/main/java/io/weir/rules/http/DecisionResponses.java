package io.weir.rules.http;

import io.weir.Origin;
import io.weir.rules.RequestDecision;
import io.weir.rules.RuleDecision;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Converts decisions to HTTP: the headers of every response that rules applied to, and the complete
 * response for a refused request. Thread-safe.
 */
public final class DecisionResponses {
  private static final String TYPES = "https://iana.org/assignments/http-problem-types#";

  private static final String REDUCED_CAPACITY = "temporary-reduced-capacity";

  private final LimitHeaders headers;
  private final RefusalCache refusalCache = new RefusalCache();

  /** Uses headers of this style. */
  public DecisionResponses(HeaderStyle style) {
    headers = new LimitHeaders(style);
  }

  /** The headers of a decision, allowed or refused; none if no enforced rule applied. */
  public List<Header> headers(RequestDecision requestDecision) {
    return headers.of(requestDecision);
  }

  /**
   * The response to a refused request.
   *
   * @param accept the request's {@code Accept}; null if it has none
   */
  public DirectResponse refusal(RequestDecision requestDecision, @Nullable String accept) {
    RuleDecision deciding = requestDecision.deciding().orElseThrow();
    if (requestDecision.allowed()) {
      throw new IllegalArgumentException("not refused: " + requestDecision);
    }
    boolean asProblem = Accept.prefersProblem(accept);
    LimitHeaders.RenderedLimit renderedLimit = headers.cacheKey(deciding, requestDecision);
    DirectResponse cached =
        renderedLimit == null ? null : refusalCache.find(renderedLimit, asProblem);
    if (cached != null) {
      return cached;
    }
    DirectResponse directResponse = refusal(requestDecision, deciding, asProblem);
    if (renderedLimit != null) {
      refusalCache.keep(renderedLimit, asProblem, directResponse);
    }
    return directResponse;
  }

  private DirectResponse refusal(
      RequestDecision requestDecision, RuleDecision deciding, boolean asProblem) {
    boolean isFailure = deciding.decision().origin() == Origin.FAILURE;
    String error = isFailure ? "limiter_unavailable" : "rate_limit_exceeded";
    Message message =
        requestDecision.isError()
            ? new Message(503, error, REDUCED_CAPACITY, "Temporary Reduced Capacity")
            : new Message(429, error, "quota-exceeded", "Quota Exceeded");
    if (deciding.decision().neverFits()) {
      message.neverFits();
    } else {
      message.retryAfter(LimitHeaders.retryAfterSeconds(deciding.decision()));
    }
    message.rule = deciding.rule().name();
    if (asProblem) { // only this format has the member
      message.violated = headers.refusing(requestDecision);
    }
    return message.toResponse(asProblem, headers.of(requestDecision));
  }

  /**
   * The response to a request that is rejected because the server is overloaded.
   *
   * @param seconds after which the client may retry, at least 1
   */
  public static DirectResponse overloaded(long seconds, @Nullable String accept) {
    Message message =
        new Message(503, "overloaded", REDUCED_CAPACITY, "Temporary Reduced Capacity");
    message.retryAfter(seconds);
    return message.toResponse(
        Accept.prefersProblem(accept), List.of(new Header("Retry-After", Long.toString(seconds))));
  }

  /** The response to a request that rules cannot be applied to. */
  public static DirectResponse badRequest(String reason, @Nullable String accept) {
    Message message = new Message(400, "bad_request", "", "Bad Request");
    message.text = reason;
    return message.toResponse(Accept.prefersProblem(accept), List.of());
  }

  /** The body of a response, in either format. */
  private static final class Message {
    private final int status;
    private final String error;
    private final String type;
    private final String title;
    private String text = "";
    private boolean hasWait;
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
      hasWait = true;
      wait = seconds;
    }

    void neverFits() {
      text = "This request asks for more than the limit can ever give; retrying will not help.";
      hasWait = true;
    }

    DirectResponse toResponse(boolean asProblem, List<Header> otherHeaders) {
      List<Header> all = new ArrayList<>(otherHeaders.size() + 2);
      String type = asProblem ? "application/problem+json" : "application/json";
      all.add(new Header("Content-Type", type));
      all.add(new Header("Cache-Control", "no-store"));
      all.addAll(otherHeaders);
      return new DirectResponse(status, all, asProblem ? problem() : plain());
    }

    private String plain() {
      JsonWriter jsonWriter = new JsonWriter(160).open().text("error", error).text("message", text);
      return ended(jsonWriter);
    }

    private String problem() {
      JsonWriter jsonWriter = new JsonWriter(320).open().text("type", type).text("title", title);
      jsonWriter.number("status", status).text("detail", text);
      if (!violated.isEmpty()) {
        jsonWriter.open("violated-policies", '[');
        violated.forEach(jsonWriter::text);
        jsonWriter.end(']');
      }
      return ended(jsonWriter);
    }

    private String ended(JsonWriter jsonWriter) {
      if (hasWait && wait == 0) {
        jsonWriter.nothing("retry_after_seconds");
      } else if (hasWait) {
        jsonWriter.number("retry_after_seconds", wait);
      }
      if (rule != null) {
        jsonWriter.text("rule", rule);
      }
      return jsonWriter.close().toString();
    }
  }
}
