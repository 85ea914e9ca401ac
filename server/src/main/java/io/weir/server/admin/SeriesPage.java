package io.weir.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.weir.StoreHealth.Outage;
import io.weir.arbiter.Arbiter;
import io.weir.arbiter.Outcome;
import io.weir.arbiter.RequestOutcome;
import io.weir.rules.http.Json;
import io.weir.rules.match.MalformedRequestException;
import io.weir.seeing.Change;
import io.weir.seeing.Chart;
import io.weir.seeing.History;
import io.weir.seeing.Line;
import io.weir.seeing.Past;
import io.weir.seeing.Range;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code /v1/series}: outcomes of requests over time, or the decisions of rules. */
final class SeriesPage {
  private static final List<String> RANGES =
      Arrays.stream(Range.values()).map(Range::toString).toList();
  private static final List<String> DECISIONS =
      Stream.of(Outcome.values()).map(Outcome::toString).toList();
  private static final List<String> REQUESTS =
      Stream.concat(
              Stream.of(RequestOutcome.values()).map(RequestOutcome::toString),
              Stream.of(Outcome.SHADOW_DENIED.toString()))
          .toList();
  private static final int USUAL = 8;
  private static final int MOST = 50;

  private final Arbiter arbiter;
  private final Past past;

  SeriesPage(Arbiter arbiter, Past past) {
    this.arbiter = arbiter;
    this.past = past;
  }

  void show(HttpServerRequest request) {
    Parameters given = Parameters.of(request, "range", "rule", "by", "top");
    Range range = Range.of(given.oneOf("range", RANGES.get(0), RANGES)).orElseThrow();
    String rule = given.text("rule");
    if (given.text("by") == null) {
      if (given.text("top") != null) {
        throw new MalformedRequestException("'top' is for by=rule");
      }
      String known = rule == null ? null : RuleFinder.known(rule, arbiter);
      Asked.answer(request, past.recall(history -> one(history, range, known)));
      return;
    }
    given.oneOf("by", "rule", List.of("rule"));
    if (rule != null) {
      throw new MalformedRequestException("either 'rule' or 'by', not both");
    }
    int top = given.number("top", USUAL, 1, MOST);
    Asked.answer(request, past.recall(history -> byRule(history.byRule(range, top))));
  }

  /** The decisions of one rule, or all requests if there is none. */
  private String one(History history, Range range, @Nullable String rule) {
    Chart chart = rule == null ? history.requests(range) : history.chart(range, rule);
    Json page = begin(chart);
    add(page, rule == null ? REQUESTS : DECISIONS, chart.lines().get(0));
    addMarks(page, chart);
    return page.close().toString();
  }

  private String byRule(Chart chart) {
    Json page = begin(chart).open("rules", '[');
    for (Line line : chart.lines()) {
      page.begin('{').text("rule", line.rule());
      add(page, DECISIONS, line);
      page.close();
    }
    page.end(']');
    addMarks(page, chart);
    return page.close().toString();
  }

  /**
   * Adds events that explain a bend of the curve: outages of the store and reloads of the rules.
   */
  private void addMarks(Json page, Chart chart) {
    long start = chart.start() * 1000;
    page.open("outages", '[');
    for (Outage each : past.store().health().outages()) {
      if (each.ended().map(end -> end.toEpochMilli() >= start).orElse(true)) {
        StoreView.addOutage(page.begin('{'), each).close();
      }
    }
    page.end(']').open("reloads", '[');
    List<Change> newest = past.changes().newest();
    for (int i = newest.size() - 1; i >= 0; i--) {
      Change each = newest.get(i);
      if (each.millis() >= start && each.result() != Change.Result.STARTED) {
        page.begin('{').number("time", each.millis());
        page.text("result", each.result().toString()).text("summary", each.summary()).close();
      }
    }
    page.end(']');
  }

  private static Json begin(Chart chart) {
    Json page = new Json().open().text("range", chart.range().toString());
    page.number("step_ms", chart.range().step() * 1000L);
    return page.number("start", chart.start() * 1000).number("end", chart.end() * 1000);
  }

  private static void add(Json page, List<String> names, Line line) {
    for (int i = 0; i < names.size(); i++) {
      page.open(names.get(i), '[');
      long[] counts = line.counts()[i];
      for (int slot = 0; slot < counts.length; slot++) {
        page.raw(slot < line.unknown() ? "null" : Long.toString(counts[slot]));
      }
      page.end(']');
    }
  }
}
