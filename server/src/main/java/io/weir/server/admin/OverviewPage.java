package io.weir.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.weir.arbiter.Arbiter;
import io.weir.arbiter.Outcome;
import io.weir.node.StoreUrl;
import io.weir.rules.Policy;
import io.weir.rules.RequestLimiter;
import io.weir.rules.Rule;
import io.weir.rules.http.Json;
import io.weir.seeing.Census;
import io.weir.seeing.Counts;
import io.weir.seeing.History;
import io.weir.seeing.Past;
import io.weir.seeing.RuleHistory;
import io.weir.seeing.Speed;
import io.weir.seeing.Watch;
import io.weir.server.Build;
import io.weir.server.Settings;
import io.weir.server.Vitals;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** {@code /v1/overview}: the status of the node, and the numbers of each rule, page by page. */
final class OverviewPage {
  private static final int USUAL = 100;
  private static final int MOST = 1000;
  private static final int FEW_OVERRIDES = 8; // of each rule: there may be thousands
  private static final long DAY_SECONDS = 86_400;
  private static final RuleHistory NOTHING = new RuleHistory(Counts.NONE, Counts.NONE, 0, 0, false);
  private static final List<String> SORTS = List.of("denied", "allowed", "name", "refused_share");

  private final Arbiter arbiter;
  private final Settings settings;
  private final Vitals vitals;
  private final Past past;
  private final Watch watch;
  private final String version = Build.version();
  private final long pid = ProcessHandle.current().pid();
  private @Nullable Roster roster; // used on the aggregation thread only

  OverviewPage(Arbiter arbiter, Settings settings, Vitals vitals, Past past, Watch watch) {
    this.arbiter = arbiter;
    this.settings = settings;
    this.vitals = vitals;
    this.past = past;
    this.watch = watch;
  }

  void show(HttpServerRequest request) {
    Wanted wanted =
        Wanted.of(Parameters.of(request, "limit", "offset", "sort", "q", "rule", "overrides"));
    if (wanted.rule != null) {
      RuleFinder.known(wanted.rule, arbiter);
    }
    Asked.answer(request, past.recall(history -> page(history, wanted)));
  }

  private String page(History history, Wanted wanted) {
    Json page = new Json().open().number("time", arbiter.nowMillis());
    page.open("node", '{').text("version", version).number("started", history.started() * 1000);
    page.truth("ready", vitals.isReady()).number("pid", pid).text("bind", settings.bind());
    page.text("store", StoreUrl.shown(settings.store())).open("ports", '{');
    vitals.ports().forEach((name, port) -> add(page, name, port));
    page.close().close();
    StoreView.addTo(page, past.storeNow());
    Speed.Quantiles speed = history.speed();
    page.open("decisions", '{');
    Tallies.micros(page, "p50_us", speed.medianNanos(), speed.decisions() > 0);
    Tallies.micros(page, "p99_us", speed.slowNanos(), speed.decisions() > 0);
    page.number("count", speed.decisions()).close();
    Tallies.totals(page, history.requests(), history.totals(), history.fallbacks());
    Tallies.minute(page, history.requestsOfLastMinute(), history.lastMinute());
    page.number("minute_seconds", history.lastMinuteSeconds());
    page.open("reloads", '{').number("success", vitals.reloads().taken());
    page.number("rejected", vitals.reloads().rejected()).close();
    page.open("watch", '{')
        .number("sampling", watch.callers().sampling())
        .number("missed", watch.callers().missed());
    page.number("bytes", history.bytes() + watch.callers().bytes()).close();
    addRules(page, history, wanted);
    return page.close().toString();
  }

  private static void add(Json page, String name, Vitals.Port port) {
    page.open(name, '{').number("port", port.number()).truth("tls", port.isTls()).close();
  }

  private void addRules(Json page, History history, Wanted wanted) {
    Roster present = Roster.of(arbiter, roster);
    roster = present;
    List<Row> rows = new ArrayList<>();
    Map<String, Integer> flags = new TreeMap<>();
    for (Roster.Entry entry : present.entries()) {
      RuleHistory known = history.rule(entry.label());
      Row row = new Row(entry, known == null ? NOTHING : known);
      flags(row, census(row)).forEach(flag -> flags.merge(flag, 1, Integer::sum));
      if (wanted.matches(entry.label())) {
        rows.add(row);
      }
    }
    rows.sort(wanted.order());
    int from = Math.min(wanted.offset, rows.size());
    List<Row> shown = rows.subList(from, Math.min(from + wanted.limit, rows.size()));
    Map<String, Long> live = live();
    int sampling = watch.callers().thinnestOfCensus();
    page.open("rules", '{').number("count", present.entries().size()).open("modes", '{');
    present.modes().forEach((mode, count) -> page.number(mode.toString(), count));
    page.close().open("flags", '{');
    flags.forEach(page::number);
    page.close();
    page.number("matching", rows.size()).open("items", '[');
    shown.forEach(row -> add(page, row, live.get(row.entry.label()), sampling, wanted.overrides));
    page.end(']').close();
  }

