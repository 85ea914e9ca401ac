package io.weir.cli.top;

import io.weir.cli.node.AdminClient;
import io.weir.cli.node.JsonValue;
import java.util.List;

/**
 * A node's responses at one moment. Immutable.
 *
 * @param snapshotQuery what was requested
 * @param overview the state of the node
 * @param series the outcomes over time
 * @param refused the callers that were refused most
 * @param wouldBeRefused the callers that rules in shadow mode would have refused most
 * @param near the callers nearest to a limit
 */
record Snapshot(
    SnapshotQuery snapshotQuery,
    JsonValue overview,
    JsonValue series,
    JsonValue refused,
    JsonValue wouldBeRefused,
    JsonValue near) {
  private static final String TOP = "/v1/top?window=minute&limit=10&kind=";

  /** Requests a snapshot; blocks. */
  static Snapshot of(AdminClient adminClient, SnapshotQuery snapshotQuery)
      throws InterruptedException {
    String rule = snapshotQuery.rule();
    String only = rule == null ? "" : "&" + AdminClient.parameter("rule", rule);
    String rules = "&offset=" + snapshotQuery.offset() + "&sort=" + snapshotQuery.sort();
    JsonValue overview =
        page(adminClient, "/v1/overview?limit=" + snapshotQuery.rules() + rules + only);
    if (overview.at("rules.items").isNothing()) {
      throw new AdminClient.NodeUnavailableException(
          adminClient + " is not an admin port of this version of Weir");
    }
    return new Snapshot(
        snapshotQuery,
        overview,
        page(adminClient, "/v1/series?range=" + snapshotQuery.range() + only),
        page(adminClient, TOP + "refused" + only),
        page(adminClient, TOP + "would_be_refused" + only),
        page(adminClient, TOP + "near" + only));
  }

  private static JsonValue page(AdminClient adminClient, String path) throws InterruptedException {
    return adminClient.get(path).map(JsonValue::of).orElse(new JsonValue(null));
  }

  /** The callers of a list; none if the focus is on the rules. */
  List<JsonValue> callers(ViewState.Focus list) {
    return switch (list) {
      case RULES -> List.of();
      case REFUSED -> refused.at("items").items();
      case NEAR -> near.at("items").items();
    };
  }

  /** The outcomes of requests in the last minute, or the decisions of the selected rule. */
  JsonValue minute() {
    List<JsonValue> items = overview.at("rules.items").items();
    return snapshotQuery.rule() != null && !items.isEmpty()
        ? items.get(0).at("minute")
        : overview.at("minute");
  }

  /** The rate per second. */
  double rate(String outcome) {
    return minute().at(outcome).number() / (double) seconds();
  }

  /** The number of seconds in that minute, which may be fewer than 60. */
  long seconds() {
    return Math.max(1, overview.at("minute_seconds").number());
  }

  /** The names that have a rate: requests and their outcomes, or the decisions of one rule. */
  List<String> outcomes() {
    return snapshotQuery.rule() == null
        ? List.of("requests", "allowed", "denied", "error", "delayed", "unmatched", "shadow_denied")
        : List.of("allowed", "denied", "shadow_denied", "delayed");
  }
}
