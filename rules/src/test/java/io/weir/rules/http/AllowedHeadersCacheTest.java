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
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Cached headers equal newly built ones. */
class AllowedHeadersCacheTest {
  private final ManualTime time = TimeSource.manual().set(NOW);

  @ParameterizedTest
  @EnumSource(HeaderStyle.Reset.class)
  void reportsEveryChange(HeaderStyle.Reset reset) {
    HeaderStyle style = HeaderStyle.DEFAULT.with(reset);
    DecisionResponses decisionResponses = new DecisionResponses(style);
    List<RequestLimiter> limiters =
        List.of(
            limiter(time, Rule.named("a").limit(Limit.tokenBucket(5).per(Duration.ofSeconds(3)))),
            limiter(time, Rule.named("b").limit(Limit.tokenBucket(5).per(Duration.ofSeconds(30)))),
            limiter(time, Rule.named("c").limit(Limit.leakyBucket(5).per(Duration.ofSeconds(3)))),
            limiter(time, Rule.named("day").limit(Limit.fixedWindow(4000).perDay())),
            limiter(
                time,
                Rule.named("two")
                    .limit(Limit.slidingWindow(300).perMinute())
                    .limit(Limit.fixedWindow(200).perMinute())));
    int allowed = 0;
    for (int step = 0; step < 400; step++) {
      for (RequestLimiter limiter : limiters) {
        RequestDecision requestDecision = limiter.check(request(step % 3)); // 0 only looks
        allowed += requestDecision.allowed() ? 1 : 0;
        assertThat(decisionResponses.headers(requestDecision))
            .isEqualTo(new DecisionResponses(style).headers(requestDecision));
      }
      time.advance(Duration.ofMillis(step % 3 * 130));
    }
    assertThat(allowed).isGreaterThan(1000);
  }

  @Test
  void buildsEqualResponsesOnce() {
    DecisionResponses decisionResponses = new DecisionResponses(HeaderStyle.DEFAULT);
    RequestLimiter limiter =
        limiter(time, Rule.named("a").limit(Limit.tokenBucket(1000).perSecond()));
    List<Header> first = decisionResponses.headers(limiter.check(one()));
    time.advance(Duration.ofMillis(1)); // it is full again
    assertThat(decisionResponses.headers(limiter.check(one()))).isSameAs(first);
    assertThat(decisionResponses.headers(limiter.check(one()))).isNotEqualTo(first);
    time.advance(Duration.ofSeconds(1));
    assertThat(decisionResponses.headers(limiter.check(one()))).isNotEqualTo(first);
  }
}
