package io.weir.bench.report;

import java.util.List;

/** The results of one suite. */
public record Section(String id, String title, String body, List<Bar> bars) {
  /** As Markdown. */
  public String markdown() {
    String text = "#### " + title + "\n\n" + body.strip() + "\n";
    return bars.isEmpty() ? text : text + "\n" + Bar.table(bars);
  }
}
