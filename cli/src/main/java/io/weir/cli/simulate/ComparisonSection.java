package io.weir.cli.simulate;

import io.weir.cli.simulate.TimeSeries.Band;
import io.weir.rules.replay.Comparison;
import io.weir.rules.replay.Flips;
import io.weir.rules.replay.OutcomeSeries;
import io.weir.rules.replay.RuleCount;
import io.weir.rules.replay.Summary;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The section with requests that other rules would decide differently. */
final class ComparisonSection {
  private static final HumanFormat WORDS = HumanFormat.PAGE;
  private static final int TALL = 160;
  private static final int MAX_CALLERS = 10;
  private static final int MAX_RULES = 50;
  private static final int WIDTH = 60;
  private static final String CHART = "flips";

  private final Summary summary;
  private final Comparison comparison;
  private final String otherRules;
  private final ChartData data;
  private final HtmlWriter htmlWriter;

  ComparisonSection(
      Summary summary,
      Comparison comparison,
      String otherRules,
      ChartData data,
      HtmlWriter htmlWriter) {
    this.summary = summary;
    this.comparison = comparison;
    this.otherRules = otherRules;
    this.data = data;
    this.htmlWriter = htmlWriter;
  }

  void write() {
    Flips refused = comparison.newlyRefused();
    Flips allowed = comparison.newlyAllowed();
    htmlWriter.open("section", "aria-labelledby", "comparison").newLine();
    htmlWriter.open("h2", "id", "comparison").text("What ");
    htmlWriter
        .element("code", HumanFormat.plain(otherRules))
        .text(" would change")
        .close()
        .newLine();
    htmlWriter.open("p");
    htmlWriter.text("Refused: ").element("b", share(comparison.other()));
    htmlWriter.text(" instead of ").element("b", share(summary)).text(". ");
    htmlWriter
        .element("b", WORDS.count(refused.requests(), "request"))
        .text(
            " of "
                + WORDS.count(refused.keys(), "caller")
                + " would be refused that are now allowed; ");
    htmlWriter
        .element("b", WORDS.count(allowed.requests(), "request"))
        .text(
            " of "
                + WORDS.count(allowed.keys(), "caller")
                + " would be allowed that are now refused.");
    htmlWriter.close().newLine();
    if (refused.requests() + allowed.requests() > 0) {
      chart(refused, allowed);
      htmlWriter.open("div", "class", "two").newLine();
      flips("Newly refused", "refused", refused, new RuleLabels(comparison.other().rules()));
      flips("Newly allowed", "freed", allowed, new RuleLabels(summary.rules()));
      htmlWriter.close();
    }
    htmlWriter.close().newLine();
  }

  private static String share(Summary summary) {
    return WORDS.percent(HumanFormat.share(summary.refused(), summary.requests()));
  }

  private void chart(Flips refused, Flips allowed) {
    OutcomeSeries outcomeSeries = summary.outcomeSeries();
    TimeSeries series =
        new TimeSeries(
                outcomeSeries.start(),
                outcomeSeries.span(),
                List.of(
                    new Band("newly refused", "refused", false, refused.overTime()),
                    new Band("newly allowed", "freed", true, allowed.overTime())))
            .joined();
    data.add(CHART, series);
    htmlWriter.open("figure").element("figcaption", "Requests that flip");
    new TimeChart(series, TALL).draw(htmlWriter, CHART, "Requests that flip");
    htmlWriter.close().newLine();
  }

  private void flips(String title, String style, Flips flips, RuleLabels names) {
    htmlWriter.open("div").element("h3", title).newLine();
    if (flips.requests() == 0) {
      htmlWriter.element("p", "None.", "class", "note").close();
      return;
    }
    htmlWriter.open("p", "class", "note").text("By rule: ");
    htmlWriter.text(
        flips.byRule().stream()
            .limit(MAX_RULES)
            .map((RuleCount each) -> names.of(each.rule()) + " " + WORDS.count(each.count()))
            .collect(Collectors.joining(", ")));
    htmlWriter.close().newLine();
    new CallerTable(names, "requests", style)
        .draw(htmlWriter, flips.byKey().stream().limit(MAX_CALLERS).toList());
    htmlWriter
        .open("details")
        .element("summary", "The first of them")
        .open("ol", "class", "examples");
    for (Flips.Example example : flips.examples()) {
      htmlWriter.open("li");
      htmlWriter
          .element("span", "line " + WORDS.count(example.request().line()), "class", "faint")
          .text(" ");
      htmlWriter.text(WORDS.moment(Instant.ofEpochMilli(example.request().epochMillis())) + " ");
      String attributes = attributes(example.request().attributes());
      htmlWriter.element(
          "code",
          HumanFormat.shortened(attributes, WIDTH),
          "title",
          HumanFormat.shortened(attributes, 400));
      htmlWriter
          .text(" by ")
          .element("b", HumanFormat.plain(example.refusal().rule()))
          .close()
          .newLine();
    }
    htmlWriter.close().close().close().newLine();
  }

  private static String attributes(Map<String, String> attributes) {
    return attributes.entrySet().stream()
        .map(each -> each.getKey() + "=" + each.getValue())
        .collect(Collectors.joining(" "));
  }
}
