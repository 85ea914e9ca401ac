package io.weir.rules.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.file.RuleFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The worked cases, from rules and trace to decisions. */
class VectorReplayTest {
  private static final Path VECTORS =
      Path.of("../testing/tck/src/main/resources/io/weir/tck/vectors");

  /** All but those in which the rules change: a replay is by one set of rules. */
  static List<String> cases() throws IOException {
    try (Stream<Path> found = Files.list(VECTORS)) {
      return found
          .filter(path -> Files.notExists(path.resolve("reloads.csv")))
          .map(path -> path.getFileName().toString())
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void replayReproducesTestVectors(String name) throws IOException {
    Path directory = VECTORS.resolve(name);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (Trace trace = Trace.open(directory.resolve("trace.csv"));
        DecisionFile decisions = new DecisionFile(out)) {
      Summary summary =
          TraceReplay.by(RuleFiles.load(List.of(directory.resolve("rules.yaml"))))
              .decisionsTo(decisions)
              .run(trace);
      assertThat(summary.malformed().count()).isZero();
    }
    List<String> decided = out.toString(StandardCharsets.UTF_8).lines().toList();
    List<String> requests = Files.readAllLines(directory.resolve("trace.csv"));
    List<String> expected = Files.readAllLines(directory.resolve("expected.csv"));
    assertThat(decided).hasSameSizeAs(expected);
    for (int i = 1; i < expected.size(); i++) {
      String[] request = requests.get(i).split(",");
      assertThat(decided.get(i))
          .as("line %d: %s", i + 1, requests.get(i))
          .isEqualTo(request[0] + ",case," + request[1] + "," + expected.get(i));
    }
  }
}
