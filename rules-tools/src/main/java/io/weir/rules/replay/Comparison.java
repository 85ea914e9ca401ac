package io.weir.rules.replay;

/**
 * The results of other rules on the same trace.
 *
 * @param other the summary of the other rules
 * @param newlyRefused requests that the first rules allow and the other ones refuse
 * @param newlyAllowed requests that the first rules refuse and the other ones allow
 */
public record Comparison(Summary other, Flips newlyRefused, Flips newlyAllowed) {}
