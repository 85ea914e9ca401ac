package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Consistency;
import io.weir.Limit;
import io.weir.OnFailure;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The failure policy of a rule is passed to the store. */
class OnFailureTest {
  private static final Limit LIMIT = Limit.tokenBucket(10).perSecond();

  private static Rule rule(String name, OnFailure onFailure, Policy.Mode mode, Limit limit) {
    return Rule.named(name)
        .limit(limit)
        .policy(new Policy(mode, onFailure, Consistency.EXACT))
        .build();
  }

  private static Rule enforced(OnFailure onFailure) {
    return rule("enforced", onFailure, Policy.Mode.ENFORCE, LIMIT);
  }

  private static RuleSet rules(Rule... rules) {
    return RuleSet.of(new Domain(Rule.DEFAULT_DOMAIN, Map.of(), List.of(rules)));
  }

  private static RequestLimiter limiter(Rule... rules) {
    return RequestLimiter.builder(rules(rules)).store(FailedBuckets::new).build();
  }

  @ParameterizedTest
  @CsvSource({"ALLOW, true, false", "DENY, false, false", "ERROR, false, true"})
  void reachesTheStore(OnFailure onFailure, boolean allowed, boolean isError) {
    RequestDecision requestDecision = limiter(enforced(onFailure)).check(Requests.of());
    assertThat(requestDecision.allowed()).isEqualTo(allowed);
    assertThat(requestDecision.isError()).isEqualTo(isError);
  }

  /** With the same limit, and with another. */
  @Test
  void isChangedByAReload() {
    RequestLimiter limiter = limiter(enforced(OnFailure.ALLOW));
    assertThat(limiter.check(Requests.of()).allowed()).isTrue();
    limiter.reload(rules(enforced(OnFailure.DENY)));
    assertThat(limiter.check(Requests.of()).allowed()).isFalse();
    Limit other = Limit.tokenBucket(20).perSecond();
    limiter.reload(rules(rule("enforced", OnFailure.ALLOW, Policy.Mode.ENFORCE, other)));
    assertThat(limiter.check(Requests.of()).allowed()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"DENY", "ERROR"})
  void shadowRuleFailsNoRequest(OnFailure onFailure) {
    Rule tried = rule("tried", onFailure, Policy.Mode.SHADOW, LIMIT);
    for (RequestLimiter limiter :
        List.of(limiter(tried), limiter(enforced(OnFailure.ALLOW), tried))) {
      RequestDecision requestDecision = limiter.check(Requests.of());
      assertThat(requestDecision.allowed()).isTrue();
      assertThat(requestDecision.isError()).isFalse();
      assertThat(requestDecision.shadows())
          .hasSize(1)
          .noneMatch(shadow -> shadow.decision().allowed());
    }
  }
}
