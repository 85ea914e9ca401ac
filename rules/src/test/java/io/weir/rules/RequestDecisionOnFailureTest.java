package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Consistency;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.OnFailure;
import io.weir.Origin;
import io.weir.rules.http.DecisionResponses;
import io.weir.rules.http.DirectResponse;
import io.weir.rules.http.Header;
import io.weir.rules.http.HeaderStyle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The combined decision of several rules when the stores of some are unreachable. */
class RequestDecisionOnFailureTest {
  private static final Limit LIMIT = Limit.tokenBucket(10).perSecond();

  /** Policies are {@code allowed}, {@code refused}, or the policy of a rule with a failed store. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          allow            | allowed | allow
          deny             | 429     | deny
          error            | 503     | error
          allowed allow      | allowed | allowed
          allow allowed      | allowed | allowed
          allowed deny       | 429     | deny
          allowed error      | 503     | error
          refused deny error | 429     | refused
          deny refused       | 429     | refused
          error refused      | 429     | refused
          allow error deny | 429     | deny
          error allow      | 503     | error
          """)
  void namesTheDecidingRule(String policies, String outcome, String decider) {
    RequestDecision requestDecision = decision(policies.split(" "));
    assertThat(requestDecision.allowed()).isEqualTo(outcome.equals("allowed"));
    assertThat(requestDecision.deciding().orElseThrow().rule().name()).isEqualTo(decider);
    assertThat(requestDecision.isError()).isEqualTo(outcome.equals("503"));
    if (!requestDecision.allowed()) {
      DirectResponse directResponse =
          new DecisionResponses(HeaderStyle.DEFAULT).refusal(requestDecision, null);
      assertThat(directResponse.status()).isEqualTo(Integer.parseInt(outcome));
      String error = decider.equals("refused") ? "rate_limit_exceeded" : "limiter_unavailable";
      assertThat(directResponse.body()).contains("\"error\":\"" + error + "\"");
      assertThat(directResponse.headers()).contains(new Header("Retry-After", "1"));
    }
  }

  @Test
  void reportsNoRemainderOfFailedLimits() {
    DecisionResponses decisionResponses = new DecisionResponses(HeaderStyle.DEFAULT);
    assertThat(decisionResponses.headers(decision("allow"))).isEmpty();
    assertThat(decisionResponses.headers(decision("allow", "allowed")))
        .contains(new Header("RateLimit-Policy", "\"allowed\";q=10;w=1"));
    assertThat(decision("allow", "allowed").remaining()).isEqualTo(7);
  }

  private static RequestDecision decision(String... names) {
    List<RuleDecision> ruleDecisions = new ArrayList<>();
    for (String name : names) {
      ruleDecisions.add(
          switch (name) {
            case "allowed" -> ruleDecision(name, OnFailure.ALLOW, counted(0));
            case "refused" -> ruleDecision(name, OnFailure.ALLOW, counted(100_000_000));
            default -> {
              OnFailure policy = OnFailure.valueOf(name.toUpperCase(Locale.ROOT));
              boolean allowed = policy == OnFailure.ALLOW;
              yield ruleDecision(name, policy, Decision.onFailure(allowed, 1, List.of(LIMIT), 0));
            }
          });
    }
    return RequestDecision.of(ruleDecisions, List.of());
  }

  private static Decision counted(long waitNanos) {
    LimitStatus limitStatus =
        LimitStatus.of(LIMIT, waitNanos == 0 ? 7 : 0, waitNanos, 1_000_000, 0);
    return Decision.of(1, Duration.ZERO, List.of(limitStatus), 0, Origin.STORE);
  }

  private static RuleDecision ruleDecision(String name, OnFailure policy, Decision decision) {
    Rule rule =
        Rule.named(name).policy(new Policy(Policy.Mode.ENFORCE, policy, Consistency.EXACT)).build();
    return RuleDecision.of(rule, "", decision);
  }
}
