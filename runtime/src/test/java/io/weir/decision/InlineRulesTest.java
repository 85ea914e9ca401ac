package io.weir.decision;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.rig.Await;
import io.weir.rules.Domain;
import io.weir.rules.Request;
import io.weir.rules.RequestDecision;
import io.weir.rules.Rule;
import io.weir.rules.file.InlineRules;
import io.weir.rules.file.RuleInputs;
import io.weir.runtime.Node;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules that a program brings along besides those of files, and requests about some of them. */
class InlineRulesTest {
  private static final String FILE = "rules: [ { name: %s, limit: 1 per hour } ]";

  private static Domain own(String... names) {
    List<Rule> rules =
        List.of(names).stream()
            .map(
                name -> Rule.named(name).domain("own").limit(Limit.slidingLog(1).perHour()).build())
            .toList();
    return new Domain("own", Map.of(), rules);
  }

  private static List<String> names(Node node) {
    return node.rules().rules().stream().map(Rule::name).toList();
  }

  @Test
  void rulesOfAProgramStayWhenFilesChange(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("rules.yaml");
    Files.writeString(file, FILE.formatted("first"));
    byte[] carried = FILE.formatted("carried").getBytes(StandardCharsets.UTF_8);
    RuleSource ruleSource =
        RuleSource.of(
            new RuleInputs(
                List.of(file), List.of(new InlineRules("carried", carried)), OnFailure.DENY));
    try (Node node = Node.builder(ruleSource).open()) {
      ruleSource.add(own("one"));
      ruleSource.add(own("one", "two"));
      assertThat(names(node)).containsExactly("carried", "first", "one", "two");
      assertThat(node.reloadCounters().taken()).as("no file has changed").isZero();
      assertThat(node.rules().rules().get(1).policy().onFailure()).isEqualTo(OnFailure.DENY);
      Files.writeString(file, FILE.formatted("second"));
      Await.holds("the file is read again", () -> names(node).contains("second"));
      assertThat(names(node)).containsExactly("carried", "second", "one", "two");
      Await.holds("that is counted", () -> node.reloadCounters().taken() == 1);
    }
  }

  @Test
  void chargesOnlyTheRulesInScope() {
    RuleSource ruleSource = RuleSource.of(io.weir.rules.RuleSet.of(own("early", "late")));
    try (Node node = Node.builder(ruleSource).open()) {
      assertThat(decide(node, "early").ruleDecisions())
          .extracting("rule.name")
          .containsExactly("early");
      assertThat(decide(node, "early").allowed()).isFalse();
      assertThat(decide(node, "late").allowed()).isTrue();
      assertThat(decide(node, "neither").ruleDecisions()).isEmpty();
    }
  }

  private static RequestDecision decide(Node node, String about) {
    Request request =
        new Request() {
          @Override
          public @Nullable String attribute(String name) {
            return null;
          }

          @Override
          public boolean concerns(Rule rule) {
            return rule.name().equals(about);
          }
        };
    return node.decisionEngine().decide(request).toCompletableFuture().join();
  }
}
