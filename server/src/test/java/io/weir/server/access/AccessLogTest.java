package io.weir.server.access;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.weir.rig.Until;
import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleFiles;
import io.weir.server.CouldNotStartException;
import io.weir.server.Server;
import io.weir.server.Settings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The access log of a real server, as a log reader sees it. */
class AccessLogTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String SECRET = "s3cret";
  private static final String RULES =
      """
      attributes: { api_key: { header: X-API-Key } }
      rules: [ { name: few, per: api_key, limit: 2 per hour } ]
      """;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @TempDir Path directory;

  @Test
  void aLineOfTheCombinedFormForEachRequest() throws Exception {
    Path file = directory.resolve("access.log");
    try (Server server = server(file, AccessFormat.COMBINED, 100)) {
      for (int i = 0; i < 4; i++) { // the last two are refused, one of them at the door
        get(server.gatewayPort(), "/a%20b?q=" + SECRET + "&" + SECRET);
      }
      get(server.gatewayPort(), "/a%2fb");
      get(server.servicePort(), "/v1/check?api_key=" + SECRET);
    }
    List<String> lines = Files.readAllLines(file);
    assertThat(lines)
        .allMatch(
            line ->
                line.matches(
                    "127\\.0\\.0\\.1 - - \\[\\d\\d/[A-Z][a-z]{2}/\\d{4}:\\d\\d:\\d\\d:\\d\\d"
                        + " \\+0000] \"GET \\S+ HTTP/1\\.1\" \\d{3} \\d+"
                        + " \"http://a\\.example/\\?t=\\*\\*\\*\" \"an \\\\x22agent\\\\x22\""
                        + " \""
                        + TRACE
                        + "\""))
        .extracting(line -> line.replaceAll(".*\"GET (\\S+) HTTP/1.1\" (\\d+) .*", "$1 $2"))
        .containsExactly(
            "/a%20b?q=***&*** 200",
            "/a%20b?q=***&*** 200",
            "/a%20b?q=***&*** 429",
            "/a%20b?q=***&*** 429",
            "/a%2fb 400",
            "/v1/check?api_key=*** 429");
    assertThat(Files.readString(file)).doesNotContain(SECRET);
  }

  @Test
  void aLineOfJsonHasTheNamesOfTheSchema() throws Exception {
    Path file = directory.resolve("access.json");
    int port;
    try (Server server = server(file, AccessFormat.JSON, 100)) {
      port = server.gatewayPort();
      for (int i = 0; i < 3; i++) {
        get(port, "/path?q=" + SECRET);
      }
    }
    List<String> lines = Files.readAllLines(file);
    assertThat(lines).hasSize(3);
    JsonNode first = JSON.readTree(lines.get(0));
    assertThat(first.get("@timestamp").asText()).endsWith("Z");
    assertThat(first.get("log.level").asText()).isEqualTo("INFO");
    assertThat(first.get("event.dataset").asText()).isEqualTo("weir.access");
    assertThat(first.get("event.outcome").asText()).isEqualTo("success");
    assertThat(first.get("event.duration").asLong()).isPositive();
    assertThat(first.get("http.request.method").asText()).isEqualTo("GET");
    assertThat(first.get("http.response.status_code").asInt()).isEqualTo(200);
    assertThat(first.get("http.response.body.bytes").asLong()).isPositive();
    assertThat(first.get("url.path").asText()).isEqualTo("/path");
    assertThat(first.get("url.query").asText()).isEqualTo("q=***");
    assertThat(first.get("client.address").asText()).isEqualTo("127.0.0.1");
    assertThat(first.get("trace.id").asText()).isEqualTo(TRACE);
    assertThat(first.get("weir.port").asText()).isEqualTo("gateway");
    assertThat(first.get("weir.outcome").asText()).isEqualTo("allowed");
    assertThat(first.get("weir.rule").asText()).isEqualTo("few");
    assertThat(first.get("weir.upstream").asText()).startsWith("http://127.0.0.1:");
    JsonNode refused = JSON.readTree(lines.get(2));
    assertThat(refused.get("http.response.status_code").asInt()).isEqualTo(429);
    assertThat(refused.get("event.outcome").asText()).isEqualTo("failure");
    assertThat(refused.get("weir.outcome").asText()).isEqualTo("denied");
    assertThat(refused.has("weir.upstream")).isFalse();
    assertThat(Files.readString(file)).doesNotContain(SECRET);
  }

  @Test
  void aSampleIsAPart() throws Exception {
    Path file = directory.resolve("access.log");
    try (Server server = server(file, AccessFormat.COMMON, 20)) {
      for (int i = 0; i < 500; i++) {
        get(server.servicePort(), "/v1/check?user=1");
      }
    }
    assertThat(Files.readAllLines(file))
        .hasSizeBetween(40, 170)
        .allMatch(line -> line.matches(".* 200 \\d+"));
  }

  /** As logrotate does it, with and without a signal. */
  @Test
  void aFileThatWasMovedAwayIsFollowedByANewOne() throws Exception {
    Path file = directory.resolve("access.log");
    Path first = directory.resolve("access.log.1");
    Path second = directory.resolve("access.log.2");
    try (Server server = server(file, AccessFormat.COMMON, 100)) {
      get(server.servicePort(), "/v1/check?a=1");
      Until.holds("a line", () -> lines(file) == 1);
      Files.move(file, first);
      server.reload();
      Until.holds("a new file", () -> Files.exists(file));
      get(server.servicePort(), "/v1/check?a=1");
      Until.holds("a line in it", () -> lines(file) == 1);
      Files.move(file, second);
      Until.holds("another one", () -> Files.exists(file));
      get(server.servicePort(), "/v1/check?a=1");
    }
    assertThat(List.of(lines(first), lines(second), lines(file))).containsOnly(1L);
  }

  @Test
  void aFileThatCannotBeWrittenKeepsItFromStarting() {
    assertThatThrownBy(() -> server(directory.resolve("none/access.log"), AccessFormat.JSON, 100))
        .isInstanceOf(CouldNotStartException.class)
        .hasMessageContaining("--access-log");
  }

  /** A pipe that is not read: requests are answered, and what is not written is counted. */
  @Test
  void whatCannotBeWrittenHoldsUpNoRequest() throws Exception {
    Path pipe = directory.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    CompletableFuture<InputStream> opening =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return Files.newInputStream(pipe);
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    int requests = 6000; // of 2 KB each: more than the queue has room for
    long written;
    long dropped;
    try (Server server = server(pipe, AccessFormat.COMMON, 100);
        InputStream in = opening.join()) {
      pipeline(server.servicePort(), requests);
      String page = get(server.adminPort(), "/metrics").body();
      dropped =
          Long.parseLong(
              page.lines()
                  .filter(line -> line.startsWith("weir_log_dropped_total{log=\"access\"}"))
                  .findFirst()
                  .orElseThrow()
                  .replaceAll(".* ([0-9]+)(\\.0)?$", "$1"));
      assertThat(dropped).isPositive();
      CompletableFuture<Long> counting =
          CompletableFuture.supplyAsync(
              () -> new BufferedReader(new InputStreamReader(in, ISO_8859_1)).lines().count());
      server.close();
      written = counting.join();
    }
    assertThat(written + dropped).isEqualTo(requests);
  }

  private static void pipeline(int port, int requests) throws Exception {
    byte[] request =
        ("GET /v1/check?user=1&long=" + "x".repeat(2000) + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            .getBytes(ISO_8859_1);
    try (Socket socket = new Socket("127.0.0.1", port)) {
      CompletableFuture<Void> sending =
          CompletableFuture.runAsync(
              () -> {
                try {
                  OutputStream out = socket.getOutputStream();
                  for (int i = 0; i < requests; i++) {
                    out.write(request);
                  }
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              });
      BufferedReader in =
          new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1));
      for (int answered = 0; answered < requests; ) {
        String line = in.readLine();
        assertThat(line).as("the connection stays").isNotNull();
        if (line.contains("HTTP/1.1 200")) { // bodies have no line ends
          answered++;
        }
      }
      sending.join();
    }
  }

  private static long lines(Path file) throws IOException {
    return Files.exists(file) ? Files.readAllLines(file).size() : 0;
  }

  private Server server(Path file, AccessFormat format, double percent) {
    RuleSet rules = RuleFiles.read("rules.yaml", RULES.getBytes(UTF_8)).rules().orElseThrow();
    Settings settings =
        Settings.DEMO.onFreePorts().toBuilder()
            .accessLog(true, Optional.of(file))
            .accessLogFormat(format)
            .accessLogSample(percent)
            .build();
    return Server.start(settings, rules);
  }

  private HttpResponse<String> get(int port, String target) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + target))
            .header("X-API-Key", SECRET)
            .header("Authorization", "Bearer " + SECRET)
            .header("Referer", "http://a.example/?t=" + SECRET)
            .header("User-Agent", "an \"agent\"")
            .header("traceparent", "00-" + TRACE + "-b7ad6b7169203331-01")
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }
}
