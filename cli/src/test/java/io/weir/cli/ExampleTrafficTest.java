package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example that newcomers run first. */
class ExampleTrafficTest {
  private static final Path EXAMPLES = Path.of("../examples");
  private static final Path TRAFFIC = EXAMPLES.resolve("traffic.csv.gz");

  @TempDir private Path directory;

  @Test
  void exampleTraceEqualsGeneratorOutput() throws IOException {
    try (InputStream in = new GZIPInputStream(Files.newInputStream(TRAFFIC))) {
      assertThat(new String(in.readAllBytes(), UTF_8).equals(ExampleTraffic.text()))
          .as("ExampleTraffic writes it anew")
          .isTrue();
    }
    assertThat(TRAFFIC).satisfies(file -> assertThat(Files.size(file)).isLessThan(300_000));
  }

  @Test
  void exampleTraceYieldsAReportWithRefusals() throws IOException {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    Path report = directory.resolve("report.html");
    int code =
        Main.run(
            new PrintWriter(out),
            new PrintWriter(err),
            Map.of(),
            "simulate",
            "--rules=" + EXAMPLES.resolve("shop.yaml"),
            "--trace=" + TRAFFIC,
            "--report=" + report);

    assertThat(code).as(err.toString()).isZero();
    assertThat(out.toString().lines())
        .contains(
            "rule        requests  refused   share  callers  callers refused  peak use",
            "login          1,854      841  45.4 %       63               15     100 %",
            "client        39,837    3,232   8.1 %      270               48     100 %",
            "rolling        1,800    1,171  65.1 %        1                1     100 %",
            "everything    39,837        0     0 %        1                0   < 0.1 %",
            "search        11,642       46   0.4 %      235                8     100 %  shadow: would be refused",
            "legacy             0        -       -        -                -         -  never matched",
            "all           39,837    5,244  13.2 %                                      46 would be refused by shadow rules",
            "client refuses 8.1 % of requests and 18 % of callers (48 of 270)",
            "rolling refuses 65 % of requests, all of one caller: eve|/api2",
            "login refuses 45 % of requests and 24 % of callers (15 of 63)",
            "search is in shadow mode and would refuse 0.4 % of requests and 3.4 % of callers (8 of 235); one of them, key-of-ada, has 59 % of the refusals",
            "everything refuses no caller; peak use < 0.1 %: a hundredth of the limit would do");
    assertThat(Files.readString(report)).contains("key-of-mallory", "never matched", "shadow");
  }
}
