package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that need a separate process: signals, closed pipes, full disks, little memory. */
@Tag("slow")
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProcessTest {
  private static final int ROWS = 200_000;

  @TempDir private Path directory;
  private Process process;

  @BeforeEach
  void writeFiles() throws IOException {
    Files.writeString(
        directory.resolve("rules.yaml"), "rules: [ { name: a, per: user, limit: 1 per hour } ]");
    Files.writeString(directory.resolve("trace.csv"), trace());
  }

  @AfterEach
  void end() {
    if (process != null) {
      process.destroyForcibly();
    }
  }

  @Test
  void leavesNothingBehindWhenItIsKilled() throws Exception {
    start(
        List.of(),
        new ProcessBuilder(),
        "--trace",
        "-",
        "--decisions",
        "out.csv",
        "--report",
        "r.html");
    assumeTrue(process.supportsNormalTermination());
    try (OutputStream in = process.getOutputStream()) {
      in.write(trace().getBytes(UTF_8));
      in.flush(); // and stays open: there may be more to come
      while (parts().size() < 2) {
        assertThat(process.isAlive()).as(errors()).isTrue();
        Thread.sleep(20);
      }
      process.destroy();
      process.waitFor();
    }
    assertThat(files()).containsExactlyInAnyOrder("err", "rules.yaml", "trace.csv");
  }

  @Test
  void neverOverwritesTheFileThatIsStandardInput() throws Exception {
    assumeTrue(Files.exists(Path.of("/dev/stdin")));
    Path trace = directory.resolve("trace.csv");
    ProcessBuilder builder = new ProcessBuilder().redirectInput(trace.toFile());
    start(List.of(), builder, "--trace", "-", "--decisions", "trace.csv");
    assertThat(process.waitFor()).isEqualTo(2);
    assertThat(errors())
        .isEqualTo("weir simulate: trace.csv is an input, and would be overwritten\n");
    assertThat(trace).hasContent(trace());
  }

  @Test
  void neverReadsWhatItAppendsTo() throws Exception {
    assumeTrue(Files.exists(Path.of("/dev/stdout")));
    Path trace = directory.resolve("trace.csv");
    ProcessBuilder builder =
        new ProcessBuilder().redirectOutput(ProcessBuilder.Redirect.appendTo(trace.toFile()));
    start(List.of(), builder, "--trace", "trace.csv", "--decisions", "-");
    assertThat(process.waitFor()).isEqualTo(2);
    assertThat(trace).hasContent(trace());
  }

  @Test
  void addsToALogThatIsStandardOutput() throws Exception {
    assumeTrue(Files.exists(Path.of("/dev/stdout")));
    Path log = Files.writeString(directory.resolve("log"), "from last week\n");
    Files.writeString(directory.resolve("few.csv"), "time,user\n0,ann\n");
    ProcessBuilder builder =
        new ProcessBuilder().redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    start(List.of(), builder, "--trace", "few.csv", "--decisions", "/dev/stdout");
    assertThat(process.waitFor()).as(errors()).isZero();
    assertThat(log)
        .hasContent(
            "from last week\ntime,rule,key,allowed,remaining,retry_after_ms,delay_ms\n"
                + "0,a,ann,true,0,0,0\n");
    assertThat(errors()).contains("few.csv: 1 request");
  }

  @Test
  void endsQuietlyWhenStandardOutputIsClosed() throws Exception {
    start(List.of(), new ProcessBuilder(), "--trace", "trace.csv", "--decisions", "-");
    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      assertThat(out.readLine()).startsWith("time,rule,");
    }
    assertThat(process.waitFor()).isZero();
    assertThat(errors()).isEmpty();
  }

  @Test
  void reportsFullStandardOutput() throws Exception {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.exists(full));
    ProcessBuilder builder = new ProcessBuilder().redirectOutput(full.toFile());
    start(List.of(), builder, "--trace", "trace.csv", "--decisions", "-");
    assertThat(process.waitFor()).isEqualTo(3);
    assertThat(errors()).startsWith("weir simulate: standard output: ").hasLineCount(1);
  }

  @Test
  void reportsTooLittleMemoryInOneLine() throws Exception {
    StringBuilder trace = new StringBuilder("time,user\n");
    for (int i = 0; i < 600_000; i++) {
      trace.append("0,user").append(i).append('\n');
    }
    Files.writeString(directory.resolve("many.csv"), trace);
    start(List.of("-Xmx10m"), new ProcessBuilder(), "--trace", "many.csv");
    assertThat(process.waitFor()).isEqualTo(3);
    assertThat(errors()).startsWith("weir simulate: out of memory; ").hasLineCount(1);
  }

  private static String trace() {
    StringBuilder trace = new StringBuilder("time,user\n");
    for (int i = 0; i < ROWS; i++) {
      trace.append(i).append(",ann\n");
    }
    return trace.toString();
  }

  private void start(List<String> options, ProcessBuilder builder, String... arguments)
      throws IOException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(options);
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    line.addAll(List.of("simulate", "--rules", "rules.yaml"));
    line.addAll(List.of(arguments));
    process =
        builder
            .command(line)
            .directory(directory.toFile())
            .redirectError(directory.resolve("err").toFile())
            .start();
  }

  private String errors() throws IOException {
    return Files.readString(directory.resolve("err"), UTF_8);
  }

  private List<String> parts() throws IOException {
    return files().stream().filter(name -> name.endsWith(".part")).toList();
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }
}
