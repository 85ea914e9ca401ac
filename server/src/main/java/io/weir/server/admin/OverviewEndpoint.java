package io.weir.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.weir.decision.DecisionEngine;
import io.weir.decision.RuleOutcome;
import io.weir.insight.ActivityHistory;
import io.weir.insight.DistinctCallers;
import io.weir.insight.Insights;
import io.weir.insight.series.DecisionHistory;
import io.weir.insight.series.DecisionLatency;
import io.weir.insight.series.OutcomeCounts;
import io.weir.insight.series.RuleHistory;
import io.weir.rules.Policy;
import io.weir.rules.RequestLimiter;
import io.weir.rules.Rule;
import io.weir.rules.http.JsonWriter;
import io.weir.runtime.StoreUrl;
import io.weir.server.Build;
import io.weir.server.ServerSettings;
import io.weir.server.ServerStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** {@code /v1/overview}: the status of the node, and the numbers of each rule, page by page. */
final class OverviewEndpoint {
  private static final int DEFAULT_ROWS = 100;
  private static final int MAX_ROWS = 1000;
  private static final int FEW_OVERRIDES = 8; // of each rule: there may be thousands
  private static final long DAY_SECONDS = 86_400;
  private static final RuleHistory NOTHING =
      new RuleHistory(OutcomeCounts.NONE, OutcomeCounts.NONE, 0, 0, false);
  private static final List<String> SORTS = List.of("denied", "allowed", "name", "refused_share");

  private final DecisionEngine decisionEngine;
  private final ServerSettings serverSettings;
  private final ServerStatus serverStatus;
  private final ActivityHistory activityHistory;
  private final Insights insights;
  private final String version = Build.version();
  private final long pid = ProcessHandle.current().pid();
  private @Nullable RuleIndex ruleIndex; // used on the aggregation thread only

  OverviewEndpoint(
      DecisionEngine decisionEngine,
      ServerSettings serverSettings,
      ServerStatus serverStatus,
      ActivityHistory activityHistory,
      Insights insights) {
    this.decisionEngine = decisionEngine;
    this.serverSettings = serverSettings;
    this.serverStatus = serverStatus;
    this.activityHistory = activityHistory;
    this.insights = insights;
  }

  void show(HttpServerRequest request) {
    OverviewQuery overviewQuery =
        OverviewQuery.of(
            QueryParameters.of(request, "limit", "offset", "sort", "q", "rule", "overrides"));
    if (overviewQuery.rule != null) {
      RuleFinder.known(overviewQuery.rule, decisionEngine);
    }
    InsightResponses.respond(
        request, activityHistory.recall(decisionHistory -> page(decisionHistory, overviewQuery)));
  }

  private String page(DecisionHistory decisionHistory, OverviewQuery overviewQuery) {
    JsonWriter page = new JsonWriter().open().number("time", decisionEngine.nowMillis());
    page.open("node", '{')
        .text("version", version)
        .number("started", decisionHistory.started() * 1000);
    page.truth("ready", serverStatus.isReady())
        .number("pid", pid)
        .text("bind", serverSettings.bind());
    page.text("store", StoreUrl.shown(serverSettings.store())).open("ports", '{');
    serverStatus.ports().forEach((name, port) -> add(page, name, port));
    page.close().close();
    StoreHealthJson.addTo(page, activityHistory.storeNow());
    DecisionLatency.Quantiles speed = decisionHistory.speed();
    page.open("decisions", '{');
    CountsJson.micros(page, "p50_us", speed.medianNanos(), speed.decisions() > 0);
    CountsJson.micros(page, "p99_us", speed.slowNanos(), speed.decisions() > 0);
    page.number("count", speed.decisions()).close();
    CountsJson.totals(
        page,
        decisionHistory.requestCounts(),
        decisionHistory.totals(),
        decisionHistory.fallbacks());
    CountsJson.minute(page, decisionHistory.requestsOfLastMinute(), decisionHistory.lastMinute());
    page.number("minute_seconds", decisionHistory.lastMinuteSeconds());
    page.open("reloads", '{').number("success", serverStatus.reloadCounters().taken());
    page.number("rejected", serverStatus.reloadCounters().rejected()).close();
    page.open("watch", '{')
        .number("sampling", insights.topCallers().sampling())
        .number("missed", insights.topCallers().missed());
    page.number("bytes", decisionHistory.bytes() + insights.topCallers().bytes()).close();
    addRules(page, decisionHistory, overviewQuery);
    return page.close().toString();
  }

