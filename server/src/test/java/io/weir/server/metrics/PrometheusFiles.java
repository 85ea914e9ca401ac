package io.weir.server.metrics;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** What {@code deploy/prometheus} and the runbook contain, read for tests. */
final class PrometheusFiles {
  static final Path DIRECTORY = Path.of("../deploy/prometheus");
  static final Path RUNBOOK = Path.of("../docs/how-to/runbook.md");
  private static final Pattern PROMQL = Pattern.compile("(?ms)^```promql\\n(.*?)\\n```$");

  private PrometheusFiles() {}

  /** The alerts, in the order of the file, each as it is written there. */
  static List<Map<?, ?>> alerts() throws IOException {
    Load load = new Load(LoadSettings.builder().build());
    Map<?, ?> file =
        (Map<?, ?>) load.loadFromString(Files.readString(DIRECTORY.resolve("weir-alerts.yml")));
    List<Map<?, ?>> alerts = new ArrayList<>();
    for (Object group : (List<?>) file.get("groups")) {
      for (Object rule : (List<?>) ((Map<?, ?>) group).get("rules")) {
        if (((Map<?, ?>) rule).containsKey("alert")) {
          alerts.add((Map<?, ?>) rule);
        }
      }
    }
    return alerts;
  }

  static JsonNode dashboard() throws IOException {
    return new ObjectMapper().readTree(DIRECTORY.resolve("grafana-dashboard.json").toFile());
  }

  /** The panels of the dashboard that show data. */
  static List<JsonNode> panels() throws IOException {
    List<JsonNode> panels = new ArrayList<>();
    for (JsonNode panel : dashboard().get("panels")) {
      if (!panel.get("type").asText().equals("row")) {
        panels.add(panel);
      }
    }
    return panels;
  }

  /** The queries of all panels and annotations. */
  static List<String> dashboardQueries() throws IOException {
    List<String> queries = new ArrayList<>();
    for (JsonNode panel : panels()) {
      panel.get("targets").forEach(target -> queries.add(target.get("expr").asText()));
    }
    dashboard().at("/annotations/list").forEach(each -> queries.add(each.get("expr").asText()));
    return queries;
  }

  /** As Grafana sends it, with one job, all nodes and all rules selected. */
  static String withVariables(String query) {
    return query
        .replace("$__rate_interval", "5m")
        .replace("$expected", "0")
        .replace("$job", "weir")
        .replace("$instance", ".*")
        .replace("$rule", ".*");
  }

  /** The queries of the runbook. */
  static List<String> runbookQueries() throws IOException {
    return PROMQL
        .matcher(Files.readString(RUNBOOK))
        .results()
        .map((MatchResult match) -> match.group(1))
        .toList();
  }
}
