package io.weir.arbiter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.TimeSource;
import io.weir.rig.Logged;
import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleFiles;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The log lines about refusals. */
class RefusalsTest {
  @Test
  void aRuleHasALineInTenSecondsHoweverManyItRefuses() {
    Rules rules = new Rules("rules: [ { name: login, limit: 1 per hour } ]");
    try (Logged log = new Logged("io.weir.refusals")) {
      Refusals refusals = new Refusals(rules::counted, rule -> "");
      refusals.second(100);
      rules.ask(313);
      for (int second = 101; second < 110; second++) {
        refusals.second(second);
      }
      assertThat(log.lines()).isEmpty();

      refusals.second(110);
      assertThat(log.lines()).containsExactly("INFO rule login refused 312 requests in 10 s");

      refusals.second(120);
      assertThat(log.lines()).as("nothing new").hasSize(1);

      rules.ask(1);
      refusals.second(134);
      assertThat(log.lines())
          .hasSize(2)
          .last()
          .isEqualTo("INFO rule login refused 1 request in 14 s");
    }
  }

  @Test
  void onlyTheBusiestRulesHaveALine() {
    StringBuilder yaml = new StringBuilder("rules:\n");
    for (int i = 0; i < 1000; i++) {
      yaml.append("  - { name: r").append(i).append(", match: { n: '").append(i);
      yaml.append("' }, limit: 0 per hour }\n");
    }
    Rules rules = new Rules(yaml.toString());
    try (Logged log = new Logged("io.weir.refusals")) {
      Refusals refusals = new Refusals(rules::counted, rule -> "of " + rule + "'s callers");
      refusals.second(0);
      for (int i = 0; i < 1000; i++) {
        int n = i;
        rules.arbiter.decide(name -> String.valueOf(n));
        if (i % 200 == 0) {
          rules.arbiter.decide(name -> String.valueOf(n));
        }
      }
      refusals.second(10);

      assertThat(log.lines())
          .containsExactlyInAnyOrder(
              "INFO rule r0 refused 2 requests in 10 s, of r0's callers",
              "INFO rule r200 refused 2 requests in 10 s, of r200's callers",
              "INFO rule r400 refused 2 requests in 10 s, of r400's callers",
              "INFO rule r600 refused 2 requests in 10 s, of r600's callers",
              "INFO rule r800 refused 2 requests in 10 s, of r800's callers",
              "INFO 995 more rules refused 995 requests in 10 s");
    }
  }

  private static final class Rules {
    private final Arbiter arbiter;

    Rules(String yaml) {
      RuleSet rules = RuleFiles.read("rules.yaml", yaml.getBytes(UTF_8)).rules().orElseThrow();
      arbiter =
          new Arbiter(RequestLimiter.builder(rules).time(TimeSource.manual()).build(), new Tally());
    }

    void ask(int times) {
      for (int i = 0; i < times; i++) {
        arbiter.decide(name -> null);
      }
    }

    List<io.weir.arbiter.RuleTally> counted() {
      return arbiter.tally().rules(arbiter::rules);
    }
  }
}
