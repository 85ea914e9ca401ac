package io.weir.rules.http;

import static io.weir.rules.http.Asked.NOW;
import static io.weir.rules.http.Asked.limiter;
import static io.weir.rules.http.Asked.one;
import static io.weir.rules.http.Asked.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.rules.RequestLimiter;
import io.weir.rules.Rule;
import io.weir.rules.Ruling;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A refusal that is given again says what it would say if it were put together again. */
class RefusalsTest {
  private static final String PROBLEM = "application/problem+json";

  private final ManualTime time = TimeSource.manual().set(NOW);

  @ParameterizedTest
  @EnumSource(HeaderStyle.Reset.class)
  void reportsEveryChange(HeaderStyle.Reset reset) {
    HeaderStyle style = HeaderStyle.DEFAULT.with(reset);
    Answers answers = new Answers(style);
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
        Ruling ruling = limiter.check(request(1 + step % 4)); // 4 is more than there ever is
        if (!ruling.allowed()) {
          refused++;
          for (String accept : new String[] {null, PROBLEM}) {
            assertThat(answers.refusal(ruling, accept))
                .isEqualTo(new Answers(style).refusal(ruling, accept));
          }
        }
      }
      time.advance(Duration.ofMillis(step % 3 * 130));
    }
    assertThat(refused).isGreaterThan(1000);
  }

  @Test
  void whatIsTheSameIsPutTogetherOnce() {
    Answers answers = new Answers(HeaderStyle.DEFAULT);
    RequestLimiter limiter = limiter(time, Rule.named("a").limit(Limit.tokenBucket(1).perMinute()));
    limiter.check(one());
    Answer first = answers.refusal(limiter.check(one()), null);
    time.advance(Duration.ofMillis(1));
    assertThat(answers.refusal(limiter.check(one()), "*/*")).isSameAs(first);
    time.advance(Duration.ofSeconds(1));
    assertThat(answers.refusal(limiter.check(one()), null)).isNotEqualTo(first);
  }

  @Test
  void itIsSentAsItIs() {
    Answer answer =
        new Answer(
            429,
            List.of(new Header("Content-Type", "application/json"), new Header("Retry-After", "3")),
            "{\"rule\":\"Grüße\"}");
    assertThat(new String(answer.http1(), StandardCharsets.UTF_8))
        .isEqualTo(
            "HTTP/1.1 429 Too Many Requests\r\n"
                + "Content-Type: application/json\r\n"
                + "Retry-After: 3\r\n"
                + "content-length: 18\r\n"
                + "\r\n"
                + "{\"rule\":\"Grüße\"}");
  }
}
