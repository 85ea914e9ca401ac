package io.weir.rules.http;

import static io.weir.rules.http.LimiterFixture.NOW;
import static io.weir.rules.http.LimiterFixture.SECOND;
import static io.weir.rules.http.LimiterFixture.limiter;
import static io.weir.rules.http.LimiterFixture.lines;
import static io.weir.rules.http.LimiterFixture.one;
import static io.weir.rules.http.LimiterFixture.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Origin;
import io.weir.rules.RequestDecision;
import io.weir.rules.RequestLimiter;
import io.weir.rules.Rule;
import io.weir.rules.RuleDecision;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The exact responses to refused callers. */
class DecisionResponsesTest {
  private final DecisionResponses decisionResponses = new DecisionResponses(HeaderStyle.DEFAULT);

  @Test
  void aRefusalIs429() {
    RequestLimiter limiter =
        limiter(Rule.named("client").limit(Limit.tokenBucket(1).per(Duration.ofSeconds(3))));
    limiter.check(one());
    DirectResponse directResponse = decisionResponses.refusal(limiter.check(one()), null);
    assertThat(directResponse.status()).isEqualTo(429);
    assertThat(lines(directResponse.headers()))
        .containsExactly(
            "Content-Type: application/json",
            "Cache-Control: no-store",
            "X-RateLimit-Limit: 1",
            "X-RateLimit-Remaining: 0",
            "X-RateLimit-Reset: " + (SECOND + 4),
            "RateLimit-Policy: \"client\";q=1;w=3",
            "RateLimit: \"client\";r=0;t=3",
            "Retry-After: 3",
            "X-RateLimit-Retry-After: 3");
    assertThat(directResponse.body())
        .isEqualTo(
            "{\"error\":\"rate_limit_exceeded\","
                + "\"message\":\"Too many requests. Please retry after 3 seconds.\","
                + "\"retry_after_seconds\":3,\"rule\":\"client\"}");
  }

  @Test
  void aRefusalAsAProblem() {
    RequestLimiter limiter =
        limiter(
            Rule.named("a").limit(Limit.fixedWindow(1).perMinute()),
            Rule.named("b")
                .limit(Limit.fixedWindow(9).perMinute())
                .limit(Limit.slidingLog(1).perMinute()));
    limiter.check(one());
    DirectResponse directResponse =
        decisionResponses.refusal(limiter.check(one()), "application/problem+json");
    assertThat(lines(directResponse.headers())).contains("Content-Type: application/problem+json");
    assertThat(directResponse.body())
        .isEqualTo(
            "{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                + "\"title\":\"Quota Exceeded\",\"status\":429,"
                + "\"detail\":\"Too many requests. Please retry after 60 seconds.\","
                + "\"violated-policies\":[\"b/2\",\"a\"],"
                + "\"retry_after_seconds\":60,\"rule\":\"b\"}");
  }

  @Test
  void reportsThatARequestNeverFits() {
    RequestDecision never =
        limiter(Rule.named("r").limit(Limit.fixedWindow(1).perMinute())).check(request(2));
    DirectResponse directResponse = decisionResponses.refusal(never, null);
    assertThat(directResponse.headers()).extracting(Header::name).doesNotContain("Retry-After");
    assertThat(directResponse.body())
        .contains("can ever give; retrying will not help", "\"retry_after_seconds\":null");
  }

  @Test
  void usesSingularForOneSecond() {
    RequestLimiter limiter =
        limiter(Rule.named("r").limit(Limit.tokenBucket(1000).perSecond().burst(2)));
    limiter.check(request(2));
    assertThat(decisionResponses.refusal(limiter.check(one()), null).body())
        .contains("retry after 1 second.", "\"retry_after_seconds\":1,");
  }

  @Test
  void failedStoreSendsNoLimitHeaders() {
    Limit limit = Limit.fixedWindow(1).perMinute();
    LimitStatus denied = LimitStatus.of(limit, 0, 1_000_000_000, 0, 0);
    DirectResponse directResponse = decisionResponses.refusal(failure(denied), null);
    assertThat(directResponse.headers())
        .extracting(Header::name)
        .containsExactly("Content-Type", "Cache-Control", "Retry-After", "X-RateLimit-Retry-After");
    assertThat(directResponse.body()).startsWith("{\"error\":\"limiter_unavailable\"");

    assertThat(decisionResponses.headers(failure(LimitStatus.of(limit, 0, 0, 0, 0)))).isEmpty();
  }

  @Test
  void overloadAndBadRequests() {
    assertThat(DecisionResponses.overloaded(2, null))
        .isEqualTo(
            new DirectResponse(
                503,
                List.of(
                    new Header("Content-Type", "application/json"),
                    new Header("Cache-Control", "no-store"),
                    new Header("Retry-After", "2")),
                "{\"error\":\"overloaded\",\"message\":\"The server is busy. Please retry after 2"
                    + " seconds.\",\"retry_after_seconds\":2}"));
    assertThat(DecisionResponses.overloaded(1, "application/problem+json").body())
        .startsWith(
            "{\"type\":\"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity\"");
    assertThat(DecisionResponses.badRequest("a \"broken\" escape", null).body())
        .isEqualTo("{\"error\":\"bad_request\",\"message\":\"a \\\"broken\\\" escape\"}");
    assertThat(DecisionResponses.badRequest("no", "application/problem+json").body())
        .isEqualTo(
            "{\"type\":\"about:blank\",\"title\":\"Bad Request\",\"status\":400,\"detail\":\"no\"}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          application/problem+json                                | true
          Application/Problem+JSON; q=0.5, */*                    | true
          application/json, application/problem+json              | true
          application/json, application/problem+json;q=0.9        | false
          application/problem+json;q=0                            | false
          application/problem+json;q=much                         | false
          application/problem+json-patch                          | false
          application/json                                        | false
          */*                                                     | false
          """)
  void sendsProblemDetailsIfAccepted(String accept, boolean expected) {
    assertThat(Accept.prefersProblem(accept)).isEqualTo(expected);
  }

  private static RequestDecision failure(LimitStatus limitStatus) {
    Decision decision =
        Decision.of(1, Duration.ZERO, List.of(limitStatus), NOW.toEpochMilli(), Origin.FAILURE);
    return RequestDecision.of(
        List.of(RuleDecision.of(Rule.named("r").build(), "", decision)), List.of());
  }
}
