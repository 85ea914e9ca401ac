package io.weir.cli.simulate;

import io.weir.Limit;
import io.weir.cli.simulate.TimeSeries.Band;
import io.weir.rules.Policy;
import io.weir.rules.Rule;
import io.weir.rules.replay.KeyCount;
import io.weir.rules.replay.OutcomeSeries;
import io.weir.rules.replay.ReplayOutcome;
import io.weir.rules.replay.RuleSummary;
import io.weir.rules.replay.Summary;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** The body of a report, from top to bottom. */
final class ReportBody {
  private static final HumanFormat WORDS = HumanFormat.PAGE;
  private static final int TALL = 200;
  private static final int MAX_ROWS = 1000;
  private static final int MAX_FINDINGS = 12;
  private static final int MAX_CALLERS = 15;
  private static final String ALL = "all";

  private final HtmlReport htmlReport;
  private final Summary summary;
  private final RuleLabels names;
  private final List<RuleSummary> charted;
  private final ChartData data;
  private final HtmlWriter htmlWriter;

  ReportBody(HtmlReport htmlReport, ChartData data, HtmlWriter htmlWriter) {
    this.htmlReport = htmlReport;
    this.summary = htmlReport.summary();
    this.names = new RuleLabels(summary.rules());
    this.charted = htmlReport.charted();
    this.data = data;
    this.htmlWriter = htmlWriter;
  }

  void write() {
    header();
    htmlWriter.open("main").newLine();
    figures();
    findings();
    summary
        .comparison()
        .ifPresent(
            comparison ->
                new ComparisonSection(
                        summary, comparison, htmlReport.otherRules(), data, htmlWriter)
                    .write());
    rules();
    chooser();
    overTime();
    callers();
    use();
    trouble();
    htmlWriter.close().newLine();
    htmlWriter
        .open("footer")
        .element("p", "Written by weir simulate. All times are UTC. This file loads nothing.")
        .close()
        .newLine();
  }

  private void header() {
    htmlWriter.open("header").newLine();
    htmlWriter.element("p", "Weir simulation", "class", "brand");
    htmlWriter.element("h1", HumanFormat.plain(htmlReport.trace()));
    htmlWriter
        .open("p", "class", "span")
        .text("decided by ")
        .element("code", HumanFormat.plain(htmlReport.rules()));
    if (!htmlReport.otherRules().isEmpty()) {
      htmlWriter
          .text(", compared with ")
          .element("code", HumanFormat.plain(htmlReport.otherRules()));
    }
    htmlWriter.close();
    if (summary.first().isPresent() && summary.last().isPresent()) {
      Instant first = summary.first().get();
      Instant last = summary.last().get();
      htmlWriter.element(
          "p",
          "%s to %s UTC · %s"
              .formatted(
                  WORDS.moment(first),
                  WORDS.moment(last),
                  WORDS.length(Duration.between(first, last))),
          "class",
          "span");
    }
    htmlWriter.close().newLine();
  }

  private void figures() {
    htmlWriter.open("section", "class", "figures", "aria-label", "In all").newLine();
    figure("requests", WORDS.count(summary.requests()), rate());
    figure("refused", share(summary.refused()), WORDS.count(summary.refused()));
    if (summary.count(ReplayOutcome.DELAYED) > 0) {
      figure(
          "delayed",
          share(summary.count(ReplayOutcome.DELAYED)),
          WORDS.count(summary.count(ReplayOutcome.DELAYED)));
    }
    if (summary.count(ReplayOutcome.SHADOW_REFUSED) > 0) {
      figure(
          "would be refused by shadow rules",
          share(summary.count(ReplayOutcome.SHADOW_REFUSED)),
          WORDS.count(summary.count(ReplayOutcome.SHADOW_REFUSED)));
    }
    long refusing =
        summary.rules().stream().filter(rule -> rule.count(ReplayOutcome.REFUSED) > 0).count();
    figure("rules that refuse", WORDS.count(refusing), "of " + WORDS.count(summary.rules().size()));
    if (summary.badRequests().count() > 0) {
      figure("bad requests", WORDS.count(summary.badRequests().count()), "would get 400");
    }
    if (summary.malformed().count() > 0) {
      figure("lines left out", WORDS.count(summary.malformed().count()), "no requests");
    }
    htmlWriter.close().newLine();
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
    return WORDS.percent(HumanFormat.share(part, summary.requests()));
  }

  private void figure(String label, String value, String more) {
    htmlWriter.open("div", "class", "figure");
    htmlWriter.element("span", label, "class", "label");
    htmlWriter.open("span", "class", "value").text(value).close();
    if (!more.isEmpty()) {
      htmlWriter.element("span", more, "class", "more");
    }
    htmlWriter.close().newLine();
  }

