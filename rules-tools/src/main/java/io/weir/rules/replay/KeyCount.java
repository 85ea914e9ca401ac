package io.weir.rules.replay;

import io.weir.rules.Rule;

/**
 * The number of events for one key of a rule.
 *
 * @param key the values of {@code per}, as in the decisions; empty without {@code per}
 * @param of the total number of its requests
 */
public record KeyCount(Rule rule, String key, long count, long of) {}
