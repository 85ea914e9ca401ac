package io.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The dashboard for Grafana shows true numbers, and nothing that looks well where nothing is. */
class GrafanaDashboardTest {
  private static final String GREY = "#808080";

  @Test
  void everyQueryParses(@TempDir Path directory) throws Exception {
    List<String> queries = new ArrayList<>();
    for (String query : PrometheusFiles.dashboardQueries()) {
      queries.add(PrometheusFiles.withVariables(query));
    }
    queries.addAll(PrometheusFiles.runbookQueries());
    assertThat(queries).hasSizeGreaterThan(60).noneMatch(query -> query.contains("$"));
    List<Map<String, String>> rules = new ArrayList<>();
    for (String query : queries) {
      rules.add(Map.of("record", "query:" + rules.size(), "expr", query));
    }
    Map<String, ?> file = Map.of("groups", List.of(Map.of("name", "queries", "rules", rules)));
    write(directory.resolve("queries.yml"), file);
    assertThat(Promtool.succeed(directory, "", "check", "rules", "queries.yml"))
        .contains(rules.size() + " rules found");
  }

  /** A tile colours a missing value by its first threshold, unless a mapping says otherwise. */
  @Test
  void noTileIsColouredWithoutData() throws IOException {
    for (JsonNode tile : tiles()) {
      String title = tile.get("title").asText();
      JsonNode defaults = tile.at("/fieldConfig/defaults");
      assertThat(defaults.get("noValue").asText()).as(title).isEqualTo("no data");
      assertIsGreyWithoutData(title, defaults.get("thresholds"), defaults.get("mappings"));
      for (JsonNode override : tile.at("/fieldConfig/overrides")) {
        for (JsonNode property : override.get("properties")) {
          JsonNode value = property.get("value");
          switch (property.get("id").asText()) {
            case "thresholds" -> assertBaseIsGrey(title, value);
            case "mappings" -> assertMapsNothingToGrey(title, value);
            default -> {}
          }
        }
      }
    }
  }

  /** The last value of an hour ago is not how it is now. */
  @Test
  void everyTileShowsTheCurrentValue() throws IOException {
    for (JsonNode tile : tiles()) {
      assertThat(tile.at("/options/reduceOptions/calcs/0").asText()).isEqualTo("last");
      for (JsonNode target : tile.get("targets")) {
        assertThat(target.path("instant").asBoolean()).as(tile.get("title").asText()).isTrue();
      }
    }
  }

  @Test
  void everyTileIsEmptyWithoutNodes(@TempDir Path directory) throws Exception {
    List<Map<String, ?>> expected = new ArrayList<>();
    for (JsonNode tile : tiles()) {
      for (JsonNode target : tile.get("targets")) {
        expected.add(evaluation(target.get("expr").asText(), List.of()));
      }
    }
    assertThat(expected).hasSizeGreaterThan(7);
    test(directory, List.of(series("up{job='other'}", "1x20")), expected);
  }

