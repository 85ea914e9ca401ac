package io.weir.rules.http;

import static io.weir.rules.http.Asked.NOW;
import static io.weir.rules.http.Asked.SECOND;
import static io.weir.rules.http.Asked.limiter;
import static io.weir.rules.http.Asked.lines;
import static io.weir.rules.http.Asked.one;
import static io.weir.rules.http.Asked.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.Origin;
import io.weir.Standing;
import io.weir.rules.RequestLimiter;
import io.weir.rules.Rule;
import io.weir.rules.Ruling;
import io.weir.rules.Verdict;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The exact responses to refused callers. */
class AnswersTest {
  private final Answers answers = new Answers(HeaderStyle.DEFAULT);

  @Test
  void aRefusalIs429() {
    RequestLimiter limiter =
        limiter(Rule.named("client").limit(Limit.tokenBucket(1).per(Duration.ofSeconds(3))));
    limiter.check(one());
    Answer answer = answers.refusal(limiter.check(one()), null);
    assertThat(answer.status()).isEqualTo(429);
    assertThat(lines(answer.headers()))
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
    assertThat(answer.body())
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
    Answer answer = answers.refusal(limiter.check(one()), "application/problem+json");
    assertThat(lines(answer.headers())).contains("Content-Type: application/problem+json");
    assertThat(answer.body())
        .isEqualTo(
            "{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                + "\"title\":\"Quota Exceeded\",\"status\":429,"
                + "\"detail\":\"Too many requests. Please retry after 60 seconds.\","
                + "\"violated-policies\":[\"b/2\",\"a\"],"
                + "\"retry_after_seconds\":60,\"rule\":\"b\"}");
  }

  @Test
  void reportsThatARequestNeverFits() {
    Ruling never =
        limiter(Rule.named("r").limit(Limit.fixedWindow(1).perMinute())).check(request(2));
    Answer answer = answers.refusal(never, null);
    assertThat(answer.headers()).extracting(Header::name).doesNotContain("Retry-After");
    assertThat(answer.body())
        .contains("can ever give; retrying will not help", "\"retry_after_seconds\":null");
  }

  @Test
  void aSecondIsASecond() {
    RequestLimiter limiter =
        limiter(Rule.named("r").limit(Limit.tokenBucket(1000).perSecond().burst(2)));
    limiter.check(request(2));
    assertThat(answers.refusal(limiter.check(one()), null).body())
        .contains("retry after 1 second.", "\"retry_after_seconds\":1,");
  }

  @Test
  void failedStoreSendsNoLimitHeaders() {
    Limit limit = Limit.fixedWindow(1).perMinute();
    Standing denied = Standing.of(limit, 0, 1_000_000_000, 0, 0);
    Answer answer = answers.refusal(failure(denied), null);
    assertThat(answer.headers())
        .extracting(Header::name)
        .containsExactly("Content-Type", "Cache-Control", "Retry-After", "X-RateLimit-Retry-After");
    assertThat(answer.body()).startsWith("{\"error\":\"limiter_unavailable\"");

    assertThat(answers.headers(failure(Standing.of(limit, 0, 0, 0, 0)))).isEmpty();
  }

  @Test
  void overloadAndBadRequests() {
    assertThat(Answers.overloaded(2, null))
        .isEqualTo(
            new Answer(
                503,
                List.of(
                    new Header("Content-Type", "application/json"),
                    new Header("Cache-Control", "no-store"),
                    new Header("Retry-After", "2")),
                "{\"error\":\"overloaded\",\"message\":\"The server is busy. Please retry after 2"
                    + " seconds.\",\"retry_after_seconds\":2}"));
    assertThat(Answers.overloaded(1, "application/problem+json").body())
        .startsWith(
            "{\"type\":\"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity\"");
    assertThat(Answers.badRequest("a \"broken\" escape", null).body())
        .isEqualTo("{\"error\":\"bad_request\",\"message\":\"a \\\"broken\\\" escape\"}");
    assertThat(Answers.badRequest("no", "application/problem+json").body())
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
  void whoAsksForProblemsGetsThem(String accept, boolean expected) {
    assertThat(Accept.prefersProblem(accept)).isEqualTo(expected);
  }

  private static Ruling failure(Standing standing) {
    Decision decision =
        Decision.of(1, Duration.ZERO, List.of(standing), NOW.toEpochMilli(), Origin.FAILURE);
    return Ruling.of(List.of(Verdict.of(Rule.named("r").build(), "", decision)), List.of());
  }
}
