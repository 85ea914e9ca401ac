package io.weir.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.decision.RuleSource;
import io.weir.rig.Await;
import io.weir.rules.file.InvalidRulesException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules that promise what their store cannot keep are wrong rules. */
class ConsistencyCheckTest {
  private static final String NOWHERE = "redis://127.0.0.1:1";

  @TempDir private Path dir;

  private Path rules(String consistency) throws IOException {
    return Files.writeString(
        dir.resolve("r.yaml"),
        """
        rules:
          - { name: a, limit: 5/s, consistency: exact }
          - { name: b, limit: 5/s, consistency: %s }
        """
            .formatted(consistency));
  }

  @Test
  void unsupportedConsistencyPreventsTheStart() throws Exception {
    Path file = rules("strict");
    assertThatThrownBy(() -> Node.builder(RuleSource.of(List.of(file))).store(NOWHERE).open())
        .isInstanceOf(InvalidRulesException.class)
        .hasMessageStartingWith(
            file + ":3:13: rule 'b': consistency 'strict' needs to know how many")
        .hasMessageContaining("add replicas=N to the URL");
  }

  @Test
  void rejectsReloadWithUnsupportedConsistency() throws Exception {
    Path file = rules("leased");
    try (Node node = Node.builder(RuleSource.of(List.of(file))).store(NOWHERE).open()) {
      rules("strict");
      Await.holds("they are rejected", () -> node.reloadCounters().rejected() == 1);
      assertThat(node.rules().domains().get(0).allRules().get(1).policy().consistency())
          .hasToString("leased");
    }
  }

  @Test
  void memorySupportsAllConsistencies() throws Exception {
    for (String promise : List.of("exact", "strict", "leased", "eventual")) {
      try (Node node = Node.builder(RuleSource.of(List.of(rules(promise)))).open()) {
        assertThat(node.rules().domains()).isNotEmpty();
      }
    }
  }
}
