package io.weir.server.access;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.weir.rig.Await;
import io.weir.rig.RedisProcess;
import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleFiles;
import io.weir.server.CouldNotStartException;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import io.weir.server.ServerSettingsBuilder;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The access log of a real server, as a log parser reads it. */
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
      for (int i = 0; i < 4; i++) { // the last two are refused, one of them before dispatch
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

  /** Each line has the outcome by which the metric counts its request, at both ports. */
  @Test
  void linesHaveTheOutcomesOfTheMetric() throws Exception {
    String rules =
        """
        rules:
          - { name: calls, match: { path: /calls }, limit: 1 per hour }
          - { name: tried, match: { path: /tried }, mode: shadow, limit: 1 per hour }
          - name: slow
            match: { path: /slow }
            limit: { algorithm: leaky-bucket, rate: 10 per second, queue: 9 }
        """;
    String shop =
        """
        domain: shop
        descriptors: [ { key: calls, rate_limit: { unit: hour, requests_per_unit: 1 } } ]
        """;
    Path file = directory.resolve("access.json");
    Map<String, Long> counted;
    Path own = Files.writeString(directory.resolve("rules.yaml"), rules);
    Path envoy = Files.writeString(directory.resolve("shop.yaml"), shop);
    try (Server server = server(file, settings -> settings.rules(List.of(own, envoy)))) {
      for (String path : List.of("/calls", "/calls", "/calls", "/tried", "/tried", "/none")) {
        get(server.gatewayPort(), path);
        get(server.servicePort(), "/v1/check?path=" + path);
        auth(server.servicePort(), path);
      }
      get(server.gatewayPort(), "/slow");
      get(server.gatewayPort(), "/slow");
      for (int i = 0; i < 3; i++) {
        get(server.servicePort(), "/v1/check?path=/slow");
      }
      post(server.servicePort(), "/v1/reserve", "{\"attributes\":{\"path\":\"/calls\"}}");
      for (String key : List.of("calls", "calls", "none")) {
        post(
            server.servicePort(),
            "/json",
            "{\"domain\":\"shop\",\"descriptors\":[{\"entries\":[{\"key\":\"%s\",\"value\":\"\"}]}]}"
                .formatted(key));
      }
      counted = counted(server);
    }
    List<JsonNode> lines = entries(file);
    assertThat(outcomes(lines)).isEqualTo(counted);
    assertThat(counted.keySet())
        .contains("gateway denied", "service denied", "gateway unmatched", "service unmatched")
        .contains("gateway delayed", "service delayed");
    assertThat(lines)
        .filteredOn(line -> line.path("url.path").asText().equals("/tried"))
        .extracting(line -> line.path("weir.outcome").asText() + " " + line.path("weir.rule"))
        .containsOnly("allowed ");
    assertThat(lines)
        .filteredOn(
            line -> List.of("denied", "delayed").contains(line.get("weir.outcome").asText()))
        .allMatch(line -> List.of("calls", "slow", "shop.calls").contains(rule(line)));
  }

  /**
   * A 503 by {@code on_failure: error} is no refusal: in the log, the metric, and before dispatch.
   */
  @Test
  void storeFailureIsAnError() throws Exception {
    String rules = "rules: [ { name: safe, limit: 99 per hour, on_failure: error } ]";
    Path given = Files.writeString(directory.resolve("rules.yaml"), rules);
    Path file = directory.resolve("access.json");
    Map<String, Long> counted;
    try (RedisProcess redis = RedisProcess.start();
        Server server =
            server(
                file,
                settings -> settings.rules(List.of(given)).store(redis.url() + "?timeout=200ms"))) {
      redis.kill();
      Await.holds("503", () -> get(server.gatewayPort(), "/").statusCode() == 503);
      for (int i = 0; i < 4; i++) {
        assertThat(get(server.gatewayPort(), "/").statusCode()).isEqualTo(503);
        assertThat(get(server.servicePort(), "/v1/check?a=1").statusCode()).isEqualTo(503);
      }
      counted = counted(server);
    }
    List<JsonNode> lines = entries(file);
    assertThat(counted).containsOnlyKeys("gateway error", "service error");
    assertThat(outcomes(lines)).isEqualTo(counted);
    assertThat(lines).allMatch(line -> rule(line).equals("safe"));
  }

  private static String rule(JsonNode line) {
    return line.path("weir.rule").asText();
  }

  private static Map<String, Long> outcomes(List<JsonNode> lines) {
    return lines.stream()
        .map(line -> line.get("weir.port").asText() + " " + line.path("weir.outcome").asText())
        .collect(Collectors.groupingBy(each -> each, Collectors.counting()));
  }

  /** What {@code weir_requests_total} has, without zeros. */
  private Map<String, Long> counted(Server server) throws Exception {
    Map<String, Long> counts = new HashMap<>();
    Pattern sample =
        Pattern.compile("weir_requests_total\\{outcome=\"(\\w+)\",port=\"(\\w+)\"} (\\d+)");
    Matcher found = sample.matcher(get(server.adminPort(), "/metrics").body());
    while (found.find()) {
      if (!found.group(3).equals("0")) {
        counts.put(found.group(2) + " " + found.group(1), Long.valueOf(found.group(3)));
      }
    }
    return counts;
  }

  @Test
  void logsASampleOfRequests() throws Exception {
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

  /** Another share is taken up while it runs. */
  @Test
  void sampleShareCanChange() throws Exception {
    Path file = directory.resolve("access.log");
    ServerSettingsBuilder all =
        ServerSettings.DEMO.onFreePorts().toBuilder().accessLog(true, Optional.of(file));
    try (Server server = Server.start(all.build())) {
      get(server.servicePort(), "/v1/check?user=1");
      server.adopt(all.accessLogSample(0.000001).build());
      for (int i = 0; i < 20; i++) {
        get(server.servicePort(), "/v1/check?user=1");
      }
      server.adopt(all.accessLogSample(100).build());
      get(server.servicePort(), "/v1/check?user=1");
    }
    assertThat(Files.readAllLines(file)).hasSize(2);
  }

  /** As logrotate does it, with and without a signal. */
  @Test
  void aFileThatWasMovedAwayIsFollowedByANewOne() throws Exception {
    Path file = directory.resolve("access.log");
    Path first = directory.resolve("access.log.1");
    Path second = directory.resolve("access.log.2");
    try (Server server = server(file, AccessFormat.COMMON, 100)) {
      get(server.servicePort(), "/v1/check?a=1");
      Await.holds("a line", () -> lines(file) == 1);
      Files.move(file, first);
      server.reload();
      Await.holds("a new file", () -> Files.exists(file));
      get(server.servicePort(), "/v1/check?a=1");
      Await.holds("a line in it", () -> lines(file) == 1);
      Files.move(file, second);
      Await.holds("another one", () -> Files.exists(file));
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

  /** A pipe that is not read: requests are served, and lines that are not written are counted. */
  @Test
  void blockedLogDoesNotDelayRequests() throws Exception {
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

  private static List<JsonNode> entries(Path file) throws IOException {
    List<JsonNode> lines = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      lines.add(JSON.readTree(line));
    }
    return lines;
  }

  private static long lines(Path file) throws IOException {
    return Files.exists(file) ? Files.readAllLines(file).size() : 0;
  }

  private Server server(Path file, AccessFormat format, double percent) {
    RuleSet rules = RuleFiles.read("rules.yaml", RULES.getBytes(UTF_8)).rules().orElseThrow();
    ServerSettings serverSettings =
        ServerSettings.DEMO.onFreePorts().toBuilder()
            .accessLog(true, Optional.of(file))
            .accessLogFormat(format)
            .accessLogSample(percent)
            .build();
    return Server.start(serverSettings, rules);
  }

  private static Server server(Path file, UnaryOperator<ServerSettingsBuilder> more) {
    ServerSettingsBuilder settings =
        ServerSettings.DEMO.onFreePorts().toBuilder()
            .accessLog(true, Optional.of(file))
            .accessLogFormat(AccessFormat.JSON);
    return Server.start(more.apply(settings).build());
  }

  private void auth(int port, String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/auth"))
            .headers("X-Original-Method", "GET", "X-Original-URL", "http://shop" + path)
            .build();
    client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  private void post(int port, String path, String body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    client.send(request, HttpResponse.BodyHandlers.ofString());
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
