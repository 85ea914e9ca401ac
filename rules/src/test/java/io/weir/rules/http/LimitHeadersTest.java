package io.weir.rules.http;

import static io.weir.rules.http.LimiterFixture.NOW;
import static io.weir.rules.http.LimiterFixture.SECOND;
import static io.weir.rules.http.LimiterFixture.limiter;
import static io.weir.rules.http.LimiterFixture.lines;
import static io.weir.rules.http.LimiterFixture.one;
import static io.weir.rules.http.LimiterFixture.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.rules.Policy;
import io.weir.rules.RequestDecision;
import io.weir.rules.RequestLimiter;
import io.weir.rules.Rule;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The exact headers that a caller gets. */
class LimitHeadersTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final DecisionResponses decisionResponses = new DecisionResponses(HeaderStyle.DEFAULT);

  /** A limit, the costs of requests at {@link #NOW}, and the headers of the last of them. */
  record Row(Limit limit, List<Long> costs, List<String> headers) {
    @Override
    public String toString() {
      return limit + ", costs " + costs;
    }
  }

  static Stream<Row> everyAlgorithm() {
    return Stream.of(
        // A bucket of 100 that 10 a second flow into: full again after a tenth of a second.
        row(Limit.tokenBucket(10).perSecond().burst(100))
            .costs(1)
            .headers(100, 99, SECOND + 1, "\"r\";q=100;w=10", "\"r\";r=99;t=1"),
        row(Limit.tokenBucket(10).perSecond().burst(100))
            .costs(95)
            .headers(100, 5, SECOND + 10, "\"r\";q=100;w=10", "\"r\";r=5;t=1"),
        row(Limit.tokenBucket(10).perSecond().burst(100))
            .costs(95, 30)
            .refused(100, 5, SECOND + 10, "\"r\";q=100;w=10", "\"r\";r=5;t=3", 3),
        row(Limit.tokenBucket(3).per(Duration.ofSeconds(10)))
            .costs(0)
            .headers(3, 3, SECOND + 1, "\"r\";q=3;w=10", "\"r\";r=3"),
        row(Limit.tokenBucket(3).per(Duration.ofSeconds(10)).burst(4))
            .costs(1)
            .headers(4, 3, SECOND + 4, "\"r\";q=4;w=14", "\"r\";r=3;t=4"),
        row(Limit.tokenBucket(1000).perSecond().burst(999))
            .costs(1)
            .headers(999, 998, SECOND + 1, "\"r\";q=999", "\"r\";r=998;t=1"),
        row(Limit.tokenBucket(3).perSecond().burst(4))
            .costs(5)
            .never(4, 4, SECOND + 1, "\"r\";q=4;w=2", "\"r\";r=4"),
        row(Limit.tokenBucket(0).perSecond())
            .costs(1)
            .never(0, 0, SECOND + 1, "\"r\";q=0", "\"r\";r=0"),

        // One leaves at once, each of the queue 20 s after the one before it.
        row(Limit.leakyBucket(3).per(MINUTE).queue(4))
            .costs(1, 1)
            .headers(5, 3, SECOND + 41, "\"r\";q=5;w=100", "\"r\";r=3;t=20"),
        row(Limit.leakyBucket(3).per(MINUTE).queue(0))
            .costs(1, 1)
            .refused(1, 0, SECOND + 21, "\"r\";q=1;w=20", "\"r\";r=0;t=20", 20),

        // The window ends at 14:15.
        row(Limit.fixedWindow(2).perMinute())
            .costs(1)
            .headers(2, 1, SECOND + 40, "\"r\";q=2;w=60", "\"r\";r=1;t=40"),
        row(Limit.fixedWindow(2).perMinute())
            .costs(2, 1)
            .refused(2, 0, SECOND + 40, "\"r\";q=2;w=60", "\"r\";r=0;t=40", 40),
        row(Limit.fixedWindow(2).per(Duration.ofMillis(1500)))
            .costs(1)
            .headers(2, 1, SECOND + 1, "\"r\";q=2;w=2", "\"r\";r=1;t=1"),
        row(Limit.fixedWindow(2).per(Duration.ofMillis(500)))
            .costs(0)
            .headers(2, 2, SECOND + 1, "\"r\";q=2", "\"r\";r=2"),
        row(Limit.fixedWindow(2).perMonth())
            .costs(1)
            .headers(2, 1, epoch("2026-10-01"), "\"r\";q=2;w=2592000", "\"r\";r=1;t=812740"),
        row(Limit.fixedWindow(2).perYear())
            .costs(1)
            .headers(2, 1, epoch("2027-01-01"), "\"r\";q=2;w=31536000", "\"r\";r=1;t=8761540"),

        // The only entry ends a minute after it came.
        row(Limit.slidingLog(2).per(MINUTE))
            .costs(1)
            .headers(2, 1, SECOND + 61, "\"r\";q=2;w=60", "\"r\";r=1;t=60"),
        row(Limit.slidingLog(2).per(MINUTE))
            .costs(1, 1, 1)
            .refused(2, 0, SECOND + 61, "\"r\";q=2;w=60", "\"r\";r=0;t=60", 60),
        row(Limit.slidingLog(2).per(MINUTE))
            .costs(1, 3)
            .never(2, 1, SECOND + 61, "\"r\";q=2;w=60", "\"r\";r=1;t=60"),

        // A whole count of 4 falls below 4 a little after the next window began.
        row(Limit.slidingWindow(4).per(MINUTE))
            .costs(4, 1)
            .refused(4, 0, SECOND + 40, "\"r\";q=4;w=60", "\"r\";r=0;t=40", 40),

        // The epoch of 6 s in which it came began at 14:14:18 and counts until 14:15:18.
        row(Limit.slidingEpochs(4).per(MINUTE))
            .costs(4, 1)
            .refused(4, 0, SECOND + 58, "\"r\";q=4;w=60", "\"r\";r=0;t=58", 58));
  }

  @ParameterizedTest
  @MethodSource
  void everyAlgorithm(Row row) {
    RequestLimiter limiter = limiter(Rule.named("r").limit(row.limit()));
    RequestDecision requestDecision = null;
    for (long cost : row.costs()) {
      requestDecision = limiter.check(request(cost));
    }
    assertThat(lines(decisionResponses.headers(requestDecision)))
        .containsExactlyElementsOf(row.headers());
  }

  @ParameterizedTest(name = "{0} at {2} in {1}: w={3}")
  @CsvSource({
    "DAY,   Europe/Paris,  2026-03-29T10:00:00Z, 82800", // clocks go forward
    "DAY,   Europe/Paris,  2026-10-25T10:00:00Z, 90000", // and back
    "DAY,   UTC,           2026-03-29T10:00:00Z, 86400",
    "WEEK,  Europe/Paris,  2026-03-28T10:00:00Z, 601200",
    "WEEK,  UTC,           1969-12-30T10:00:00Z, 604800",
    "MONTH, UTC,           2028-02-29T10:00:00Z, 2505600",
    "YEAR,  UTC,           2028-02-29T10:00:00Z, 31622400",
    // Clocks are put back from 0:00 to 23:00 of the day before.
    "DAY,   America/Havana, 2026-11-01T04:30:00Z, 90000",
  })
  void calendarWindowHasTheLengthOfTheCurrentOne(
      Limit.Calendar unit, ZoneId zone, Instant now, String seconds) {
    ManualTime time = TimeSource.manual().set(now);
    Rule.Builder rule = Rule.named("r").limit(Limit.fixedWindow(9).per(unit).zone(zone));
    RequestDecision requestDecision = limiter(time, rule).check(request(1));
    assertThat(lines(decisionResponses.headers(requestDecision)))
        .contains("RateLimit-Policy: \"r\";q=9;w=" + seconds);
  }

  @Test
  void theWindowOfALargeBucketIsExact() {
    Limit limit = Limit.tokenBucket(Limit.MAX_PERMITS).per(Limit.MAX_PERIOD).burst(1L << 31);
    assertThat(PolicyWindow.seconds(limit, NOW)).isEqualTo(Limit.MAX_PERIOD.toSeconds());
    Limit awkward = Limit.tokenBucket((1L << 31) - 1).per(Limit.MAX_PERIOD).burst((1L << 31) - 2);
    assertThat(PolicyWindow.seconds(awkward, NOW)).isEqualTo(Limit.MAX_PERIOD.toSeconds());
  }

  @Test
  void everyLimitIsAnItemAndTheDecidingOneComesFirst() {
    RequestLimiter limiter =
        limiter(
            Rule.named("wide").limit(Limit.fixedWindow(100).perMinute()),
            Rule.named("rolling")
                .limit(Limit.slidingLog(50).perMinute())
                .limit(Limit.fixedWindow(10).perMinute()),
            Rule.named("tried")
                .limit(Limit.fixedWindow(1).perMinute())
                .policy(Policy.DEFAULT.with(Policy.Mode.SHADOW)));
    limiter.check(request(8));
    assertThat(lines(decisionResponses.headers(limiter.check(request(1)))))
        .containsExactly(
            "X-RateLimit-Limit: 10",
            "X-RateLimit-Remaining: 1",
            "X-RateLimit-Reset: " + (SECOND + 40),
            "RateLimit-Policy: \"rolling/2\";q=10;w=60, \"wide\";q=100;w=60, \"rolling\";q=50;w=60",
            "RateLimit: \"rolling/2\";r=1;t=40, \"wide\";r=91;t=40, \"rolling\";r=41;t=60");
  }

  @Test
  void sendsNoHeadersWithoutRule() {
    assertThat(decisionResponses.headers(limiter().check(request(1)))).isEmpty();
    RequestLimiter tried =
        limiter(
            Rule.named("tried")
                .limit(Limit.fixedWindow(0).perMinute())
                .policy(Policy.DEFAULT.with(Policy.Mode.SHADOW)));
    assertThat(decisionResponses.headers(tried.check(request(1)))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          EPOCH_SECONDS | 1790000100
          EPOCH_MILLIS  | 1790000100000
          DELTA_SECONDS | 40
          HTTP_DATE     | Mon, 21 Sep 2026 14:15:00 GMT
          """)
  void theUnitOfResetCanBeChosen(HeaderStyle.Reset unit, String expected) {
    RequestDecision requestDecision =
        limiter(Rule.named("r").limit(Limit.fixedWindow(2).perMinute())).check(one());
    assertThat(
            lines(new DecisionResponses(HeaderStyle.DEFAULT.with(unit)).headers(requestDecision)))
        .contains("X-RateLimit-Reset: " + expected);
  }

  @Test
  void familiesCanBeSwitchedOff() {
    RequestLimiter limiter = limiter(Rule.named("r").limit(Limit.fixedWindow(1).perMinute()));
    limiter.check(one());
    RequestDecision refused = limiter.check(one());
    assertThat(names(refused, HeaderStyle.Family.X_RATELIMIT))
        .containsExactly(
            "X-RateLimit-Limit",
            "X-RateLimit-Remaining",
            "X-RateLimit-Reset",
            "X-RateLimit-Retry-After");
    assertThat(names(refused, HeaderStyle.Family.RATELIMIT))
        .containsExactly("RateLimit-Policy", "RateLimit");
    assertThat(names(refused, HeaderStyle.Family.RETRY_AFTER)).containsExactly("Retry-After");
    assertThat(names(refused)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\'',
      textBlock =
          """
          endpoint:/api/v1/login | "endpoint:/api/v1/login"
          a"b                    | "a\\"b"
          a\\b                    | "a\\\\b"
          über                   | "%C3%BCber"
          😀                     | "%F0%9F%98%80"
          """)
  void aNameIsWrittenAsAStructuredFieldsString(String name, String written) {
    RequestDecision requestDecision =
        limiter(Rule.named(name).limit(Limit.fixedWindow(9).perMinute())).check(one());
    assertThat(lines(decisionResponses.headers(requestDecision)))
        .contains("RateLimit: " + written + ";r=8;t=40");
  }

  @Test
  void nameCannotInjectHeader() {
    Rule.Builder rule =
        Rule.named("a\r\nSet-Cookie: x=1\0\ud800").limit(Limit.fixedWindow(0).perMinute());
    DirectResponse directResponse = decisionResponses.refusal(limiter(rule).check(one()), null);
    assertThat(directResponse.headers())
        .allSatisfy(header -> assertThat(header.value()).matches("[ -~]*"))
        .extracting(Header::toString)
        .contains("RateLimit: \"a%0D%0ASet-Cookie: x=1%00?\";r=0".replace("?", "%3F"));
    assertThat(directResponse.body())
        .endsWith("\"rule\":\"a\\u000D\\u000ASet-Cookie: x=1\\u0000\\uD800\"}");
  }

  private static List<String> names(
      RequestDecision requestDecision, HeaderStyle.Family... families) {
    return new DecisionResponses(HeaderStyle.DEFAULT.with(Set.of(families)))
        .headers(requestDecision).stream().map(Header::name).toList();
  }

  private static long epoch(String date) {
    return Instant.parse(date + "T00:00:00Z").getEpochSecond();
  }

  private static Draft row(Limit limit) {
    return new Draft(limit, List.of());
  }

  /** A row being written. */
  private record Draft(Limit limit, List<Long> costs) {
    Draft costs(long... costs) {
      return new Draft(limit, java.util.Arrays.stream(costs).boxed().toList());
    }

    Row headers(long quota, long remaining, long reset, String policy, String standing) {
      return new Row(limit, costs, headers(quota, remaining, reset, List.of(policy, standing)));
    }

    Row never(long quota, long remaining, long reset, String policy, String standing) {
      return headers(quota, remaining, reset, policy, standing);
    }

    Row refused(
        long quota, long remaining, long reset, String policy, String standing, long retryAfter) {
      List<String> wait =
          List.of("Retry-After: " + retryAfter, "X-RateLimit-Retry-After: " + retryAfter);
      List<String> headers = headers(quota, remaining, reset, List.of(policy, standing));
      return new Row(limit, costs, Stream.concat(headers.stream(), wait.stream()).toList());
    }

    private static List<String> headers(
        long quota, long remaining, long reset, List<String> draft) {
      return List.of(
          "X-RateLimit-Limit: " + quota,
          "X-RateLimit-Remaining: " + remaining,
          "X-RateLimit-Reset: " + reset,
          "RateLimit-Policy: " + draft.get(0),
          "RateLimit: " + draft.get(1));
    }
  }
}
