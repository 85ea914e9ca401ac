package io.weir.cli.simulate;

import io.weir.rules.replay.RuleSummary;
import java.util.List;

/** The share of a limit in use after each decision, as a row of bars. */
final class UsageChart {
  private static final HumanFormat WORDS = HumanFormat.PAGE;
  private static final int HEIGHT = 84;
  private static final int LABELS = 20;

  private UsageChart() {}

  static void draw(HtmlWriter htmlWriter, RuleSummary rule, String title) {
    List<Long> use = rule.use();
    long highest = Math.max(1, use.stream().mapToLong(Long::longValue).max().orElse(1));
    htmlWriter.open(
        "svg",
        "class",
        "chart",
        "width",
        "100%",
        "height",
        String.valueOf(HEIGHT + LABELS),
        "role",
        "img",
        "aria-label",
        title);
    htmlWriter.open(
        "svg",
        "width",
        "100%",
        "height",
        String.valueOf(HEIGHT),
        "viewBox",
        "0 0 " + use.size() + " " + HEIGHT,
        "preserveAspectRatio",
        "none");
    for (int i = 0; i < use.size(); i++) {
      long count = use.get(i);
      if (count > 0) {
        double tall = Math.max(1.5, (double) count / highest * (HEIGHT - 2));
        htmlWriter
            .open(
                "rect",
                "class",
                i + 1 == use.size() ? "full" : "use",
                "x",
                TimeChart.number(i + 0.06),
                "y",
                TimeChart.number(HEIGHT - tall),
                "width",
                "0.88",
                "height",
                TimeChart.number(tall))
            .element("title", tip(i, use.size(), count, rule))
            .close();
      }
    }
    htmlWriter.close();
    htmlWriter.empty(
        "line",
        "class",
        "axis",
        "x1",
        "0",
        "x2",
        "100%",
        "y1",
        String.valueOf(HEIGHT),
        "y2",
        String.valueOf(HEIGHT));
    String y = String.valueOf(HEIGHT + 15);
    htmlWriter.element("text", "0\u00a0%", "class", "moment first", "x", "0", "y", y);
    htmlWriter.element("text", "50\u00a0%", "class", "moment", "x", "50%", "y", y);
    htmlWriter.element("text", "100\u00a0%", "class", "moment last", "x", "100%", "y", y);
    htmlWriter.close();
  }

  private static String tip(int step, int steps, long count, RuleSummary rule) {
    int width = 100 / steps;
    return "%d–%d %% of the limit in use: %s (%s)"
        .formatted(
            step * width,
            (step + 1) * width,
            WORDS.count(count, "decision"),
            WORDS.percent(HumanFormat.share(count, rule.requests())));
  }
}