  private void findings() {
    record Finding(RuleSummary rule, RuleFinding ruleFinding) {}
    List<Finding> findings =
        summary.rules().stream()
            .map(rule -> new Finding(rule, RuleFinding.about(rule, WORDS)))
            .sorted(
                Comparator.comparing((Finding each) -> each.ruleFinding().severity())
                    .thenComparing(Finding::rule, HtmlReport.BY_REFUSALS_DESCENDING))
            .toList();
    htmlWriter.open("section", "aria-labelledby", "findings").newLine();
    htmlWriter.element("h2", "Findings", "id", "findings").newLine();
    htmlWriter.open("ul", "class", "findings").newLine();
    for (Finding each : findings.stream().limit(MAX_FINDINGS).toList()) {
      htmlWriter.open(
          "li", "class", each.ruleFinding().severity().name().toLowerCase(java.util.Locale.ROOT));
      htmlWriter
          .element("b", names.of(each.rule()))
          .text(" " + each.ruleFinding().text() + ".")
          .close();
      htmlWriter.newLine();
    }
    if (findings.size() > MAX_FINDINGS) {
      htmlWriter.element(
          "li",
          "…and " + WORDS.count(findings.size() - MAX_FINDINGS, "more rule") + ", see below.");
    }
    if (summary.uncovered() > 0) {
      htmlWriter.element(
          "li",
          "No enforced rule applies to %s (%s)."
              .formatted(WORDS.count(summary.uncovered(), "request"), share(summary.uncovered())),
          "class",
          "look");
    }
    htmlWriter.close().close().newLine();
  }

  private void rules() {
    htmlWriter.open("section", "aria-labelledby", "rules").newLine();
    htmlWriter.element("h2", "Rule by rule", "id", "rules").newLine();
    htmlWriter.open(
        "div", "class", "scroll", "role", "region", "aria-labelledby", "rules", "tabindex", "0");
    htmlWriter.open("table").newLine().open("thead").open("tr");
    htmlWriter.element("th", "Rule", "scope", "col");
    htmlWriter.element("th", "Over time", "scope", "col", "class", "spark");
    for (String title :
        List.of("Requests", "Refused", "Share", "Callers", "Callers refused", "Peak use")) {
      htmlWriter.element("th", title, "scope", "col", "class", "num");
    }
    htmlWriter.element("th", "Finding", "scope", "col").close().close().newLine();
    htmlWriter.open("tbody").newLine();
    List<RuleSummary> shown =
        summary.rules().size() <= MAX_ROWS
            ? summary.rules()
            : summary.rules().stream()
                .sorted(HtmlReport.BY_REFUSALS_DESCENDING)
                .limit(MAX_ROWS)
                .toList();
    shown.forEach(this::ruleRow);
    htmlWriter.close().newLine().close().close().newLine();
    if (shown.size() < summary.rules().size()) {
      htmlWriter.element(
          "p",
          "The %s rules with the most refusals of %s."
              .formatted(WORDS.count(shown.size()), WORDS.count(summary.rules().size())),
          "class",
          "note");
    }
    htmlWriter.close().newLine();
  }

  private void ruleRow(RuleSummary rule) {
    htmlWriter
        .open("tr")
        .open(
            "th",
            "scope",
            "row",
            "title",
            HumanFormat.plain(rule.rule().sourceLocation().toString()));
    htmlWriter.element("span", names.of(rule), "class", "name");
    if (rule.rule().policy().mode() != Policy.Mode.ENFORCE) {
      htmlWriter
          .text(" ")
          .element("span", rule.rule().policy().mode().toString(), "class", "badge");
    }
    htmlWriter.element("span", limit(rule.rule()), "class", "limit").close();
    htmlWriter.open("td", "class", "spark");
    if (charted.contains(rule)) {
      Sparkline.draw(htmlWriter, series(rule.outcomeSeries(), rule.isShadow()).joined());
    }
    htmlWriter.close();
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
    htmlWriter
        .element("td", RuleFinding.about(rule, WORDS).text(), "class", "finding")
        .close()
        .newLine();
  }

  private void number(String text) {
    htmlWriter.element("td", text, "class", "num");
  }

  private static String limit(Rule rule) {
    String limits =
        rule.limits().stream().map(Limit::toString).collect(Collectors.joining(" and "));
    String per = rule.per().isEmpty() ? "" : ", for each " + String.join(" and ", rule.per());
    String more =
        rule.ruleOverrides().isEmpty()
            ? ""
            : ", " + WORDS.count(rule.ruleOverrides().size(), "override");
    return HumanFormat.plain(limits.isEmpty() ? "no limit" : limits + per + more);
  }

  private void chooser() {
    if (charted.isEmpty()) {
      return;
    }
    htmlWriter.open("div", "class", "chooser", "id", "chooser");
    htmlWriter.element("label", "Charts below show", "for", "rule").open("select", "id", "rule");
    htmlWriter.element("option", "all rules", "value", ALL);
    for (int i = 0; i < charted.size(); i++) {
      htmlWriter.element("option", names.of(charted.get(i)), "value", "r" + i);
    }
    htmlWriter.close().close().newLine();
  }

