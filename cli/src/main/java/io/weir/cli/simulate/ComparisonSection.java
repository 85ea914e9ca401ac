package io.weir.cli.simulate;

import io.weir.cli.simulate.TimeSeries.Band;
import io.weir.rules.replay.Comparison;
import io.weir.rules.replay.Flips;
import io.weir.rules.replay.RuleCount;
import io.weir.rules.replay.Summary;
import io.weir.rules.replay.Timeline;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The section with requests that other rules would decide differently. */
final class ComparisonSection {
  private static final Wording WORDS = Wording.PAGE;
  private static final int TALL = 160;
  private static final int MOST_CALLERS = 10;
  private static final int MOST_RULES = 50;
  private static final int WIDTH = 60;
  private static final String CHART = "flips";

  private final Summary summary;
  private final Comparison comparison;
  private final String otherRules;
  private final ChartData data;
  private final Html html;

  ComparisonSection(
      Summary summary, Comparison comparison, String otherRules, ChartData data, Html html) {
    this.summary = summary;
    this.comparison = comparison;
    this.otherRules = otherRules;
    this.data = data;
    this.html = html;
  }

  void write() {
    Flips refused = comparison.newlyRefused();
    Flips allowed = comparison.newlyAllowed();
    html.open("section", "aria-labelledby", "comparison").newLine();
    html.open("h2", "id", "comparison").text("What ");
    html.element("code", Wording.plain(otherRules)).text(" would change").close().newLine();
    html.open("p");
    html.text("Refused: ").element("b", share(comparison.other()));
    html.text(" instead of ").element("b", share(summary)).text(". ");
    html.element("b", WORDS.count(refused.requests(), "request"))
        .text(
            " of "
                + WORDS.count(refused.keys(), "caller")
                + " would be refused that are now allowed; ");
    html.element("b", WORDS.count(allowed.requests(), "request"))
        .text(
            " of "
                + WORDS.count(allowed.keys(), "caller")
                + " would be allowed that are now refused.");
    html.close().newLine();
    if (refused.requests() + allowed.requests() > 0) {
      chart(refused, allowed);
      html.open("div", "class", "two").newLine();
      flips("Newly refused", "refused", refused, new RuleNames(comparison.other().rules()));
      flips("Newly allowed", "freed", allowed, new RuleNames(summary.rules()));
      html.close();
    }
    html.close().newLine();
  }

  private static String share(Summary summary) {
    return WORDS.percent(Wording.share(summary.refused(), summary.requests()));
  }

  private void chart(Flips refused, Flips allowed) {
    Timeline timeline = summary.timeline();
    TimeSeries series =
        new TimeSeries(
                timeline.start(),
                timeline.span(),
                List.of(
                    new Band("newly refused", "refused", false, refused.overTime()),
                    new Band("newly allowed", "freed", true, allowed.overTime())))
            .joined();
    data.add(CHART, series);
    html.open("figure").element("figcaption", "Requests that flip");
    new TimeChart(series, TALL).draw(html, CHART, "Requests that flip");
    html.close().newLine();
  }

  private void flips(String title, String style, Flips flips, RuleNames names) {
    html.open("div").element("h3", title).newLine();
    if (flips.requests() == 0) {
      html.element("p", "None.", "class", "note").close();
      return;
    }
    html.open("p", "class", "note").text("By rule: ");
    html.text(
        flips.byRule().stream()
            .limit(MOST_RULES)
            .map((RuleCount each) -> names.of(each.rule()) + " " + WORDS.count(each.count()))
            .collect(Collectors.joining(", ")));
    html.close().newLine();
    new CallerTable(names, "requests", style)
        .draw(html, flips.byKey().stream().limit(MOST_CALLERS).toList());
    html.open("details").element("summary", "The first of them").open("ol", "class", "examples");
    for (Flips.Example example : flips.examples()) {
      html.open("li");
      html.element("span", "line " + WORDS.count(example.request().line()), "class", "faint")
          .text(" ");
      html.text(WORDS.moment(Instant.ofEpochMilli(example.request().epochMillis())) + " ");
      String attributes = attributes(example.request().attributes());
      html.element(
          "code",
          Wording.shortened(attributes, WIDTH),
          "title",
          Wording.shortened(attributes, 400));
      html.text(" by ").element("b", Wording.plain(example.refusal().rule())).close().newLine();
    }
    html.close().close().close().newLine();
  }

  private static String attributes(Map<String, String> attributes) {
    return attributes.entrySet().stream()
        .map(each -> each.getKey() + "=" + each.getValue())
        .collect(Collectors.joining(" "));
  }
}
