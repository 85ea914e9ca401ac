package io.weir.rules.http;

import static io.weir.rules.http.LimiterFixture.NOW;
import static io.weir.rules.http.LimiterFixture.limiter;
import static io.weir.rules.http.LimiterFixture.one;
import static io.weir.rules.http.LimiterFixture.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.rules.RequestDecision;
import io.weir.rules.RequestLimiter;
import io.weir.rules.Rule;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A cached refusal equals a newly built one. */
class RefusalCacheTest {
  private static final String PROBLEM = "application/problem+json";

  private final ManualTime time = TimeSource.manual().set(NOW);

  @ParameterizedTest
  @EnumSource(HeaderStyle.Reset.class)
  void reportsEveryChange(HeaderStyle.Reset reset) {
    HeaderStyle style = HeaderStyle.DEFAULT.with(reset);
    DecisionResponses decisionResponses = new DecisionResponses(style);
    List<RequestLimiter> limiters =
        List.of(
            limiter(time, Rule.named("a").limit(Limit.tokenBucket(3).per(Duration.ofSeconds(7)))),
            limiter(time, Rule.named("b").limit(Limit.tokenBucket(3).per(Duration.ofSeconds(7)))),
            limiter(time, Rule.named("day").limit(Limit.fixedWindow(3).perDay())),
            limiter(
                time,
                Rule.named("two")
                    .limit(Limit.slidingWindow(3).perMinute())
                    .limit(Limit.fixedWindow(2).perMinute())));
    int refused = 0;
    for (int step = 0; step < 400; step++) {
      for (RequestLimiter limiter : limiters) {
        RequestDecision requestDecision =
            limiter.check(request(1 + step % 4)); // 4 is more than there ever is
        if (!requestDecision.allowed()) {
          refused++;
          for (String accept : new String[] {null, PROBLEM}) {
            assertThat(decisionResponses.refusal(requestDecision, accept))
                .isEqualTo(new DecisionResponses(style).refusal(requestDecision, accept));
          }
        }
      }
      time.advance(Duration.ofMillis(step % 3 * 130));
    }
    assertThat(refused).isGreaterThan(1000);
  }

  @Test
  void buildsEqualResponsesOnce() {
    DecisionResponses decisionResponses = new DecisionResponses(HeaderStyle.DEFAULT);
    RequestLimiter limiter = limiter(time, Rule.named("a").limit(Limit.tokenBucket(1).perMinute()));
    limiter.check(one());
    DirectResponse first = decisionResponses.refusal(limiter.check(one()), null);
    time.advance(Duration.ofMillis(1));
    assertThat(decisionResponses.refusal(limiter.check(one()), "*/*")).isSameAs(first);
    time.advance(Duration.ofSeconds(1));
    assertThat(decisionResponses.refusal(limiter.check(one()), null)).isNotEqualTo(first);
  }

  @Test
  void encodesCachedResponseAsHttp1() {
    DirectResponse directResponse =
        new DirectResponse(
            429,
            List.of(new Header("Content-Type", "application/json"), new Header("Retry-After", "3")),
            "{\"rule\":\"Grüße\"}");
    assertThat(new String(directResponse.http1(), StandardCharsets.UTF_8))
        .isEqualTo(
            "HTTP/1.1 429 Too Many Requests\r\n"
                + "Content-Type: application/json\r\n"
                + "Retry-After: 3\r\n"
                + "content-length: 18\r\n"
                + "\r\n"
                + "{\"rule\":\"Grüße\"}");
  }
}
