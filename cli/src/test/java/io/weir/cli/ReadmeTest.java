package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the README tells people to type works. */
class ReadmeTest {
  private static final Path ROOT = Path.of("..");

  private static List<String> commands() throws IOException {
    return Files.readAllLines(ROOT.resolve("README.md")).stream()
        .filter(line -> line.startsWith("./"))
        .map(line -> line.replaceFirst(" *#.*", ""))
        .toList();
  }

  @Test
  void itsCommandsExist() throws IOException {
    assertThat(commands())
        .hasSizeGreaterThan(2)
        .allSatisfy(command -> assertThat(ROOT.resolve(command.split(" ")[0])).isExecutable());
  }

  @Test
  void itsDemosRun() throws IOException {
    List<String> demos = commands().stream().filter(c -> c.startsWith("./weir ")).toList();
    assertThat(demos)
        .isNotEmpty()
        .allSatisfy(
            demo -> {
              StringWriter out = new StringWriter();
              StringWriter err = new StringWriter();
              String[] arguments = demo.substring("./weir ".length()).split(" ");
              int code = Main.run(new PrintWriter(out), new PrintWriter(err), Map.of(), arguments);
              assertThat(code).as(err.toString()).isZero();
              assertThat(out.toString().lines().count()).isGreaterThan(5);
            });
  }
}
