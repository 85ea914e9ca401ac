package io.weir.cli;

import io.weir.cli.node.JsonValue;
import java.util.ArrayList;
import java.util.List;

/** Formats a node's response about one caller as text. */
final class KeyText {
  private KeyText() {}

  static List<String> lines(JsonValue jsonValue) {
    List<String> lines = new ArrayList<>();
    String key = jsonValue.at("key").text();
    lines.add(
        "rule %s, domain %s, %s"
            .formatted(
                jsonValue.at("rule").text(),
                jsonValue.at("domain").text(),
                key.isEmpty() ? "one bucket for all" : "key " + key));
    if (Boolean.FALSE.equals(jsonValue.at("known").value())) {
      lines.add("  which of these limits hold depends on more attributes:");
    }
    for (JsonValue bucket : jsonValue.at("buckets").items()) {
      JsonValue override = bucket.at("override");
      lines.add(
          "  "
              + (override.isNothing() ? "" : "override " + override.text() + ": ")
              + (bucket.at("allowed").isTrue()
                  ? "allowed, " + bucket.at("remaining").number() + " left"
                  : "refused, " + wait(bucket.at("retry_after_ms"))));
      for (JsonValue limit : bucket.at("limits").items()) {
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

  private static String wait(JsonValue millis) {
    return millis.number() < 0 ? "and never fits" : "retry after " + seconds(millis);
  }

  private static String seconds(JsonValue millis) {
    return millis.number() / 1000.0 + " s";
  }
}
