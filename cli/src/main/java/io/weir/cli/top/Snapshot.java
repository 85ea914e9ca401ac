package io.weir.cli.top;

import io.weir.cli.node.Node;
import io.weir.cli.node.Page;
import java.util.Optional;

/**
 * What a node said at one moment.
 *
 * @param overview how it is
 * @param series what happened over time
 * @param throttled who was refused most
 * @param near who is nearest to a limit
 */
record Snapshot(Page overview, Page series, Page throttled, Page near) {
  /** Asks for what {@code view} wants to show, of so many rules. */
  static Snapshot of(Node node, View view, int rules) throws InterruptedException {
    String overview =
        "/v1/overview?limit=" + rules + "&offset=" + view.offset + "&sort=" + view.sort();
    String rule = view.rule;
    String only = rule == null ? "" : "&" + Node.parameter("rule", rule);
    Page first = page(node.get(overview)).orElse(new Page(null));
    if (first.at("rules.items").isNothing()) {
      throw new Node.UnansweredException(node + " is no admin port of this version of Weir");
    }
    return new Snapshot(
        first,
        page(node.get("/v1/series?range=" + view.range() + only)).orElse(new Page(null)),
        page(node.get("/v1/top?kind=throttled&window=minute&limit=10" + only))
            .orElse(new Page(null)),
        page(node.get("/v1/top?kind=near&window=minute&limit=10" + only)).orElse(new Page(null)));
  }

  private static Optional<Page> page(Optional<String> json) {
    return json.map(Page::of);
  }
}
