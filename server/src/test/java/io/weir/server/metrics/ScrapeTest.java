package io.weir.server.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.decision.RuleSource;
import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleFiles;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a real scrape of a whole server brings. */
class ScrapeTest {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final String RULES =
      """
      rules:
        - { name: user, per: user, limit: 20 per hour }
        - { name: tried, per: user, mode: shadow, limit: 10 per hour }
        - { name: sleeping, mode: "off", limit: 1 per hour }
      """;

  /** Exact after many concurrent callers: every received response was counted once. */
  @Test
  void equalsTheTrafficThatWasSent() throws Exception {
    try (Server server = server(RULES)) {
      int callers = 6;
      int each = 300;
      Map<Integer, AtomicLong> statuses = new ConcurrentHashMap<>();
      ExecutorService crowd = Executors.newFixedThreadPool(callers);
      List<Future<?>> all = new ArrayList<>();
      for (int caller = 0; caller < callers; caller++) {
        int number = caller;
        all.add(
            crowd.submit(
                () -> {
                  for (int i = 0; i < each; i++) {
                    String target =
                        i % 10 == 9
                            ? "/v1/check?nobody=1"
                            : "/v1/check?user=" + (number + i) % 7; // each by several of them
                    int status = get(server.servicePort(), target).statusCode();
                    statuses.computeIfAbsent(status, any -> new AtomicLong()).incrementAndGet();
                  }
                  return null;
                }));
        // A concurrent scrape.
        scrape(server);
      }
      for (Future<?> one : all) {
        one.get();
      }
      crowd.shutdown();

      Samples samples = scrape(server);
      double unmatched = samples.value("weir_unmatched_total");
      double allowed = samples.value("weir_decisions_total", "rule", "user", "outcome", "allowed");
      double denied = samples.value("weir_decisions_total", "rule", "user", "outcome", "denied");
      assertThat(statuses.keySet()).containsExactlyInAnyOrder(200, 429);
      assertThat(unmatched).isEqualTo(callers * each / 10);
      assertThat(allowed).isEqualTo(7 * 20);
      assertThat(allowed + unmatched).isEqualTo(statuses.get(200).get());
      assertThat(denied).isEqualTo(statuses.get(429).get());
      assertThat(
              samples.value("weir_decisions_total", "rule", "tried", "outcome", "allowed")
                  + samples.value(
                      "weir_decisions_total", "rule", "tried", "outcome", "shadow_denied"))
          .as("of what the other rule let through")
          .isEqualTo(allowed);
    }
  }

  private static final String WAYS =
      """
      attributes: { user: { header: X-User } }
      rules:
        - { name: user, per: user, limit: 20 per hour }
        - { name: all, limit: 1000000 per hour }
      """;

  /** The same rules by other objects, with one more before, between or behind them. */
  private static RuleSet ways(int turn) {
    String more = "  - { name: more, mode: shadow, limit: " + (turn + 1) + " per hour }\n";
    List<String> lines = new ArrayList<>(WAYS.lines().toList());
    if (turn % 4 != 0) {
      lines.add(1 + turn % 4, more.stripTrailing());
    }
    return rules(String.join("\n", lines));
  }

