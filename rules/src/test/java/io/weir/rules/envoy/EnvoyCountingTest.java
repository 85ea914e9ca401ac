package io.weir.rules.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.rules.RequestLimiter;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Descriptors that are counted exactly as envoyproxy/ratelimit counts them. */
class EnvoyCountingTest {
  private static final DescriptorMode COUNTING = new DescriptorMode(true, false, false);

  private final ManualTime time = TimeSource.manual();

  private RequestLimiter limiter(String rules) {
    return limiter(rules, COUNTING);
  }

  private RequestLimiter limiter(String rules, DescriptorMode mode) {
    return RequestLimiter.builder(EnvoyScenario.rules(rules)).time(time).descriptors(mode).build();
  }

  private static String check(RequestLimiter limiter, String request) {
    return EnvoyScenario.summary(EnvoyScenario.check(limiter, request));
  }

  /** The numbers of its own tests: what the counter was, and what hits make of it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          10/second | 4  | 1 | OK 5
          20/second | 2  | 3 | OK 15
          8/second  | 5  | 2 | OK 1
          20/second | 16 | 3 | OK 1
          20/second | 19 | 3 | OVER !0
          20/second | 15 | 7 | OVER !0
          10/second | 27 | 3 | OVER !0
          10/minute | 10 | 1 | OVER !0
          10/minute | 9  | 1 | OK 0
          10/hour   | 11 | 0 | OVER !0
          10/hour   | 10 | 0 | OK 0
          10/day    | 12 | 1 | OVER !0
          15/hour   | 10 | 1 | OK 4
          15/hour   | 12 | 1 | OK 2
          15/hour   | 15 | 1 | OVER !0
          0/minute  | 0  | 1 | OVER !0
          0/minute  | 0  | 0 | OK 0
          """)
  void overIfTheCounterIsBeyondTheLimitAfterwards(
      String limit, long before, long hits, String expected) {
    RequestLimiter limiter = limiter("a " + limit);
    if (before > 0) {
      check(limiter, "a=1*" + before);
    }
    assertThat(check(limiter, "a=1*" + hits)).isEqualTo(expected);
  }

  @Test
  void theCounterGrowsBeyondTheLimit() {
    RequestLimiter limiter = limiter("a 2/minute");
    assertThat(check(limiter, "a=1*5")).isEqualTo("OVER !0");
    assertThat(check(limiter, "a=1*-2")).isEqualTo("OK 0");
    assertThat(check(limiter, "a=1*0")).as("3 are above 2").isEqualTo("OVER !0");
    assertThat(check(limiter, "a=1*-2")).isEqualTo("OK 1");
    assertThat(check(limiter, "a=1")).isEqualTo("OK 0");
    assertThat(check(limiter, "a=1*-9")).as("never below 0").isEqualTo("OK 2");
    time.advance(Duration.ofMinutes(1));
    assertThat(check(limiter, "a=1*2")).isEqualTo("OK 0");
  }

  @Test
  void everyDescriptorIsChargedByItself() {
    RequestLimiter limiter =
        limiter(
            """
            a 20/minute
            b 10/hour
            """);
    for (int i = 1; i <= 15; i++) {
      String b = i <= 10 ? Integer.toString(10 - i) : "!0";
      assertThat(check(limiter, "a=1 b=1"))
          .isEqualTo((i <= 10 ? "OK " : "OVER ") + (20 - i) + " " + b);
    }
  }

  @Test
  void countsShadowLimitsToo() {
    RequestLimiter limiter =
        limiter(
            """
            a 1/minute shadow
            b 0/minute
            """);
    assertThat(check(limiter, "a=1 b=1")).isEqualTo("OVER (0) !0");
    assertThat(check(limiter, "a=1")).isEqualTo("OK (!0)");
  }

  @Test
  void quotasAreAllCharged() {
    RequestLimiter limiter =
        limiter(
            """
            q 1/minute quota
            r 2/minute quota
            s 0/minute shadow quota
            """);
    assertThat(check(limiter, "q=1 r=1")).isEqualTo("OK 0 1");
    assertThat(check(limiter, "q=1 r=1")).isEqualTo("OK !0 0");
    assertThat(check(limiter, "q=1 r=1")).isEqualTo("OVER !0 !0");
    assertThat(check(limiter, "q=1 s=1"))
        .as("one that is tried is never over")
        .isEqualTo("OK !0 (!0)");
    assertThat(check(limiter("a 0/minute", new DescriptorMode(true, true, true)), "a=1"))
        .isEqualTo("OK !0");
  }

  /** In the window that began at 1200, until 1260. */
  @Test
  void decisionShowsTheConfiguredLimit() {
    time.set(Instant.ofEpochSecond(1234));
    RequestLimiter limiter = limiter("a 10/minute");
    Decision decision = decision(limiter, "a=1*3");
    assertThat(decision.limit()).isEqualTo(Limit.fixedWindow(10).perMinute());
    assertThat(decision.resetAfter()).isEqualTo(Duration.ofSeconds(26));
    assertThat(decision.deciding().growsAfter()).contains(Duration.ofSeconds(26));
    assertThat(decision.time()).isEqualTo(Instant.ofEpochSecond(1234));

    Decision over = decision(limiter, "a=1*8");
    assertThat(over.allowed()).isFalse();
    assertThat(over.retryAfter()).contains(Duration.ofSeconds(26));
    assertThat(decision(limiter, "a=1*11").neverFits()).isTrue();
  }