  @ParameterizedTest
  @CsvSource({
    // ready nodes, nodes that are scraped, the variable, → ready, expected, missing
    "3, 3, 0,   3, 3, 0",
    "1, 3, 0,   1, 3, 2",
    "0, 3, 0,   0, 3, 3",
    "2, 2, 3,   2, 3, 1",
  })
  void nodesAreComparedWithThoseExpected(
      int up, int targets, int variable, int ready, int expected, int missing, @TempDir Path dir)
      throws Exception {
    List<Map<String, String>> series = new ArrayList<>();
    series.add(series("up{job='other'}", "1x20"));
    for (int i = 0; i < targets; i++) {
      series.add(series("up{job='weir',instance='%d'}".formatted(i), i < up ? "1x20" : "0x20"));
      if (i < up) {
        series.add(series("weir_ready{job='weir',instance='%d'}".formatted(i), "1x20"));
      }
    }
    JsonNode nodes = tile("Nodes");
    List<Integer> values = List.of(ready, expected, missing);
    List<Map<String, ?>> evaluations = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      String query = nodes.at("/targets/" + i + "/expr").asText();
      evaluations.add(
          evaluation(query.replace("$expected", String.valueOf(variable)), List.of(values.get(i))));
    }
    test(dir, series, evaluations);
    assertThat(step(nodes.at("/fieldConfig/overrides/0/properties/0/value"), missing))
        .isEqualTo(missing == 0 ? "green" : "red");
  }

  /** Of 100 requests 50 are refused; each of those allowed matches four rules. */
  @Test
  void shareOfRefusedRequestsIsThatOfRequests(@TempDir Path directory) throws Exception {
    List<Map<String, String>> series = new ArrayList<>();
    series.add(
        series("weir_requests_total{job='weir',port='gateway',outcome='allowed'}", "0+50x20"));
    series.add(
        series("weir_requests_total{job='weir',port='gateway',outcome='denied'}", "0+50x20"));
    for (String rule : List.of("a", "b", "c", "d")) {
      series.add(
          series(
              "weir_decisions_total{job='weir',rule='%s',outcome='allowed'}".formatted(rule),
              "0+50x20"));
    }
    series.add(series("weir_decisions_total{job='weir',rule='a',outcome='denied'}", "0+50x20"));
    test(
        directory,
        series,
        List.of(
            evaluation(tile("Refused").at("/targets/0/expr").asText(), List.of(0.5)),
            evaluation(
                "round(60 * %s)".formatted(tile("Requests").at("/targets/0/expr").asText()),
                List.of(100))));
  }

  @ParameterizedTest
  @CsvSource({"-1, '', in memory", "0, 0, OK", "1, 1, degraded", "2, 2, outage"})
  void storeIsNamedByItsState(int value, String state, String text, @TempDir Path directory)
      throws Exception {
    List<Map<String, String>> series = new ArrayList<>();
    series.add(series("weir_ready{job='weir',instance='a'}", "1x20"));
    if (!state.isEmpty()) {
      series.add(series("weir_breaker_state{job='weir',instance='a',part='redis'}", state + "x20"));
    }
    JsonNode store = tile("Store");
    test(
        directory,
        series,
        List.of(
            evaluation(store.at("/targets/0/expr").asText(), List.of(value)),
            evaluation(
                tile("Decided without the store").at("/targets/0/expr").asText(), List.of(0))));
    assertThat(store.at("/fieldConfig/defaults/mappings/0/options/" + value + "/text").asText())
        .isEqualTo(text);
  }

  /** The metric says denied; the dashboard says refused, as all others do. */
  @Test
  void usesTheWordsOfTheProduct() throws IOException {
    for (JsonNode panel : PrometheusFiles.panels()) {
      assertThat(panel.get("title").asText() + panel.path("description").asText())
          .doesNotContainIgnoringCase("denied")
          .doesNotContainIgnoringCase("throttled");
      for (JsonNode target : panel.get("targets")) {
        if (target.get("legendFormat").asText().equals("{{outcome}}")) {
          assertThat(panel.at("/fieldConfig/overrides").toString())
              .contains("\"options\":\"denied\"")
              .contains("{\"id\":\"displayName\",\"value\":\"refused\"}");
        }
      }
    }
  }

  private static List<JsonNode> tiles() throws IOException {
    List<JsonNode> tiles =
        PrometheusFiles.panels().stream()
            .filter(panel -> !panel.get("type").asText().matches("timeseries|table"))
            .toList();
    assertThat(tiles).hasSizeGreaterThan(5);
    return tiles;
  }

  private static JsonNode tile(String title) throws IOException {
    return tiles().stream()
        .filter(tile -> tile.get("title").asText().equals(title))
        .findFirst()
        .orElseThrow();
  }

  private static void assertIsGreyWithoutData(
      String title, JsonNode thresholds, JsonNode mappings) {
    assertBaseIsGrey(title, thresholds);
    assertMapsNothingToGrey(title, mappings);
  }

  private static void assertBaseIsGrey(String title, JsonNode thresholds) {
    assertThat(thresholds.at("/steps/0/value").isNull()).as(title).isTrue();
    assertThat(thresholds.at("/steps/0/color").asText()).as(title).isEqualTo(GREY);
  }

  private static void assertMapsNothingToGrey(String title, JsonNode mappings) {
    List<String> matches = new ArrayList<>();
    for (JsonNode mapping : mappings) {
      if (mapping.get("type").asText().equals("special")) {
        matches.add(mapping.at("/options/match").asText());
        assertThat(mapping.at("/options/result/color").asText()).as(title).isEqualTo(GREY);
      }
    }
    assertThat(matches).as(title).containsExactlyInAnyOrder("null", "nan");
  }

  /** The colour of a value. */
  private static String step(JsonNode thresholds, double value) {
    String color = "";
    for (JsonNode step : thresholds.get("steps")) {
      if (step.get("value").isNull() || value >= step.get("value").asDouble()) {
        color = step.get("color").asText();
      }
    }
    return color;
  }

  private static Map<String, String> series(String series, String values) {
    return Map.of("series", series, "values", values);
  }

  /** The responses of Prometheus after ten minutes. */
  private static Map<String, ?> evaluation(String query, List<? extends Number> values) {
    return Map.of(
        "expr",
        PrometheusFiles.withVariables(query),
        "eval_time",
        "10m",
        "exp_samples",
        values.stream().map(value -> Map.of("labels", "{}", "value", value)).toList());
  }

  private static void test(
      Path directory, List<Map<String, String>> series, List<Map<String, ?>> evaluations)
      throws Exception {
    Map<String, ?> file =
        Map.of(
            "evaluation_interval",
            "1m",
            "tests",
            List.of(
                Map.of("interval", "1m", "input_series", series, "promql_expr_test", evaluations)));
    write(directory.resolve("tiles.yml"), file);
    assertThat(Promtool.succeed(directory, "", "test", "rules", "tiles.yml")).contains("SUCCESS");
  }

  /** JSON is YAML. */
  private static void write(Path path, Object content) throws IOException {
    Files.writeString(path, new ObjectMapper().writeValueAsString(content));
  }
}
