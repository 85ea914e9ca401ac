package io.weir.cli.simulate;

import io.weir.Limit;
import io.weir.cli.simulate.TimeSeries.Band;
import io.weir.rules.Policy;
import io.weir.rules.Rule;
import io.weir.rules.replay.KeyCount;
import io.weir.rules.replay.Outcome;
import io.weir.rules.replay.RuleSummary;
import io.weir.rules.replay.Summary;
import io.weir.rules.replay.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** The body of a report, from top to bottom. */
final class ReportBody {
  private static final Wording WORDS = Wording.PAGE;
  private static final int TALL = 200;
  private static final int MOST_ROWS = 1000;
  private static final int MOST_FINDINGS = 12;
  private static final int MOST_CALLERS = 15;
  private static final String ALL = "all";

  private final Report report;
  private final Summary summary;
  private final RuleNames names;
  private final List<RuleSummary> charted;
  private final ChartData data;
  private final Html html;

  ReportBody(Report report, ChartData data, Html html) {
    this.report = report;
    this.summary = report.summary();
    this.names = new RuleNames(summary.rules());
    this.charted = report.charted();
    this.data = data;
    this.html = html;
  }

  void write() {
    header();
    html.open("main").newLine();
    figures();
    findings();
    summary
        .comparison()
        .ifPresent(
            comparison ->
                new ComparisonSection(summary, comparison, report.otherRules(), data, html)
                    .write());
    rules();
    chooser();
    overTime();
    callers();
    use();
    trouble();
    html.close().newLine();
    html.open("footer")
        .element("p", "Written by weir simulate. All times are UTC. This file loads nothing.")
        .close()
        .newLine();
  }

  private void header() {
    html.open("header").newLine();
    html.element("p", "Weir simulation", "class", "brand");
    html.element("h1", Wording.plain(report.trace()));
    html.open("p", "class", "span")
        .text("decided by ")
        .element("code", Wording.plain(report.rules()));
    if (!report.otherRules().isEmpty()) {
      html.text(", compared with ").element("code", Wording.plain(report.otherRules()));
    }
    html.close();
    if (summary.first().isPresent() && summary.last().isPresent()) {
      Instant first = summary.first().get();
      Instant last = summary.last().get();
      html.element(
          "p",
          "%s to %s UTC · %s"
              .formatted(
                  WORDS.moment(first),
                  WORDS.moment(last),
                  WORDS.length(Duration.between(first, last))),
          "class",
          "span");
    }
    html.close().newLine();
  }

  private void figures() {
    html.open("section", "class", "figures", "aria-label", "In all").newLine();
    figure("requests", WORDS.count(summary.requests()), rate());
    figure("refused", share(summary.refused()), WORDS.count(summary.refused()));
    if (summary.count(Outcome.DELAYED) > 0) {
      figure(
          "delayed",
          share(summary.count(Outcome.DELAYED)),
          WORDS.count(summary.count(Outcome.DELAYED)));
    }
    if (summary.count(Outcome.SHADOW_REFUSED) > 0) {
      figure(
          "would be refused by shadow rules",
          share(summary.count(Outcome.SHADOW_REFUSED)),
          WORDS.count(summary.count(Outcome.SHADOW_REFUSED)));
    }
    long refusing =
        summary.rules().stream().filter(rule -> rule.count(Outcome.REFUSED) > 0).count();
    figure("rules that refuse", WORDS.count(refusing), "of " + WORDS.count(summary.rules().size()));
    if (summary.badRequests().count() > 0) {
      figure("bad requests", WORDS.count(summary.badRequests().count()), "would get 400");
    }
    if (summary.malformed().count() > 0) {
      figure("lines left out", WORDS.count(summary.malformed().count()), "no requests");
    }
    html.close().newLine();
  }

  private String rate() {
    if (summary.first().isEmpty() || summary.last().isEmpty()) {
      return "";
    }
    Duration length = Duration.between(summary.first().get(), summary.last().get());
    double seconds = Math.max(1, length.toMillis() / 1000.0);
    double rate = summary.requests() / seconds;
    return rate >= 10
        ? WORDS.count(Math.round(rate)) + " a second"
        : WORDS.count(Math.round(60 * rate)) + " a minute";
  }

  private String share(long part) {
    return WORDS.percent(Wording.share(part, summary.requests()));
  }

  private void figure(String label, String value, String more) {
    html.open("div", "class", "figure");
    html.element("span", label, "class", "label");
    html.open("span", "class", "value").text(value).close();
    if (!more.isEmpty()) {
      html.element("span", more, "class", "more");
    }
    html.close().newLine();
  }

