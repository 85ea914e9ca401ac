package io.weir.rules.replay;

import io.weir.rules.Rule;

/**
 * How often something happened to one key of a rule.
 *
 * @param key the values of {@code per}, as in the decisions; empty without {@code per}
 */
public record KeyCount(Rule rule, String key, long count) {}
