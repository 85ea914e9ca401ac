package io.weir.cli.top;

import io.weir.cli.node.Node;
import io.weir.cli.node.Page;
import java.util.List;

/**
 * A node's responses at one moment. Immutable.
 *
 * @param wish what was requested
 * @param overview the state of the node
 * @param series the outcomes over time
 * @param refused the callers that were refused most
 * @param wouldBeRefused the callers that rules in shadow mode would have refused most
 * @param near the callers nearest to a limit
 */
record Snapshot(
    Wish wish, Page overview, Page series, Page refused, Page wouldBeRefused, Page near) {
  private static final String TOP = "/v1/top?window=minute&limit=10&kind=";

  /** Requests a snapshot; blocks. */
  static Snapshot of(Node node, Wish wish) throws InterruptedException {
    String rule = wish.rule();
    String only = rule == null ? "" : "&" + Node.parameter("rule", rule);
    String rules = "&offset=" + wish.offset() + "&sort=" + wish.sort();
    Page overview = page(node, "/v1/overview?limit=" + wish.rules() + rules + only);
    if (overview.at("rules.items").isNothing()) {
      throw new Node.UnansweredException(node + " is not an admin port of this version of Weir");
    }
    return new Snapshot(
        wish,
        overview,
        page(node, "/v1/series?range=" + wish.range() + only),
        page(node, TOP + "refused" + only),
        page(node, TOP + "would_be_refused" + only),
        page(node, TOP + "near" + only));
  }

  private static Page page(Node node, String path) throws InterruptedException {
    return node.get(path).map(Page::of).orElse(new Page(null));
  }

  /** The callers of a list; none if the focus is on the rules. */
  List<Page> callers(View.Focus list) {
    return switch (list) {
      case RULES -> List.of();
      case REFUSED -> refused.at("items").items();
      case NEAR -> near.at("items").items();
    };
  }

  /** The outcomes of requests in the last minute, or the decisions of the selected rule. */
  Page minute() {
    List<Page> items = overview.at("rules.items").items();
    return wish.rule() != null && !items.isEmpty()
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
    return wish.rule() == null
        ? List.of("requests", "allowed", "denied", "error", "delayed", "unmatched", "shadow_denied")
        : List.of("allowed", "denied", "shadow_denied", "delayed");
  }
}