  private void findings() {
    record Told(RuleSummary rule, Finding finding) {}
    List<Told> told =
        summary.rules().stream()
            .map(rule -> new Told(rule, Finding.about(rule, WORDS)))
            .sorted(
                Comparator.comparing((Told each) -> each.finding().weight())
                    .thenComparing(Told::rule, Report.MOST_REFUSED_FIRST))
            .toList();
    html.open("section", "aria-labelledby", "findings").newLine();
    html.element("h2", "Findings", "id", "findings").newLine();
    html.open("ul", "class", "findings").newLine();
    for (Told each : told.stream().limit(MOST_FINDINGS).toList()) {
      html.open("li", "class", each.finding().weight().name().toLowerCase(java.util.Locale.ROOT));
      html.element("b", names.of(each.rule())).text(" " + each.finding().text() + ".").close();
      html.newLine();
    }
    if (told.size() > MOST_FINDINGS) {
      html.element(
          "li", "…and " + WORDS.count(told.size() - MOST_FINDINGS, "more rule") + ", see below.");
    }
    if (summary.uncovered() > 0) {
      html.element(
          "li",
          "No enforced rule applies to %s (%s)."
              .formatted(WORDS.count(summary.uncovered(), "request"), share(summary.uncovered())),
          "class",
          "look");
    }
    html.close().close().newLine();
  }

  private void rules() {
    html.open("section", "aria-labelledby", "rules").newLine();
    html.element("h2", "Rule by rule", "id", "rules").newLine();
    html.open(
        "div", "class", "scroll", "role", "region", "aria-labelledby", "rules", "tabindex", "0");
    html.open("table").newLine().open("thead").open("tr");
    html.element("th", "Rule", "scope", "col");
    html.element("th", "Over time", "scope", "col", "class", "spark");
    for (String title :
        List.of("Requests", "Refused", "Share", "Callers", "Callers refused", "Peak use")) {
      html.element("th", title, "scope", "col", "class", "num");
    }
    html.element("th", "Finding", "scope", "col").close().close().newLine();
    html.open("tbody").newLine();
    List<RuleSummary> shown =
        summary.rules().size() <= MOST_ROWS
            ? summary.rules()
            : summary.rules().stream().sorted(Report.MOST_REFUSED_FIRST).limit(MOST_ROWS).toList();
    shown.forEach(this::ruleRow);
    html.close().newLine().close().close().newLine();
    if (shown.size() < summary.rules().size()) {
      html.element(
          "p",
          "The %s rules with the most refusals of %s."
              .formatted(WORDS.count(shown.size()), WORDS.count(summary.rules().size())),
          "class",
          "note");
    }
    html.close().newLine();
  }

  private void ruleRow(RuleSummary rule) {
    html.open("tr")
        .open("th", "scope", "row", "title", Wording.plain(rule.rule().place().toString()));
    html.element("span", names.of(rule), "class", "name");
    if (rule.rule().policy().mode() != Policy.Mode.ENFORCE) {
      html.text(" ").element("span", rule.rule().policy().mode().toString(), "class", "badge");
    }
    html.element("span", limit(rule.rule()), "class", "limit").close();
    html.open("td", "class", "spark");
    if (charted.contains(rule)) {
      Spark.draw(html, series(rule.timeline(), rule.isShadow()).joined());
    }
    html.close();
    if (rule.neverFired()) {
      number("0");
      for (int i = 0; i < 5; i++) {
        number("–");
      }
    } else {
      number(WORDS.count(rule.requests()));
      number(WORDS.count(rule.refused()));
      number(WORDS.percent(rule.refusedShare()));
      boolean isPer = !rule.rule().per().isEmpty();
      number(isPer ? WORDS.count(rule.keys()) : "–");
      number(isPer ? WORDS.count(rule.keysRefused()) : "–");
      number(WORDS.percent(rule.peakUse()));
    }
    html.element("td", Finding.about(rule, WORDS).text(), "class", "finding").close().newLine();
  }

  private void number(String text) {
    html.element("td", text, "class", "num");
  }

  private static String limit(Rule rule) {
    String limits =
        rule.limits().stream().map(Limit::toString).collect(Collectors.joining(" and "));
    String per = rule.per().isEmpty() ? "" : ", for each " + String.join(" and ", rule.per());
    String more =
        rule.variants().isEmpty() ? "" : ", " + WORDS.count(rule.variants().size(), "override");
    return Wording.plain(limits.isEmpty() ? "no limit" : limits + per + more);
  }

  private void chooser() {
    if (charted.isEmpty()) {
      return;
    }
    html.open("div", "class", "chooser", "id", "chooser");
    html.element("label", "Charts below show", "for", "rule").open("select", "id", "rule");
    html.element("option", "all rules", "value", ALL);
    for (int i = 0; i < charted.size(); i++) {
      html.element("option", names.of(charted.get(i)), "value", "r" + i);
    }
    html.close().close().newLine();
  }

