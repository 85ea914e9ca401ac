package io.weir.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.weir.StoreHealth.Outage;
import io.weir.decision.DecisionEngine;
import io.weir.decision.RequestOutcome;
import io.weir.decision.RuleOutcome;
import io.weir.insight.ActivityHistory;
import io.weir.insight.series.Change;
import io.weir.insight.series.Chart;
import io.weir.insight.series.ChartSeries;
import io.weir.insight.series.DecisionHistory;
import io.weir.insight.series.SeriesRange;
import io.weir.rules.http.JsonWriter;
import io.weir.rules.match.MalformedRequestException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code /v1/series}: outcomes of requests over time, or the decisions of rules. */
final class SeriesEndpoint {
  private static final List<String> RANGES =
      Arrays.stream(SeriesRange.values()).map(SeriesRange::toString).toList();
  private static final List<String> DECISIONS =
      Stream.of(RuleOutcome.values()).map(RuleOutcome::toString).toList();
  private static final List<String> REQUESTS =
      Stream.concat(
              Stream.of(RequestOutcome.values()).map(RequestOutcome::toString),
              Stream.of(RuleOutcome.SHADOW_DENIED.toString()))
          .toList();
  private static final int DEFAULT_RULES = 8;
  private static final int MAX_RULES = 50;

  private final DecisionEngine decisionEngine;
  private final ActivityHistory activityHistory;

  SeriesEndpoint(DecisionEngine decisionEngine, ActivityHistory activityHistory) {
    this.decisionEngine = decisionEngine;
    this.activityHistory = activityHistory;
  }

  void show(HttpServerRequest request) {
    QueryParameters given = QueryParameters.of(request, "range", "rule", "by", "top");
    SeriesRange seriesRange =
        SeriesRange.of(given.oneOf("range", RANGES.get(0), RANGES)).orElseThrow();
    String rule = given.text("rule");
    if (given.text("by") == null) {
      if (given.text("top") != null) {
        throw new MalformedRequestException("'top' is for by=rule");
      }
      String known = rule == null ? null : RuleFinder.known(rule, decisionEngine);
      InsightResponses.respond(
          request,
          activityHistory.recall(decisionHistory -> one(decisionHistory, seriesRange, known)));
      return;
    }
    given.oneOf("by", "rule", List.of("rule"));
    if (rule != null) {
      throw new MalformedRequestException("either 'rule' or 'by', not both");
    }
    int top = given.number("top", DEFAULT_RULES, 1, MAX_RULES);
    InsightResponses.respond(
        request,
        activityHistory.recall(
            decisionHistory -> byRule(decisionHistory.byRule(seriesRange, top))));
  }

  /** The decisions of one rule, or all requests if there is none. */
  private String one(
      DecisionHistory decisionHistory, SeriesRange seriesRange, @Nullable String rule) {
    Chart chart =
        rule == null
            ? decisionHistory.requests(seriesRange)
            : decisionHistory.chart(seriesRange, rule);
    JsonWriter page = begin(chart);
    add(page, rule == null ? REQUESTS : DECISIONS, chart.lines().get(0));
    addMarks(page, chart);
    return page.close().toString();
  }

  private String byRule(Chart chart) {
    JsonWriter page = begin(chart).open("rules", '[');
    for (ChartSeries chartSeries : chart.lines()) {
      page.begin('{').text("rule", chartSeries.rule());
      add(page, DECISIONS, chartSeries);
      page.close();
    }
    page.end(']');
    addMarks(page, chart);
    return page.close().toString();
  }

  /**
   * Adds events that explain a bend of the curve: outages of the store and reloads of the rules.
   */
  private void addMarks(JsonWriter page, Chart chart) {
    long start = chart.start() * 1000;
    page.open("outages", '[');
    for (Outage each : activityHistory.store().health().outages()) {
      if (each.ended().map(end -> end.toEpochMilli() >= start).orElse(true)) {
        StoreHealthJson.addOutage(page.begin('{'), each).close();
      }
    }
    page.end(']').open("reloads", '[');
    List<Change> newest = activityHistory.changes().newest();
    for (int i = newest.size() - 1; i >= 0; i--) {
      Change each = newest.get(i);
      if (each.millis() >= start && each.result() != Change.Result.STARTED) {
        page.begin('{').number("time", each.millis());
        page.text("result", each.result().toString()).text("summary", each.summary()).close();
      }
    }
    page.end(']');
  }

  private static JsonWriter begin(Chart chart) {
    JsonWriter page = new JsonWriter().open().text("range", chart.seriesRange().toString());
    page.number("step_ms", chart.seriesRange().step() * 1000L);
    return page.number("start", chart.start() * 1000).number("end", chart.end() * 1000);
  }

  private static void add(JsonWriter page, List<String> names, ChartSeries chartSeries) {
    for (int i = 0; i < names.size(); i++) {
      page.open(names.get(i), '[');
      long[] counts = chartSeries.counts()[i];
      for (int slot = 0; slot < counts.length; slot++) {
        page.raw(slot < chartSeries.unknown() ? "null" : Long.toString(counts[slot]));
      }
      page.end(']');
    }
  }
}
