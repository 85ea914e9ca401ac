package io.weir.insight;

import org.jspecify.annotations.Nullable;

/**
 * A caller in a ranking.
 *
 * @param rule the rule's label
 * @param override the name of the override that applied; null: the rule's own limits
 * @param callerKey as far as it was kept
 * @param count how often it was seen, at least
 * @param atMost how often it was seen, at most
 * @param last when it was seen last, in milliseconds since the epoch
 * @param use the largest used share of the limit; null if it was refused
 */
public record RankedCaller(
    String rule,
    @Nullable String override,
    CallerKey callerKey,
    long count,
    long atMost,
    long last,
    @Nullable Double use) {}
