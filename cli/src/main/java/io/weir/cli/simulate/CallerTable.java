package io.weir.cli.simulate;

import io.weir.rules.replay.KeyCount;
import java.util.List;

/** Callers with bars: the share of their requests that had a certain outcome. */
final class CallerTable {
  private static final Wording WORDS = Wording.PAGE;
  private static final int KEY_WIDTH = 36;
  private static final int TITLE_WIDTH = 400;

  private final RuleNames names;
  private final String what;
  private final String style;

  /** A table for the outcome {@code what}, such as {@code refused}, with bars of {@code style}. */
  CallerTable(RuleNames names, String what, String style) {
    this.names = names;
    this.what = what;
    this.style = style;
  }

  void draw(Html html, List<KeyCount> callers) {
    boolean isPart = callers.stream().anyMatch(caller -> caller.of() > caller.count());
    long most = callers.stream().mapToLong(KeyCount::of).max().orElse(1);
    html.open(
        "div",
        "class",
        "scroll",
        "role",
        "region",
        "aria-label",
        "callers " + what,
        "tabindex",
        "0");
    html.open("table", "class", "callers").open("thead").open("tr");
    html.element("th", "Caller", "scope", "col").element("th", "Rule", "scope", "col");
    html.element("th", "", "class", "bar");
    html.element("th", capitalised(what), "scope", "col", "class", "num");
    if (isPart) {
      html.element("th", "of requests", "scope", "col", "class", "num");
      html.element("th", "Share", "scope", "col", "class", "num");
    }
    html.close().close().newLine().open("tbody").newLine();
    for (KeyCount caller : callers) {
      row(html, caller, most, isPart);
    }
    html.close().close().close().newLine();
  }

  private void row(Html html, KeyCount caller, long most, boolean isPart) {
    html.open("tr");
    if (caller.key().isEmpty()) {
      html.element("th", "everybody", "scope", "row", "class", "faint");
    } else {
      html.open("th", "scope", "row", "title", Wording.shortened(caller.key(), TITLE_WIDTH));
      html.element("code", Wording.shortened(caller.key(), KEY_WIDTH)).close();
    }
    html.element("td", names.of(caller.rule()));
    html.open("td", "class", "bar");
    html.open("svg", "width", "100%", "height", "14", "aria-hidden", "true");
    html.empty(
        "rect", "class", "allowed", "height", "14", "rx", "2", "width", width(caller.of(), most));
    html.empty(
        "rect", "class", style, "height", "14", "rx", "2", "width", width(caller.count(), most));
    html.close().close();
    html.element("td", WORDS.count(caller.count()), "class", "num");
    if (isPart) {
      html.element("td", WORDS.count(caller.of()), "class", "num");
      html.element("td", WORDS.percent(Wording.share(caller.count(), caller.of())), "class", "num");
    }
    html.close().newLine();
  }

  private static String width(long count, long most) {
    return count == 0 ? "0" : TimeChart.number(Math.max(0.6, 100.0 * count / most)) + "%";
  }

  private static String capitalised(String word) {
    return Character.toUpperCase(word.charAt(0)) + word.substring(1);
  }
}
