package io.weir.cli.simulate;

import io.weir.rules.replay.KeyCount;
import java.util.List;

/** Callers with bars: the share of their requests that had a certain outcome. */
final class CallerTable {
  private static final HumanFormat WORDS = HumanFormat.PAGE;
  private static final int KEY_WIDTH = 36;
  private static final int TITLE_WIDTH = 400;

  private final RuleLabels names;
  private final String what;
  private final String style;

  /** A table for the outcome {@code what}, such as {@code refused}, with bars of {@code style}. */
  CallerTable(RuleLabels names, String what, String style) {
    this.names = names;
    this.what = what;
    this.style = style;
  }

  void draw(HtmlWriter htmlWriter, List<KeyCount> callers) {
    boolean isPart = callers.stream().anyMatch(caller -> caller.of() > caller.count());
    long max = callers.stream().mapToLong(KeyCount::of).max().orElse(1);
    htmlWriter.open(
        "div",
        "class",
        "scroll",
        "role",
        "region",
        "aria-label",
        "callers " + what,
        "tabindex",
        "0");
    htmlWriter.open("table", "class", "callers").open("thead").open("tr");
    htmlWriter.element("th", "Caller", "scope", "col").element("th", "Rule", "scope", "col");
    htmlWriter.element("th", "", "class", "bar");
    htmlWriter.element("th", capitalised(what), "scope", "col", "class", "num");
    if (isPart) {
      htmlWriter.element("th", "of requests", "scope", "col", "class", "num");
      htmlWriter.element("th", "Share", "scope", "col", "class", "num");
    }
    htmlWriter.close().close().newLine().open("tbody").newLine();
    for (KeyCount caller : callers) {
      row(htmlWriter, caller, max, isPart);
    }
    htmlWriter.close().close().close().newLine();
  }

  private void row(HtmlWriter htmlWriter, KeyCount caller, long max, boolean isPart) {
    htmlWriter.open("tr");
    if (caller.key().isEmpty()) {
      htmlWriter.element("th", "everybody", "scope", "row", "class", "faint");
    } else {
      htmlWriter.open(
          "th", "scope", "row", "title", HumanFormat.shortened(caller.key(), TITLE_WIDTH));
      htmlWriter.element("code", HumanFormat.shortened(caller.key(), KEY_WIDTH)).close();
    }
    htmlWriter.element("td", names.of(caller.rule()));
    htmlWriter.open("td", "class", "bar");
    htmlWriter.open("svg", "width", "100%", "height", "14", "aria-hidden", "true");
    htmlWriter.empty(
        "rect", "class", "allowed", "height", "14", "rx", "2", "width", width(caller.of(), max));
    htmlWriter.empty(
        "rect", "class", style, "height", "14", "rx", "2", "width", width(caller.count(), max));
    htmlWriter.close().close();
    htmlWriter.element("td", WORDS.count(caller.count()), "class", "num");
    if (isPart) {
      htmlWriter.element("td", WORDS.count(caller.of()), "class", "num");
      htmlWriter.element(
          "td", WORDS.percent(HumanFormat.share(caller.count(), caller.of())), "class", "num");
    }
    htmlWriter.close().newLine();
  }

  private static String width(long count, long max) {
    return count == 0 ? "0" : TimeChart.number(Math.max(0.6, 100.0 * count / max)) + "%";
  }

  private static String capitalised(String word) {
    return Character.toUpperCase(word.charAt(0)) + word.substring(1);
  }
}