  private static Decision decision(RequestLimiter limiter, String request) {
    DescriptorDecision decision = EnvoyScenario.check(limiter, request);
    return decision.descriptorResults().get(0).requestDecision().ruleDecisions().get(0).decision();
  }

  @Test
  void hitsBeyondAllCountersFillThem() {
    RequestLimiter limiter = limiter("a 2147483648/minute");
    assertThat(check(limiter, "a=1*5")).isEqualTo("OK 2147483643");
    assertThat(check(limiter, "a=1*" + Long.MAX_VALUE)).isEqualTo("OVER !2147483643");
    assertThat(check(limiter, "a=1")).isEqualTo("OVER !0");
  }

  @Test
  void aChangedOverrideKeepsTheCounter() {
    RequestLimiter limiter = limiter("b 1/minute");
    assertThat(check(limiter, "a=1*4@5/minute")).isEqualTo("OK 1");
    assertThat(check(limiter, "a=1@4/minute")).isEqualTo("OVER !0");
    assertThat(check(limiter, "a=1@9/minute")).isEqualTo("OK 3");
    assertThat(check(limiter, "a=1@9/hour")).isEqualTo("OK 8");
  }

  @Test
  void aReloadKeepsTheCounter() {
    RequestLimiter limiter = limiter("a 10/minute");
    check(limiter, "a=1*7");
    limiter.reload(EnvoyScenario.rules("a 5/minute"));
    assertThat(check(limiter, "a=1")).isEqualTo("OVER !0");
    limiter.reload(EnvoyScenario.rules("a 10/minute"));
    assertThat(check(limiter, "a=1")).isEqualTo("OK 1");
  }

  /** What envoyproxy/ratelimit does not have: other algorithms, and rules of Weir's own form. */
  @Test
  void otherAlgorithmsSpendNothingOnRefusals() {
    RequestLimiter limiter =
        limiter(
            """
            t 2/tokens
            l 1/minute on_failure=local
            rule user 1/minute per=user
            rule all 3/minute
            """);
    assertThat(check(limiter, "t=1*2 t=2")).isEqualTo("OK 0,1 1,0");
    assertThat(check(limiter, "t=1 l=1*2")).as("all 3 are gone").isEqualTo("OVER !0,!0 !1,!0");
    time.advance(Duration.ofMinutes(1));
    assertThat(check(limiter, "l=1 user=1")).isEqualTo("OK 0,2 -,0,1");
    time.advance(Duration.ofMinutes(1));
    assertThat(check(limiter, "user=1*2 l=1")).isEqualTo("OVER -,!1,3 0,3");
  }
}