  private void overTime() {
    html.open("section", "aria-labelledby", "time").newLine();
    html.element("h2", "Allowed and refused over time", "id", "time").newLine();
    if (summary.requests() == 0) {
      html.element("p", "There is no request.", "class", "note").close();
      return;
    }
    chart(ALL, "All requests", series(summary.timeline(), false));
    for (int i = 0; i < charted.size(); i++) {
      RuleSummary rule = charted.get(i);
      chart("r" + i, names.of(rule), series(rule.timeline(), rule.isShadow()));
    }
    if (charted.size() == Report.MOST_CHARTS) {
      html.element(
          "p",
          "Of the rules, the " + Report.MOST_CHARTS + " with the most refusals can be chosen.",
          "class",
          "note");
    }
    html.close().newLine();
  }

  private void chart(String id, String title, TimeSeries full) {
    TimeSeries series = full.joined();
    data.add(id, series);
    html.open("figure", "data-rule", id);
    html.element("figcaption", title);
    new TimeChart(series, TALL).draw(html, id, title);
    html.close().newLine();
  }

  /** Outcomes as bands; for a rule in shadow mode, the refusals that it would have made. */
  private static TimeSeries series(Timeline timeline, boolean isShadow) {
    List<Band> bands = new ArrayList<>();
    bands.add(new Band("allowed", "allowed", false, timeline.counts(Outcome.ALLOWED)));
    bands.add(new Band("delayed", "delayed", false, timeline.counts(Outcome.DELAYED)));
    bands.add(
        new Band(
            isShadow ? "would be refused" : "would be refused by a shadow rule",
            "shadow",
            false,
            timeline.counts(Outcome.SHADOW_REFUSED)));
    bands.add(new Band("refused", "refused", false, timeline.counts(Outcome.REFUSED)));
    return new TimeSeries(timeline.start(), timeline.span(), bands);
  }

  private void callers() {
    html.open("section", "aria-labelledby", "callers").newLine();
    html.element("h2", "Most refused callers", "id", "callers").newLine();
    List<KeyCount> worst =
        summary.rules().stream()
            .filter(rule -> !rule.rule().per().isEmpty())
            .flatMap(rule -> rule.mostRefused().stream())
            .sorted(
                Comparator.comparingLong(KeyCount::count)
                    .reversed()
                    .thenComparing(each -> names.of(each.rule()))
                    .thenComparing(KeyCount::key))
            .limit(MOST_CALLERS)
            .toList();
    if (worst.isEmpty()) {
      html.element("p", "No caller was refused.", "class", "note").close().newLine();
      return;
    }
    callers(ALL, "All rules", worst);
    for (int i = 0; i < charted.size(); i++) {
      RuleSummary rule = charted.get(i);
      callers("r" + i, names.of(rule), rule.mostRefused().stream().limit(MOST_CALLERS).toList());
    }
    html.close().newLine();
  }

  private void callers(String id, String title, List<KeyCount> worst) {
    html.open("div", "data-rule", id).element("h3", title);
    if (worst.isEmpty()) {
      html.element("p", "It refused no caller.", "class", "note");
    } else {
      new CallerTable(names, "refused", "refused").draw(html, worst);
    }
    html.close().newLine();
  }

  private void use() {
    if (charted.isEmpty()) {
      return;
    }
    html.open("section", "aria-labelledby", "use").newLine();
    html.element("h2", "Use of the limit", "id", "use");
    html.element(
            "p",
            "How much of its limit a caller had used after each decision: from nothing, on the"
                + " left, to all of it. A rule with all bars on the left could be tighter; one"
                + " with a high last bar refuses often.",
            "class",
            "note")
        .newLine();
    html.open("div", "class", "uses").newLine();
    for (int i = 0; i < charted.size(); i++) {
      RuleSummary rule = charted.get(i);
      html.open("figure", "class", "use", "data-card", "r" + i);
      html.open("figcaption").text(names.of(rule)).text(" ");
      html.element("span", "peak " + WORDS.roughPercent(rule.peakUse()), "class", "faint").close();
      UseChart.draw(
          html, rule, names.of(rule) + ": use of the limit, peak " + WORDS.percent(rule.peakUse()));
      html.close().newLine();
    }
    html.close().close().newLine();
  }

  private void trouble() {
    List<Trouble> all = Trouble.of(summary, WORDS);
    if (all.isEmpty()) {
      return;
    }
    html.open("section", "aria-labelledby", "trace").newLine();
    html.element("h2", "About the trace", "id", "trace").open("ul").newLine();
    for (Trouble each : all) {
      html.open("li").text(Wording.plain(each.sentence()));
      if (!each.examples().isEmpty()) {
        html.open("ul", "class", "faults");
        each.examples().forEach(example -> html.element("li", Wording.plain(example)));
        html.close();
      }
      html.close().newLine();
    }
    html.close().close().newLine();
  }
}