  /** Not computed for rules without refusals: there may be ten thousand of them. */
  private Census census(Row row) {
    return row.known.totals().refused() == 0
        ? Census.NOBODY
        : watch.callers().census(row.entry.label());
  }

  private Map<String, Long> live() {
    Map<String, Long> keys = new HashMap<>();
    for (RequestLimiter.Usage usage : arbiter.usage()) {
      String label = arbiter.tally().label(usage.meter().rule(), arbiter::rules);
      if (label != null) {
        keys.merge(label, usage.keys(), Long::sum);
      }
    }
    return keys;
  }

  private static void add(Json page, Roster.OverrideLimits override) {
    page.begin('{').text("name", override.name()).open("limits", '[');
    override.limits().forEach(page::text);
    page.end(']').close();
  }

  private void add(Json page, Row row, @Nullable Long live, int sampling, int overrides) {
    Roster.Entry entry = row.entry;
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
    page.text("place", rule == null ? null : rule.place().file() + ":" + rule.place().line());
    page.number("sharing", entry.rules()).text("no_what_if", entry.untried());
    page.text("on_failure", policy.onFailure().name().toLowerCase(Locale.ROOT));
    page.text("consistency", policy.consistency().toString());
    Tallies.ofRule(page, "totals", row.known.totals());
    Tallies.ofRule(page, "minute", row.known.minute());
    page.raw("refused_share", Tallies.decimal(row.known.totals().refusedShare(), 4));
    Census census = watch.callers().census(entry.label());
    addKeys(page, live, census, sampling);
    page.open("flags", '[');
    flags(row, census).forEach(page::text);
    page.end(']').close();
  }

  private static void addKeys(Json page, @Nullable Long live, Census census, int sampling) {
    page.open("keys", '{');
    if (live == null) {
      page.nothing("live");
    } else {
      page.number("live", live);
    }
    page.number("distinct", census.callers()).number("refused", census.refused());
    page.raw("error", Tallies.decimal(census.error(), 4)).number("sampling", sampling).close();
  }

  private static List<String> flags(Row row, Census census) {
    List<String> flags = new ArrayList<>();
    Counts totals = row.known.totals();
    if (!row.entry.isOff() && row.known.idleSeconds() >= 3600) {
      flags.add("never_matches");
    }
    if (row.known.ageSeconds() >= DAY_SECONDS
        && totals.of(Outcome.ALLOWED) >= 100
        && totals.refused() == 0) {
      flags.add("never_refuses");
    }
    if (census.callers() >= 20 && census.refused() * 20 > census.callers()) {
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
  private record Row(Roster.Entry entry, RuleHistory known) {
    long refused() {
      return known.minute().refused();
    }
  }

  /** Which rules, in what order, and the first one of the page. */
  private record Wanted(
      int limit, int offset, String sort, String text, @Nullable String rule, int overrides) {
    static Wanted of(Parameters given) {
      String text = given.text("q");
      return new Wanted(
          given.number("limit", USUAL, 0, MOST),
          given.number("offset", 0, 0, Integer.MAX_VALUE),
          given.oneOf("sort", "denied", SORTS),
          text == null ? "" : text.toLowerCase(Locale.ROOT),
          given.text("rule"),
          given.number("overrides", FEW_OVERRIDES, 0, MOST));
    }

    boolean matches(String label) {
      return (rule == null || rule.equals(label))
          && (text.isEmpty() || label.toLowerCase(Locale.ROOT).contains(text));
    }

    /** Sorts by the last minute, then by the total, then by name. */
    Comparator<Row> order() {
      Comparator<Row> byName = Comparator.comparing(row -> row.entry.label());
      Comparator<Row> most =
          switch (sort) {
            case "allowed" ->
                Comparator.comparingLong((Row row) -> row.known.minute().of(Outcome.ALLOWED))
                    .thenComparingLong(row -> row.known.totals().of(Outcome.ALLOWED));
            case "refused_share" ->
                Comparator.comparingDouble((Row row) -> row.known.totals().refusedShare())
                    .thenComparingLong(row -> row.known.totals().refused());
            case "name" -> Comparator.comparingLong(row -> 0);
            default ->
                Comparator.comparingLong(Row::refused)
                    .thenComparingLong(row -> row.known.totals().refused())
                    .thenComparingLong(row -> row.known.totals().all());
          };
      return most.reversed().thenComparing(byName);
    }
  }
}
