package io.weir.spring.actuator;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.weir.Limit;
import io.weir.decision.RuleSource;
import io.weir.rig.Await;
import io.weir.rules.Domain;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.runtime.Node;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Meters are those of the rules in force. */
class WeirMeterBinderTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  private static RuleSet rules(String... names) {
    List<Rule> rules =
        Stream.of(names)
            .map(name -> Rule.named(name).limit(Limit.slidingLog(2).perHour()).build())
            .toList();
    return RuleSet.of(new Domain(Rule.DEFAULT_DOMAIN, Map.of(), rules));
  }

  @Test
  void countersOutliveAReloadIfTheirRulesDo() {
    RuleSource feed = RuleSource.of(rules("kept", "gone"));
    try (Node node = Node.builder(feed).open()) {
      new WeirMeterBinder(node).bindTo(registry);
      assertThat(requests("denied")).as("from the start").isZero();
      assertThat(requests("delayed")).isZero();
      for (int i = 0; i < 3; i++) {
        node.decisionEngine().decide(name -> null);
      }
      assertThat(count("kept", "allowed")).isEqualTo(2);
      assertThat(count("kept", "denied")).isEqualTo(1);
      assertThat(requests("allowed")).as("whatever number of rules applied").isEqualTo(2);
      assertThat(requests("denied")).isEqualTo(1);
      feed.replace(rules("kept", "new"));
      Await.holds("the new rule has meters", () -> names().contains("new"));
      Await.holds("the old rule has none", () -> !names().contains("gone"));
      node.decisionEngine().decide(name -> null);
      assertThat(count("kept", "allowed")).isEqualTo(2);
      assertThat(count("kept", "denied")).isEqualTo(2);
      assertThat(
              registry.get("weir.rules.reload").tag("result", "success").functionCounter().count())
          .isEqualTo(1);
    }
  }

  private double count(String rule, String outcome) {
    return registry
        .get("weir.decisions")
        .tags("rule", rule, "outcome", outcome)
        .functionCounter()
        .count();
  }

  private double requests(String outcome) {
    return registry
        .get("weir.requests")
        .tags("port", "application", "outcome", outcome)
        .functionCounter()
        .count();
  }

  private Set<String> names() {
    return registry.find("weir.decisions").functionCounters().stream()
        .map((FunctionCounter each) -> String.valueOf(each.getId().getTag("rule")))
        .collect(Collectors.toSet());
  }
}
