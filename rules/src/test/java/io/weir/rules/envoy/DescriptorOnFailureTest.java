package io.weir.rules.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Origin;
import io.weir.Store;
import io.weir.TimeSource;
import io.weir.rules.FailedBuckets;
import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleDecision;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The decisions on descriptors while the stores of some of them cannot be reached. */
class DescriptorOnFailureTest {
  /** The store of limits per hour is unreachable; those per minute are in memory. */
  private static final String RULES =
      """
      allow 1/hour on_failure=allow
      deny 1/hour on_failure=deny
      error 1/hour on_failure=error
      tried 1/hour on_failure=error shadow
      quota 5/minute quota
      quota_deny 1/hour on_failure=deny quota
      quota_error 1/hour on_failure=error quota
      yes 5/minute
      no 0/minute
      rule denied 1/hour per=denied on_failure=deny
      """;

  private static RequestLimiter limiter(DescriptorMode mode) {
    Store store =
        limiterSpec ->
            limiterSpec.limits().get(0).toString().contains("1h")
                ? new FailedBuckets(limiterSpec)
                : Store.memory().open(limiterSpec);
    return RequestLimiter.builder(EnvoyScenario.rules(RULES))
        .store(store)
        .time(TimeSource.manual())
        .descriptors(mode)
        .build();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          allow=1                   | OK 0
          allow=1*0                 | OK 0
          deny=1                    | OVER !0
          deny=1*0                  | OVER !0
          deny=1*-1                 | OK 0
          error=1                   | ERROR !0
          yes=1 allow=1             | OK 4 0
          yes=1 deny=1              | OVER 5 !0
          yes=1 error=1             | ERROR 5 !0
          allow=1 error=1           | ERROR 0 !0
          error=1 deny=1            | OVER !0 !0
          no=1 error=1              | OVER !0 !0
          tried=1 yes=1             | OK (!0) 4
          quota=1 quota_error=1     | OK 4 !0
          quota_error=1             | ERROR !0
          quota_error=1 quota_deny=1| OVER !0 !0
          quota_error=1 error=1     | ERROR !0 !0
          quota_deny=1 error=1      | OVER !0 !0
          quota=1 quota_deny=1 error=1 | ERROR 5 !0 !0
          denied=1 error=1          | OVER -,!0 !0
          """)
  void denyBeatsErrorBeatsAllow(String request, String expected) {
    assertThat(EnvoyScenario.summary(EnvoyScenario.check(limiter(DescriptorMode.DEFAULT), request)))
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          allow=1               | OK 0
          deny=1                | OVER !0
          error=1               | ERROR !0
          error=1*-1            | OK 0
          yes=1 error=1         | ERROR 4 !0
          no=1 error=1          | OVER !0 !0
          tried=1 yes=1         | OK (!0) 4
          quota=1 quota_error=1 | OK 4 !0
          """)
  void denyBeatsErrorWhereRefusedHitsCount(String request, String expected) {
    DescriptorMode counting = new DescriptorMode(true, false, false);
    assertThat(EnvoyScenario.summary(EnvoyScenario.check(limiter(counting), request)))
        .isEqualTo(expected);
  }

  @Test
  void aFailureIsNamedAfterTheLimitItself() {
    for (boolean counting : new boolean[] {false, true}) {
      RequestLimiter limiter = limiter(new DescriptorMode(counting, false, false));
      DescriptorDecision decision = EnvoyScenario.check(limiter, "error=1");
      RuleDecision ruleDecision =
          decision.descriptorResults().get(0).requestDecision().ruleDecisions().get(0);
      assertThat(ruleDecision.decision().origin()).isEqualTo(Origin.FAILURE);
      assertThat(ruleDecision.decision().limit()).isEqualTo(ruleDecision.rule().limits().get(0));
    }
  }

  @Test
  void modeWithoutRefusalsReportsNoError() {
    RequestLimiter limiter = limiter(new DescriptorMode(false, false, true));
    assertThat(EnvoyScenario.summary(EnvoyScenario.check(limiter, "error=1 deny=1")))
        .isEqualTo("OK !0 !0");
  }
}
