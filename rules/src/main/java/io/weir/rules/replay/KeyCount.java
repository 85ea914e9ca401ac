package io.weir.rules.replay;

import io.weir.rules.Rule;

/**
 * How often something happened to one key of a rule.
 *
 * @param key the values of {@code per}, as in the decisions; empty without {@code per}
 * @param of how many requests it had in all where this was counted
 */
public record KeyCount(Rule rule, String key, long count, long of) {}
