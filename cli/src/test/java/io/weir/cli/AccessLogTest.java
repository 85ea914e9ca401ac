package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The access log of {@code weir serve} is a trace for {@code weir simulate}. */
class AccessLogTest {
  @TempDir Path directory;

  @Test
  void simulateReadsTheAccessLogOfServe() throws Exception {
    Path rules = directory.resolve("rules.yaml");
    Files.writeString(rules, "rules: [ { name: address, per: ip, limit: 3 per hour } ]", UTF_8);
    Path log = directory.resolve("access.log");
    HttpClient client = HttpClient.newHttpClient();
    try (ServeProcess serve =
        ServeProcess.ready(
            Map.of("WEIR_ACCESS_LOG", log.toString()), "--rules", rules.toString())) {
      for (int i = 0; i < 10; i++) {
        HttpRequest request =
            HttpRequest.newBuilder(URI.create(serve.gateway() + "/a%20b?i=" + i))
                .header("User-Agent", "a \\ \"b\"")
                .build();
        client.send(request, HttpResponse.BodyHandlers.discarding());
      }
      serve.terminate();
      assertThat(serve.exitCode()).isZero();
    }
    assertThat(Files.readAllLines(log)).hasSize(10);

    Path decisions = directory.resolve("decisions.csv");
    StringWriter err = new StringWriter();
    int exit =
        Main.run(
            new PrintWriter(new StringWriter(), true),
            new PrintWriter(err, true),
            Map.of(),
            "simulate",
            "--rules",
            rules.toString(),
            "--trace",
            log.toString(),
            "--decisions",
            decisions.toString());

    assertThat(exit).as(err.toString()).isZero();
    assertThat(err.toString()).isEmpty();
    List<String> made = Files.readAllLines(decisions);
    assertThat(made).hasSize(11);
    assertThat(made.subList(1, 11)).allMatch(line -> line.contains(",address,127.0.0.1,"));
    assertThat(made.stream().filter(line -> line.contains(",true,"))).hasSize(3);
  }
}
