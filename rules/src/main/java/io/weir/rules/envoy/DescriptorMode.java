package io.weir.rules.envoy;

/**
 * How requests of the Envoy form are decided.
 *
 * @param countsRefused whether each descriptor is charged by itself, even if refused, as
 *     envoyproxy/ratelimit counts; otherwise a refused request spends nothing
 * @param quota whether all limits are in quota mode
 * @param shadow whether nothing is refused; responses still show what would have been refused
 */
public record DescriptorMode(boolean countsRefused, boolean quota, boolean shadow) {
  /** Refused requests spend nothing; limits are as configured. */
  public static final DescriptorMode DEFAULT = new DescriptorMode(false, false, false);
}