  private static void add(JsonWriter page, String name, ServerStatus.Port port) {
    page.open(name, '{').number("port", port.number()).truth("tls", port.isTls()).close();
  }

  private void addRules(
      JsonWriter page, DecisionHistory decisionHistory, OverviewQuery overviewQuery) {
    RuleIndex present = RuleIndex.of(decisionEngine, ruleIndex);
    ruleIndex = present;
    List<Row> rows = new ArrayList<>();
    Map<String, Integer> flags = new TreeMap<>();
    for (RuleIndex.Entry entry : present.entries()) {
      RuleHistory known = decisionHistory.rule(entry.label());
      Row row = new Row(entry, known == null ? NOTHING : known);
      flags(row, census(row)).forEach(flag -> flags.merge(flag, 1, Integer::sum));
      if (overviewQuery.matches(entry.label())) {
        rows.add(row);
      }
    }
    rows.sort(overviewQuery.order());
    int from = Math.min(overviewQuery.offset, rows.size());
    List<Row> shown = rows.subList(from, Math.min(from + overviewQuery.limit, rows.size()));
    Map<String, Long> live = live();
    int sampling = insights.topCallers().thinnestOfCensus();
    page.open("rules", '{').number("count", present.entries().size()).open("modes", '{');
    present.modes().forEach((mode, count) -> page.number(mode.toString(), count));
    page.close().open("flags", '{');
    flags.forEach(page::number);
    page.close();
    page.number("matching", rows.size()).open("items", '[');
    shown.forEach(
        row -> add(page, row, live.get(row.entry.label()), sampling, overviewQuery.overrides));
    page.end(']').close();
  }

  /** Not computed for rules without refusals: there may be ten thousand of them. */
  private DistinctCallers census(Row row) {
    return row.known.totals().refused() == 0
        ? DistinctCallers.NOBODY
        : insights.topCallers().census(row.entry.label());
  }

  private Map<String, Long> live() {
    Map<String, Long> keys = new HashMap<>();
    for (RequestLimiter.Usage usage : decisionEngine.usage()) {
      String label =
          decisionEngine.decisionCounters().label(usage.limitGroup().rule(), decisionEngine::rules);
      if (label != null) {
        keys.merge(label, usage.keys(), Long::sum);
      }
    }
    return keys;
  }

  private static void add(JsonWriter page, RuleIndex.OverrideLimits override) {
    page.begin('{').text("name", override.name()).open("limits", '[');
    override.limits().forEach(page::text);
    page.end(']').close();
  }

  private void add(JsonWriter page, Row row, @Nullable Long live, int sampling, int overrides) {
    RuleIndex.Entry entry = row.entry;
    Rule rule = entry.rule();
    Policy policy = rule == null ? Policy.DEFAULT : rule.policy();
    page.begin('{').text("rule", entry.label()).text("domain", entry.domain());
    page.text("name", rule == null ? entry.label() : rule.name());
    page.text("mode", policy.mode().toString()).open("per", '[');
    if (rule != null) {
      rule.per().forEach(page::text);
    }
    page.end(']').open("limits", '[');
    entry.limits().forEach(page::text);
    page.end(']').open("overrides", '[');
    entry.overrides().stream().limit(overrides).forEach(each -> add(page, each));
    page.end(']').number("more_overrides", Math.max(0, entry.overrides().size() - overrides));
    page.text(
        "place",
        rule == null ? null : rule.sourceLocation().file() + ":" + rule.sourceLocation().line());
    page.number("sharing", entry.rules()).text("no_what_if", entry.untried());
    page.text("on_failure", policy.onFailure().name().toLowerCase(Locale.ROOT));
    page.text("consistency", policy.consistency().toString());
    CountsJson.ofRule(page, "totals", row.known.totals());
    CountsJson.ofRule(page, "minute", row.known.minute());
    page.raw("refused_share", CountsJson.decimal(row.known.totals().refusedShare(), 4));
    DistinctCallers distinctCallers = insights.topCallers().census(entry.label());
    addKeys(page, live, distinctCallers, sampling);
    page.open("flags", '[');
    flags(row, distinctCallers).forEach(page::text);
    page.end(']').close();
  }