  /**
   * Through the gateway, on separate connections, while rules reload all the time. Every request is
   * decided and counted once, by the old rules or the new ones.
   */
  @Test
  void equalsWhatWentThroughTheGatewayWhileRulesChanged() throws Exception {
    RuleSource feed = RuleSource.of(rules(WAYS));
    int connections = 8;
    int each = 400;
    Map<Integer, AtomicLong> statuses = new ConcurrentHashMap<>();
    try (Server server = Server.builder(ServerSettings.DEMO.onFreePorts()).rules(feed).start()) {
      ExecutorService crowd = Executors.newFixedThreadPool(connections);
      List<Future<?>> all = new ArrayList<>();
      AtomicInteger left = new AtomicInteger(connections);
      for (int i = 0; i < connections; i++) {
        int number = i;
        all.add(
            crowd.submit(
                () -> {
                  try {
                    get(server.gatewayPort(), number, each, statuses);
                  } finally {
                    left.decrementAndGet();
                  }
                  return null;
                }));
      }
      int reloads = 0;
      for (; left.get() > 0; reloads++) {
        feed.replace(ways(reloads));
        if (reloads % 8 == 0) {
          scrape(server);
        }
      }
      for (Future<?> one : all) {
        one.get();
      }
      crowd.shutdown();

      Samples samples = scrape(server);
      assertThat(reloads).as("there was time for some").isGreaterThan(2);
      assertThat(statuses.keySet()).containsExactlyInAnyOrder(200, 429);
      double allowed = samples.value("weir_decisions_total", "rule", "user", "outcome", "allowed");
      double denied = samples.value("weir_decisions_total", "rule", "user", "outcome", "denied");
      assertThat(allowed).isEqualTo(7 * 20).isEqualTo(statuses.get(200).get());
      assertThat(denied).isEqualTo(statuses.get(429).get());
      assertThat(samples.value("weir_decisions_total", "rule", "all", "outcome", "allowed"))
          .isEqualTo(allowed);
      assertThat(allowed + denied).isEqualTo(connections * each);
      assertThat(samples.value("weir_unmatched_total")).isZero();
    }
  }

