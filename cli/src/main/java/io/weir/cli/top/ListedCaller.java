package io.weir.cli.top;

import io.weir.cli.node.JsonValue;

/**
 * A caller in one of the lists.
 *
 * @param rule the node's name for the rule, for its API
 * @param key masked, for the screen
 */
record ListedCaller(String rule, String id, String key) {
  static ListedCaller of(JsonValue item) {
    return new ListedCaller(item.at("rule").raw(), item.at("id").raw(), item.at("key").text());
  }
}
