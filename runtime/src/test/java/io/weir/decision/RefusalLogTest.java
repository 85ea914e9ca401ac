package io.weir.decision;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.TimeSource;
import io.weir.rig.CapturedLog;
import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleFiles;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The log lines about refusals. */
class RefusalLogTest {
  @Test
  void logsOneLinePerRuleInTenSeconds() {
    Rules rules = new Rules("rules: [ { name: login, limit: 1 per hour } ]");
    try (CapturedLog log = new CapturedLog("io.weir.refusals")) {
      RefusalLog refusalLog = new RefusalLog(rules::counted, rule -> "");
      refusalLog.second(100);
      rules.decide(313);
      for (int second = 101; second < 110; second++) {
        refusalLog.second(second);
      }
      assertThat(log.lines()).isEmpty();

      refusalLog.second(110);
      assertThat(log.lines()).containsExactly("INFO rule login refused 312 requests in 10 s");

      refusalLog.second(120);
      assertThat(log.lines()).as("nothing new").hasSize(1);

      rules.decide(1);
      refusalLog.second(134);
      assertThat(log.lines())
          .hasSize(2)
          .last()
          .isEqualTo("INFO rule login refused 1 request in 14 s");
    }
  }

  @Test
  void logsOnlyTheBusiestRules() {
    StringBuilder yaml = new StringBuilder("rules:\n");
    for (int i = 0; i < 1000; i++) {
      yaml.append("  - { name: r").append(i).append(", match: { n: '").append(i);
      yaml.append("' }, limit: 0 per hour }\n");
    }
    Rules rules = new Rules(yaml.toString());
    try (CapturedLog log = new CapturedLog("io.weir.refusals")) {
      RefusalLog refusalLog = new RefusalLog(rules::counted, rule -> "of " + rule + "'s callers");
      refusalLog.second(0);
      for (int i = 0; i < 1000; i++) {
        int n = i;
        rules.decisionEngine.decide(name -> String.valueOf(n));
        if (i % 200 == 0) {
          rules.decisionEngine.decide(name -> String.valueOf(n));
        }
      }
      refusalLog.second(10);

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
    private final DecisionEngine decisionEngine;

    Rules(String yaml) {
      RuleSet rules = RuleFiles.read("rules.yaml", yaml.getBytes(UTF_8)).rules().orElseThrow();
      decisionEngine =
          new DecisionEngine(
              RequestLimiter.builder(rules).time(TimeSource.manual()).build(),
              new DecisionCounters());
    }

    void decide(int times) {
      for (int i = 0; i < times; i++) {
        decisionEngine.decide(name -> null);
      }
    }

    List<io.weir.decision.RuleCounters> counted() {
      return decisionEngine.decisionCounters().rules(decisionEngine::rules);
    }
  }
}
