package io.weir.server.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.weir.rig.Await;
import io.weir.rig.RedisProcess;
import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleFiles;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files in {@code deploy/prometheus} match the server's metrics. */
@Tag("slow")
class PrometheusFilesTest {
  private static final Path DEPLOY = PrometheusFiles.DIRECTORY;
  private static final Pattern SELECTED = Pattern.compile("([a-z][a-z0-9_]*)\\{([^}]*)\\}");
  private static final Pattern METRIC =
      Pattern.compile("\\b((?:weir|jvm|process|system)_[a-z0-9_]+)\\b");
  private static final Pattern CONDITION = Pattern.compile("([a-z_]+)\\s*(?:=~|!~|!=|=)");
  private static final Pattern VALUE = Pattern.compile("([a-z_]+)=\"([^\"$]+)\"");
  private static final Pattern GROUPS = Pattern.compile("\\bby \\(([^)]*)\\)");
  private static final Set<String> OF_PROMETHEUS = Set.of("job", "instance");

  private static final List<String> PAGES = new ArrayList<>();

  /** A server that has seen everything: refusals, shadows, overflow, and a store that died. */
  @BeforeAll
  static void scrape() throws Exception {
    String rules =
        """
        rules:
          - { name: user, per: user, limit: 2 per hour }
          - { name: tried, per: user, mode: shadow, limit: 1 per hour }
        """;
    ServerSettings memory = ServerSettings.DEMO.onFreePorts().toBuilder().maxKeys(2).build();
    try (Server server = Server.start(memory, rules(rules))) {
      for (int i = 0; i < 300; i++) {
        check(server, "user" + i % 5);
      }
      page(server); // from now on collections are counted
      System.gc();
      Await.holds(
          "a garbage collection is exported",
          () -> page(server).contains("jvm_gc_pause_seconds_sum"));
      PAGES.add(page(server));
    }
    try (RedisProcess redis = RedisProcess.start()) {
      ServerSettings otherSettings =
          ServerSettings.DEMO.onFreePorts().toBuilder().store(redis.url()).build();
      try (Server server = Server.start(otherSettings, rules(rules))) {
        check(server, "a");
        redis.kill();
        Await.holds(
            "the store is missed",
            () -> {
              check(server, "a");
              return page(server).contains("weir_fallback_total{");
            });
        PAGES.add(page(server));
      }
    }
  }

  @Test
  void promtoolAcceptsAScrape() throws Exception {
    for (String page : PAGES) {
      assertThat(promtool(page, "check", "metrics")).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "check config prometheus.yml",
        "check rules weir-alerts.yml",
        "test rules weir-alerts.test.yml",
        "check rules envoy-ratelimit-bridge.yml",
        "test rules envoy-ratelimit-bridge.test.yml"
      })
  void prometheusTakesTheFiles(String arguments) throws Exception {
    assertThat(promtool("", arguments.split(" "))).contains("SUCCESS").doesNotContain("FAILED");
  }

  /** No more and no less than there is. */
  @Test
  void theDocumentationHasEveryMetric() throws Exception {
    Set<String> documented = new HashSet<>();
    Matcher row =
        Pattern.compile("(?m)^\\| `(weir_[a-z_]+)")
            .matcher(Files.readString(Path.of("../docs/reference/metrics.md")));
    while (row.find()) {
      documented.add(row.group(1));
    }
    Set<String> exported = new HashSet<>();
    for (String page : PAGES) {
      Matcher type = Pattern.compile("(?m)^# TYPE (weir_[a-z_]+) ").matcher(page);
      while (type.find()) {
        exported.add(type.group(1));
      }
    }
    assertThat(exported).containsExactlyInAnyOrderElementsOf(documented);
  }

  @Test
  void alertsQueryExistingMetrics() throws Exception {
    String alerts = Files.readString(DEPLOY.resolve("weir-alerts.yml"));
    assertExported(List.of(alerts.replaceAll("(?m)^\\s*(summary|description|#).*$", "")));
  }

  @Test
  void bridgeQueriesExistingMetrics() throws Exception {
    assertExported(List.of(Files.readString(DEPLOY.resolve("envoy-ratelimit-bridge.yml"))));
  }

  @Test
  void runbookQueriesExistingMetrics() throws Exception {
    List<String> queries = PrometheusFiles.runbookQueries();
    assertThat(queries).hasSizeGreaterThan(20);
    assertExported(queries);
  }

  @Test
  void panelsQueryExistingMetrics() throws Exception {
    JsonNode dashboard = PrometheusFiles.dashboard();
    for (JsonNode panel : PrometheusFiles.panels()) {
      assertThat(panel.get("targets")).as(panel.get("title").asText()).isNotEmpty();
    }
    List<String> queries = PrometheusFiles.dashboardQueries();
    for (JsonNode variable : dashboard.at("/templating/list")) {
      if (variable.get("type").asText().equals("query")) {
        queries.add(variable.at("/query/query").asText());
      }
    }
    assertThat(queries).hasSizeGreaterThan(25);
    assertExported(queries);
    Set<Integer> ids = new HashSet<>();
    dashboard.get("panels").forEach(panel -> assertThat(ids.add(panel.get("id").asInt())).isTrue());
  }

  /** Names, labels and values that are selected, and labels that sums are grouped by. */
  private static void assertExported(List<String> queries) {
    Map<String, Set<String>> labelsByMetric = new HashMap<>();
    Set<String> labels = new HashSet<>(OF_PROMETHEUS);
    Set<String> values = new HashSet<>();
    for (String page : PAGES) {
      for (Samples.Sample sample : Samples.of(page).all()) {
        labelsByMetric
            .computeIfAbsent(sample.name(), any -> new HashSet<>(OF_PROMETHEUS))
            .addAll(sample.labels().keySet());
        labels.addAll(sample.labels().keySet());
        sample.labels().forEach((label, value) -> values.add(sample.name() + label + value));
      }
    }
    for (String query : queries) {
      for (Matcher name = METRIC.matcher(query); name.find(); ) {
        assertThat(labelsByMetric).as(query).containsKey(name.group(1));
      }
      for (Matcher selected = SELECTED.matcher(query); selected.find(); ) {
        if (METRIC.matcher(selected.group(1)).matches()) {
          for (Matcher label = CONDITION.matcher(selected.group(2)); label.find(); ) {
            assertThat(labelsByMetric.get(selected.group(1))).as(query).contains(label.group(1));
          }
          for (Matcher value = VALUE.matcher(selected.group(2)); value.find(); ) {
            boolean isChosen = // by Prometheus, or by a reader of the runbook
                OF_PROMETHEUS.contains(value.group(1)) || value.group(2).equals("NAME");
            if (!isChosen) {
              String name = selected.group(1) + value.group(1) + value.group(2);
              assertThat(values).as(query).contains(name);
            }
          }
        }
      }
      for (Matcher groups = GROUPS.matcher(query); groups.find(); ) {
        assertThat(labels).as(query).contains(groups.group(1).split(",\\s*"));
      }
    }
  }

  private static String promtool(String input, String... arguments) throws Exception {
    return Promtool.succeed(DEPLOY, input, arguments);
  }

  private static RuleSet rules(String yaml) {
    return RuleFiles.read("rules.yaml", yaml.getBytes(UTF_8)).rules().orElseThrow();
  }

  private static void check(Server server, String user) throws Exception {
    get(server.servicePort(), "/v1/check?user=" + user);
  }

  private static String page(Server server) throws Exception {
    return get(server.adminPort(), "/metrics");
  }

  private static String get(int port, String target) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + target)).build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }
}
