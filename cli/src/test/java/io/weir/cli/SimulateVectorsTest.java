package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every worked case, from its files through the command line to its decisions, exactly. */
class SimulateVectorsTest {
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
  void simulateReproducesTestVectors(String name) throws IOException {
    Path directory = VECTORS.resolve(name);
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();

    int code =
        Main.run(
            new PrintWriter(out),
            new PrintWriter(err),
            Map.of(),
            "simulate",
            "--rules=" + directory.resolve("rules.yaml"),
            "--trace=" + directory.resolve("trace.csv"),
            "--decisions=-");

    assertThat(code).as(err.toString()).isZero();
    List<String> decided = new ArrayList<>();
    for (String line : out.toString().lines().toList()) {
      decided.add(line.replaceFirst("^[^,]*,[^,]*,[^,]*,", ""));
    }
    assertThat(decided)
        .containsExactlyElementsOf(Files.readAllLines(directory.resolve("expected.csv")));
  }
}
