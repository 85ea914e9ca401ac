package io.weir.rules.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.CoverageFuzzing;
import io.weir.rig.FuzzTarget;
import io.weir.rules.Problem;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/**
 * Rule files: rules or errors and never both, at places within the file, and the same each time.
 */
class RuleFileCoverageFuzzTest implements FuzzTarget {
  @Test
  void readsTheSeeds() {
    CoverageFuzzing.seeds(this);
  }

  @Test
  @Tag("soak")
  @EnabledForJreRange(max = JRE.JAVA_17)
  void readsForMinutes() {
    CoverageFuzzing.minutes(this);
  }

  @Override
  public List<byte[]> seeds() {
    return Stream.concat(
            RuleFileFuzzTest.GOOD.stream(),
            Stream.of(
                "rules:\n  - name: a\n    limit: 5 per second\n",
                "rules: [{ name: a, per: ip, limit: { rate: 5 per 10s, burst: 9 } }]",
                "rules:\n - name: a\n   limit: &x { rate: 1 per day }\n - { name: b, limit: *x }",
                "%YAML 1.2\n---\nrules: !!seq []\n...\n",
                "rules: [",
                "\ufeffrules: ~",
                ""))
        .map(file -> file.getBytes(UTF_8))
        .toList();
  }

  @Override
  public List<String> words() {
    return Stream.concat(
            RuleFileFuzzTest.PIECES.stream(),
            Stream.of(
                "algorithm: ", "token-bucket", "sliding-window", "per day", "tier: ", "header: "))
        .toList();
  }

  @Override
  public void run(byte[] input) {
    Reading reading = RuleFiles.read("r.yaml", input);
    assertThat(reading.rules().isPresent()).isEqualTo(reading.problems().isEmpty());

    long lines =
        1
            + new String(input, UTF_8)
                .chars()
                .filter(c -> "\n\r\u0085\u2028\u2029".indexOf(c) >= 0)
                .count();
    for (Problem problem : reading.problems()) {
      assertThat((long) problem.sourceLocation().line())
          .as(problem.toString())
          .isBetween(1L, lines);
      assertThat(problem.sourceLocation().column())
          .as(problem.toString())
          .isBetween(1, input.length + 1);
      assertThat(problem.message()).isNotBlank();
    }
    assertThat(RuleFiles.read("r.yaml", input).problems()).isEqualTo(reading.problems());
  }
}
