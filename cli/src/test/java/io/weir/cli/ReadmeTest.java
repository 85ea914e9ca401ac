package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the documentation tells people to type works, as it is printed. */
class ReadmeTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  @TempDir private Path dir;

  static List<String> commands() throws IOException {
    List<String> commands = new ArrayList<>();
    for (String document : List.of("README.md", "docs/rules.md")) {
      Files.readAllLines(ROOT.resolve(document)).stream()
          .filter(line -> line.startsWith("./"))
          .map(line -> line.replaceFirst(" *#.*", ""))
          .forEach(commands::add);
    }
    return commands;
  }

  static Stream<String> weirCommands() throws IOException {
    return commands().stream().filter(command -> command.startsWith("./weir ")).distinct();
  }

  @Test
  void itsCommandsExist() throws IOException {
    assertThat(commands())
        .hasSizeGreaterThan(5)
        .allSatisfy(command -> assertThat(ROOT.resolve(command.split(" ")[0])).isExecutable());
  }

  /** In a process and a directory of its own, where the examples are as in a checkout. */
  @Tag("slow")
  @ParameterizedTest
  @MethodSource("weirCommands")
  void itsCommandsRun(String command) throws Exception {
    Files.createSymbolicLink(dir.resolve("examples"), ROOT.resolve("examples"));
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    line.addAll(List.of(command.substring("./weir ".length()).split(" ")));
    Path out = dir.resolve("out");
    Path err = dir.resolve("err");
    Process process =
        new ProcessBuilder(line)
            .directory(dir.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue()).as(Files.readString(err, UTF_8)).isZero();
    assertThat(Files.readString(out, UTF_8)).isNotBlank();
    if (command.contains("--report")) {
      assertThat(dir.resolve("report.html")).isNotEmptyFile();
    }
  }
}
