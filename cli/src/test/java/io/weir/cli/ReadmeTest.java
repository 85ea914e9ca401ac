package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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

/** The commands in the documentation work as printed. */
class ReadmeTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  @TempDir private Path dir;

  static List<String> commands() throws IOException {
    List<String> commands = new ArrayList<>();
    for (String document : List.of("README.md", "docs/how-to/test-rules.md")) {
      Files.readAllLines(ROOT.resolve(document)).stream()
          .filter(line -> line.startsWith("./"))
          .map(line -> line.replaceFirst(" *#.*", ""))
          .forEach(commands::add);
    }
    return commands;
  }

  static Stream<String> weirCommands() throws IOException {
    return commands().stream()
        .filter(command -> command.startsWith("./weir "))
        .filter(command -> !command.startsWith("./weir serve"))
        .distinct();
  }

  static Stream<String> serveCommands() throws IOException {
    return commands().stream().filter(command -> command.startsWith("./weir serve")).distinct();
  }

  static List<String> curls() throws IOException {
    return Files.readAllLines(ROOT.resolve("README.md")).stream()
        .filter(line -> line.startsWith("curl "))
        .toList();
  }

  @Test
  void commandsInReadmeExist() throws IOException {
    assertThat(commands())
        .hasSizeGreaterThan(5)
        .allSatisfy(command -> assertThat(ROOT.resolve(command.split(" ")[0])).isExecutable());
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("serveCommands")
  void serveCommandsInReadmeStart(String command) throws Exception {
    String arguments = command.substring("./weir serve".length()).strip();
    String[] words = arguments.replace("examples/", ROOT + "/examples/").split(" +");
    try (ServeProcess serve = ServeProcess.ready(arguments.isEmpty() ? new String[0] : words)) {
      serve.terminate();
      assertThat(serve.exitCode()).isZero();
    }
  }

  /** The first curl lines, in order, print the output below them. */
  @Test
  void curlLinesInReadmePrintTheDocumentedOutput() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/curl")), "no curl is installed");
    List<String> outputs = new ArrayList<>();
    try (ServeProcess serve = ServeProcess.ready()) {
      for (String curl : curls()) {
        String line =
            curl.replace("http://127.0.0.1:8080", serve.gateway().toString())
                .replace("http://127.0.0.1:8081", serve.service().toString());
        Path out = dir.resolve("out");
        Process process =
            new ProcessBuilder("bash", "-c", line)
                .redirectOutput(out.toFile())
                .redirectError(dir.resolve("err").toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        outputs.add(Files.readString(out, UTF_8).replace("\r", "").strip());
      }
    }
    String readme = Files.readString(ROOT.resolve("README.md"), UTF_8);
    assertThat(outputs).hasSize(3);
    // A slow machine lets an eleventh through: a second has passed.
    assertThat(outputs.get(0))
        .startsWith("200 200 200 200 200 200 200 200 200 200 ")
        .contains("429");
    assertThat(shape(readme)).contains(shape(outputs.get(2)));
    if (outputs.get(1).startsWith("HTTP/1.1 429")) {
      assertThat(shape(readme)).contains(shape(outputs.get(1)));
    }
  }

  /** Without what is different each time. */
  private static String shape(String text) {
    return text.replaceAll("\\d{10,}", "TIME").replaceAll("\"reset_after_ms\":\\d+", "RESET");
  }

  /** In a separate process and directory, with the examples as in a checkout. */
  @Tag("slow")
  @ParameterizedTest
  @MethodSource("weirCommands")
  void commandsInReadmeRun(String command) throws Exception {
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
