package io.weir.cli;

import io.weir.cli.node.Page;
import java.util.ArrayList;
import java.util.List;

/** Formats a node's response about one caller as text. */
final class KeyText {
  private KeyText() {}

  static List<String> lines(Page page) {
    List<String> lines = new ArrayList<>();
    String key = page.at("key").text();
    lines.add(
        "rule %s, domain %s, %s"
            .formatted(
                page.at("rule").text(),
                page.at("domain").text(),
                key.isEmpty() ? "one bucket for all" : "key " + key));
    if (Boolean.FALSE.equals(page.at("known").value())) {
      lines.add("  which of these limits hold depends on more attributes:");
    }
    for (Page bucket : page.at("buckets").items()) {
      Page override = bucket.at("override");
      lines.add(
          "  "
              + (override.isNothing() ? "" : "override " + override.text() + ": ")
              + (bucket.at("allowed").isTrue()
                  ? "allowed, " + bucket.at("remaining").number() + " left"
                  : "refused, " + wait(bucket.at("retry_after_ms"))));
      for (Page limit : bucket.at("limits").items()) {
        lines.add(
            "    %s: %d of %d left, full again in %s"
                .formatted(
                    limit.at("limit").text(),
                    limit.at("remaining").number(),
                    limit.at("capacity").number(),
                    seconds(limit.at("full_after_ms"))));
      }
    }
    return lines;
  }

  private static String wait(Page millis) {
    return millis.number() < 0 ? "and never fits" : "retry after " + seconds(millis);
  }

  private static String seconds(Page millis) {
    return millis.number() / 1000.0 + " s";
  }
}