  /** So many requests, one after the other on one connection. */
  private static void get(int port, int number, int times, Map<Integer, AtomicLong> statuses)
      throws Exception {
    HttpClient own = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    for (int i = 0; i < times; i++) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/x"))
              .header("X-User", "user-" + (number + i) % 7)
              .build();
      int status = own.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
      statuses.computeIfAbsent(status, any -> new AtomicLong()).incrementAndGet();
    }
  }

  @Test
  void includesProcessMetrics() throws Exception {
    try (Server server = server(RULES)) {
      Samples samples = scrape(server);
      assertThat(samples.all())
          .extracting(Samples.Sample::name)
          .contains(
              "jvm_memory_used_bytes",
              "jvm_threads_live_threads",
              "jvm_classes_loaded_classes",
              "jvm_info",
              "process_uptime_seconds",
              "process_files_open_files",
              "system_cpu_usage");
      assertThat(samples.value("weir_rules", "mode", "enforce")).isEqualTo(1);
      assertThat(samples.value("weir_rules", "mode", "shadow")).isEqualTo(1);
      assertThat(samples.value("weir_rules", "mode", "off")).isEqualTo(1);
      assertThat(samples.value("weir_ready")).isEqualTo(1);
      assertThat(samples.value("weir_connections", "port", "admin")).isGreaterThanOrEqualTo(1);
      assertThat(samples.value("weir_rules_reload_timestamp_seconds"))
          .isBetween(1.7e9, System.currentTimeMillis() / 1e3);
      assertThat(samples.named("weir_build_info").findFirst().orElseThrow().labels())
          .containsOnlyKeys("version")
          .doesNotContainValue("unknown");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "none",
      value = {
        "none | text/plain; version=0.0.4",
        "*/* | text/plain; version=0.0.4",
        "text/plain;version=0.0.4 | text/plain; version=0.0.4",
        "application/openmetrics-text;version=1.0.0,text/plain;q=0.5 | application/openmetrics-text;"
            + " version=1.0.0",
        // The binary format is missing: a scraper that prefers it gets the next best, as Prometheus
        // expects.
        "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;"
            + "q=0.6,application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.3 |"
            + " application/openmetrics-text; version=1.0.0",
        "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited,"
            + "text/plain;q=0.5 | text/plain; version=0.0.4",
        "no such thing;;;,,, | text/plain; version=0.0.4"
      })
  void respondsInRequestedFormat(String accept, String type) throws Exception {
    try (Server server = server(RULES)) {
      HttpResponse<byte[]> response =
          accept == null ? get(server) : get(server, "Accept", accept, "Accept-Encoding", "br");
      assertThat(response.headers().firstValue("content-type").orElseThrow()).startsWith(type);
      assertThat(response.headers().firstValue("content-encoding")).isEmpty();
      String body = new String(response.body(), UTF_8);
      assertThat(body.endsWith("# EOF\n")).isEqualTo(type.contains("openmetrics"));
      assertThat(body).contains("weir_decisions_total{outcome=\"allowed\",rule=\"user\"} 0.0\n");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "gzip, true",
    "'deflate, GZIP;q=0.5', true",
    "'deflate, gzip;q=0', false",
    "'gzip;q=0.000', false",
    "identity, false",
    "xgzip, false"
  })
  void compressesIfAccepted(String accepted, boolean zipped) throws Exception {
    try (Server server = server(RULES)) {
      HttpResponse<byte[]> response = get(server, "Accept-Encoding", accepted);
      assertThat(response.headers().firstValue("content-encoding").isPresent()).isEqualTo(zipped);
      byte[] body =
          zipped
              ? new GZIPInputStream(new ByteArrayInputStream(response.body())).readAllBytes()
              : response.body();
      assertThat(new String(body, UTF_8)).contains("weir_ready 1.0\n");
    }
  }

  @Test
  void servesTenThousandRulesToManyAtOnce() throws Exception {
    StringBuilder rules = new StringBuilder("rules:\n");
    for (int i = 0; i < 10_000; i++) {
      rules.append("  - { name: rule-").append(i).append(", match: { n: '").append(i);
      rules.append("' }, per: user, limit: 9 per hour }\n");
    }
    try (Server server = server(rules.toString())) {
      get(server.servicePort(), "/v1/check?user=1&n=7777");
      List<HttpResponse<byte[]>> responses = new ArrayList<>();
      List<java.util.concurrent.CompletableFuture<HttpResponse<byte[]>>> pending =
          new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        pending.add(
            CLIENT.sendAsync(
                request(server, "Accept-Encoding", "gzip"),
                HttpResponse.BodyHandlers.ofByteArray()));
      }
      pending.forEach(each -> responses.add(each.join()));
      for (HttpResponse<byte[]> response : responses) {
        byte[] body = new GZIPInputStream(new ByteArrayInputStream(response.body())).readAllBytes();
        assertThat(response.body().length).isLessThan(body.length / 5);
        Samples samples = Samples.of(new String(body, UTF_8));
        assertThat(samples.named("weir_decisions_total")).hasSize(20_000);
        assertThat(samples.value("weir_decisions_total", "rule", "rule-7777", "outcome", "allowed"))
            .isEqualTo(1);
        assertThat(samples.named("weir_decisions_total").mapToDouble(Samples.Sample::value).sum())
            .isEqualTo(1);
      }
    }
  }

  private static Server server(String rules) {
    return Server.start(ServerSettings.DEMO.onFreePorts(), rules(rules));
  }

  private static RuleSet rules(String yaml) {
    return RuleFiles.read("rules.yaml", yaml.getBytes(UTF_8)).rules().orElseThrow();
  }

  private static Samples scrape(Server server) throws Exception {
    return Samples.of(new String(get(server).body(), UTF_8));
  }

  private static HttpResponse<byte[]> get(Server server, String... headers) throws Exception {
    HttpResponse<byte[]> response =
        CLIENT.send(request(server, headers), HttpResponse.BodyHandlers.ofByteArray());
    assertThat(response.statusCode()).isEqualTo(200);
    return response;
  }

  private static HttpRequest request(Server server, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.adminPort() + "/metrics"));
    return (headers.length == 0 ? request : request.headers(headers)).build();
  }

  private static HttpResponse<String> get(int port, String target) throws Exception {
    return CLIENT.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + target)).build(),
        HttpResponse.BodyHandlers.ofString());
  }
}
