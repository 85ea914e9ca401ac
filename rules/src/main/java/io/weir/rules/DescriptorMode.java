package io.weir.rules;

/**
 * How questions of the Envoy form are answered.
 *
 * @param countsRefused each descriptor is charged by itself and whatever the answer, as
 *     envoyproxy/ratelimit counts; otherwise a refused request spends nothing
 * @param quota all limits are in quota mode
 * @param shadow nothing is refused: answers still tell what would have been
 */
public record DescriptorMode(boolean countsRefused, boolean quota, boolean shadow) {
  /** Refused requests spend nothing, limits are as their files say. */
  public static final DescriptorMode DEFAULT = new DescriptorMode(false, false, false);
}
