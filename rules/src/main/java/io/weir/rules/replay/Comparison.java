package io.weir.rules.replay;

/**
 * How other rules would have done on the same trace.
 *
 * @param other what the other rules did
 * @param newlyRefused requests that the first rules allow and the other ones refuse
 * @param newlyAllowed requests that the first rules refuse and the other ones allow
 */
public record Comparison(Summary other, Flips newlyRefused, Flips newlyAllowed) {}
