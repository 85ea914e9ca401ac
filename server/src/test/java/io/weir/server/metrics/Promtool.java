package io.weir.server.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.rig.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs {@code promtool}; skips the test where it is not installed. */
final class Promtool {
  private Promtool() {}

  /** What a run printed, errors too, and how it ended. */
  record Result(int exitCode, String output) {}

  /** Runs in {@code directory} with {@code input} as standard input; fails on an exit code. */
  static String succeed(Path directory, String input, String... arguments)
      throws IOException, InterruptedException {
    Result result = run(directory, input, arguments);
    assertThat(result.exitCode()).as(result.output()).isZero();
    return result.output();
  }

  /** Runs in {@code directory} with {@code input} as standard input. */
  static Result run(Path directory, String input, String... arguments)
      throws IOException, InterruptedException {
    assumeTrue(
        Program.find("promtool").isPresent(),
        "promtool is not installed (Debian: apt-get install prometheus)");
    List<String> command = new ArrayList<>(List.of("promtool"));
    command.addAll(List.of(arguments));
    Path files = Program.directory("promtool");
    Path in = Files.writeString(files.resolve("in"), input, UTF_8);
    Path out = files.resolve("out");
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectInput(in.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    try {
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).as("promtool ends").isTrue();
    } finally {
      process.destroyForcibly();
    }
    return new Result(process.exitValue(), Files.readString(out));
  }
}