  private static void addKeys(
      JsonWriter page, @Nullable Long live, DistinctCallers distinctCallers, int sampling) {
    page.open("keys", '{');
    if (live == null) {
      page.nothing("live");
    } else {
      page.number("live", live);
    }
    page.number("distinct", distinctCallers.callers()).number("refused", distinctCallers.refused());
    page.raw("error", CountsJson.decimal(distinctCallers.error(), 4))
        .number("sampling", sampling)
        .close();
  }

  private static List<String> flags(Row row, DistinctCallers distinctCallers) {
    List<String> flags = new ArrayList<>();
    OutcomeCounts totals = row.known.totals();
    if (!row.entry.isOff() && row.known.idleSeconds() >= 3600) {
      flags.add("never_matches");
    }
    if (row.known.ageSeconds() >= DAY_SECONDS
        && totals.of(RuleOutcome.ALLOWED) >= 100
        && totals.refused() == 0) {
      flags.add("never_refuses");
    }
    if (distinctCallers.callers() >= 20
        && distinctCallers.refused() * 20 > distinctCallers.callers()) {
      flags.add("refuses_many");
    }
    if (row.known.isOverflowing()) {
      flags.add("overflowing");
    }
    if (row.known.minute().fallbacks() > 0) {
      flags.add("failing");
    }
    return flags;
  }

  /** A rule and its recorded numbers. */
  private record Row(RuleIndex.Entry entry, RuleHistory known) {
    long refused() {
      return known.minute().refused();
    }
  }

  /** Which rules, in what order, and the first one of the page. */
  private record OverviewQuery(
      int limit, int offset, String sort, String text, @Nullable String rule, int overrides) {
    static OverviewQuery of(QueryParameters given) {
      String text = given.text("q");
      return new OverviewQuery(
          given.number("limit", DEFAULT_ROWS, 0, MAX_ROWS),
          given.number("offset", 0, 0, Integer.MAX_VALUE),
          given.oneOf("sort", "denied", SORTS),
          text == null ? "" : text.toLowerCase(Locale.ROOT),
          given.text("rule"),
          given.number("overrides", FEW_OVERRIDES, 0, MAX_ROWS));
    }

    boolean matches(String label) {
      return (rule == null || rule.equals(label))
          && (text.isEmpty() || label.toLowerCase(Locale.ROOT).contains(text));
    }

    /** Sorts by the last minute, then by the total, then by name. */
    Comparator<Row> order() {
      Comparator<Row> byName = Comparator.comparing(row -> row.entry.label());
      Comparator<Row> ascending =
          switch (sort) {
            case "allowed" ->
                Comparator.comparingLong((Row row) -> row.known.minute().of(RuleOutcome.ALLOWED))
                    .thenComparingLong(row -> row.known.totals().of(RuleOutcome.ALLOWED));
            case "refused_share" ->
                Comparator.comparingDouble((Row row) -> row.known.totals().refusedShare())
                    .thenComparingLong(row -> row.known.totals().refused());
            case "name" -> Comparator.comparingLong(row -> 0);
            default ->
                Comparator.comparingLong(Row::refused)
                    .thenComparingLong(row -> row.known.totals().refused())
                    .thenComparingLong(row -> row.known.totals().all());
          };
      return ascending.reversed().thenComparing(byName);
    }
  }
}