  private void overTime() {
    htmlWriter.open("section", "aria-labelledby", "time").newLine();
    htmlWriter.element("h2", "Allowed and refused over time", "id", "time").newLine();
    if (summary.requests() == 0) {
      htmlWriter.element("p", "There is no request.", "class", "note").close();
      return;
    }
    chart(ALL, "All requests", series(summary.outcomeSeries(), false));
    for (int i = 0; i < charted.size(); i++) {
      RuleSummary rule = charted.get(i);
      chart("r" + i, names.of(rule), series(rule.outcomeSeries(), rule.isShadow()));
    }
    if (charted.size() == HtmlReport.MAX_CHARTS) {
      htmlWriter.element(
          "p",
          "Of the rules, the " + HtmlReport.MAX_CHARTS + " with the most refusals can be chosen.",
          "class",
          "note");
    }
    htmlWriter.close().newLine();
  }

  private void chart(String id, String title, TimeSeries full) {
    TimeSeries series = full.joined();
    data.add(id, series);
    htmlWriter.open("figure", "data-rule", id);
    htmlWriter.element("figcaption", title);
    new TimeChart(series, TALL).draw(htmlWriter, id, title);
    htmlWriter.close().newLine();
  }

  /** Outcomes as bands; for a rule in shadow mode, the refusals that it would have made. */
  private static TimeSeries series(OutcomeSeries outcomeSeries, boolean isShadow) {
    List<Band> bands = new ArrayList<>();
    bands.add(new Band("allowed", "allowed", false, outcomeSeries.counts(ReplayOutcome.ALLOWED)));
    bands.add(new Band("delayed", "delayed", false, outcomeSeries.counts(ReplayOutcome.DELAYED)));
    bands.add(
        new Band(
            isShadow ? "would be refused" : "would be refused by a shadow rule",
            "shadow",
            false,
            outcomeSeries.counts(ReplayOutcome.SHADOW_REFUSED)));
    bands.add(new Band("refused", "refused", false, outcomeSeries.counts(ReplayOutcome.REFUSED)));
    return new TimeSeries(outcomeSeries.start(), outcomeSeries.span(), bands);
  }

  private void callers() {
    htmlWriter.open("section", "aria-labelledby", "callers").newLine();
    htmlWriter.element("h2", "Most refused callers", "id", "callers").newLine();
    List<KeyCount> worst =
        summary.rules().stream()
            .filter(rule -> !rule.rule().per().isEmpty())
            .flatMap(rule -> rule.mostRefused().stream())
            .sorted(
                Comparator.comparingLong(KeyCount::count)
                    .reversed()
                    .thenComparing(each -> names.of(each.rule()))
                    .thenComparing(KeyCount::key))
            .limit(MAX_CALLERS)
            .toList();
    if (worst.isEmpty()) {
      htmlWriter.element("p", "No caller was refused.", "class", "note").close().newLine();
      return;
    }
    callers(ALL, "All rules", worst);
    for (int i = 0; i < charted.size(); i++) {
      RuleSummary rule = charted.get(i);
      callers("r" + i, names.of(rule), rule.mostRefused().stream().limit(MAX_CALLERS).toList());
    }
    htmlWriter.close().newLine();
  }

  private void callers(String id, String title, List<KeyCount> worst) {
    htmlWriter.open("div", "data-rule", id).element("h3", title);
    if (worst.isEmpty()) {
      htmlWriter.element("p", "It refused no caller.", "class", "note");
    } else {
      new CallerTable(names, "refused", "refused").draw(htmlWriter, worst);
    }
    htmlWriter.close().newLine();
  }

  private void use() {
    if (charted.isEmpty()) {
      return;
    }
    htmlWriter.open("section", "aria-labelledby", "use").newLine();
    htmlWriter.element("h2", "Use of the limit", "id", "use");
    htmlWriter
        .element(
            "p",
            "How much of its limit a caller had used after each decision: from nothing, on the"
                + " left, to all of it. A rule with all bars on the left could be tighter; one"
                + " with a high last bar refuses often.",
            "class",
            "note")
        .newLine();
    htmlWriter.open("div", "class", "uses").newLine();
    for (int i = 0; i < charted.size(); i++) {
      RuleSummary rule = charted.get(i);
      htmlWriter.open("figure", "class", "use", "data-card", "r" + i);
      htmlWriter.open("figcaption").text(names.of(rule)).text(" ");
      htmlWriter
          .element("span", "peak " + WORDS.roughPercent(rule.peakUse()), "class", "faint")
          .close();
      UsageChart.draw(
          htmlWriter,
          rule,
          names.of(rule) + ": use of the limit, peak " + WORDS.percent(rule.peakUse()));
      htmlWriter.close().newLine();
    }
    htmlWriter.close().close().newLine();
  }

  private void trouble() {
    List<TraceProblem> all = TraceProblem.of(summary, WORDS);
    if (all.isEmpty()) {
      return;
    }
    htmlWriter.open("section", "aria-labelledby", "trace").newLine();
    htmlWriter.element("h2", "About the trace", "id", "trace").open("ul").newLine();
    for (TraceProblem each : all) {
      htmlWriter.open("li").text(HumanFormat.plain(each.sentence()));
      if (!each.examples().isEmpty()) {
        htmlWriter.open("ul", "class", "faults");
        each.examples().forEach(example -> htmlWriter.element("li", HumanFormat.plain(example)));
        htmlWriter.close();
      }
      htmlWriter.close().newLine();
    }
    htmlWriter.close().close().newLine();
  }
}
