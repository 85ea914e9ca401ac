package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Consistency;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.Origin;
import io.weir.Standing;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Answers;
import io.weir.rules.http.Header;
import io.weir.rules.http.HeaderStyle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What several rules say together when the stores of some of them could not be asked. */
class RulingOnFailureTest {
  private static final Limit LIMIT = Limit.tokenBucket(10).perSecond();

  /** Verdicts are {@code yes}, {@code no}, or the policy of a rule with a failed store. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          allow            | allowed | allow
          deny             | 429     | deny
          error            | 503     | error
          yes allow        | allowed | yes
          allow yes        | allowed | yes
          yes deny         | 429     | deny
          yes error        | 503     | error
          no deny error    | 429     | no
          deny no          | 429     | no
          error no         | 429     | no
          allow error deny | 429     | deny
          error allow      | 503     | error
          """)
  void whoDecides(String verdicts, String outcome, String decider) {
    Ruling ruling = ruling(verdicts.split(" "));
    assertThat(ruling.allowed()).isEqualTo(outcome.equals("allowed"));
    assertThat(ruling.deciding().orElseThrow().rule().name()).isEqualTo(decider);
    assertThat(ruling.isError()).isEqualTo(outcome.equals("503"));
    if (!ruling.allowed()) {
      Answer answer = new Answers(HeaderStyle.DEFAULT).refusal(ruling, null);
      assertThat(answer.status()).isEqualTo(Integer.parseInt(outcome));
      String error = decider.equals("no") ? "rate_limit_exceeded" : "limiter_unavailable";
      assertThat(answer.body()).contains("\"error\":\"" + error + "\"");
      assertThat(answer.headers()).contains(new Header("Retry-After", "1"));
    }
  }

  @Test
  void reportsNoUncountedRemainder() {
    Answers answers = new Answers(HeaderStyle.DEFAULT);
    assertThat(answers.headers(ruling("allow"))).isEmpty();
    assertThat(answers.headers(ruling("allow", "yes")))
        .contains(new Header("RateLimit-Policy", "\"yes\";q=10;w=1"));
    assertThat(ruling("allow", "yes").remaining()).isEqualTo(7);
  }

  private static Ruling ruling(String... names) {
    List<Verdict> verdicts = new ArrayList<>();
    for (String name : names) {
      verdicts.add(
          switch (name) {
            case "yes" -> verdict(name, OnFailure.ALLOW, counted(0));
            case "no" -> verdict(name, OnFailure.ALLOW, counted(100_000_000));
            default -> {
              OnFailure policy = OnFailure.valueOf(name.toUpperCase(Locale.ROOT));
              boolean allowed = policy == OnFailure.ALLOW;
              yield verdict(name, policy, Decision.onFailure(allowed, 1, List.of(LIMIT), 0));
            }
          });
    }
    return Ruling.of(verdicts, List.of());
  }

  private static Decision counted(long waitNanos) {
    Standing standing = Standing.of(LIMIT, waitNanos == 0 ? 7 : 0, waitNanos, 1_000_000, 0);
    return Decision.of(1, Duration.ZERO, List.of(standing), 0, Origin.STORE);
  }

  private static Verdict verdict(String name, OnFailure policy, Decision decision) {
    Rule rule =
        Rule.named(name).policy(new Policy(Policy.Mode.ENFORCE, policy, Consistency.EXACT)).build();
    return Verdict.of(rule, "", decision);
  }
}
