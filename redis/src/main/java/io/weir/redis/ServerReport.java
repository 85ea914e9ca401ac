package io.weir.redis;

/**
 * What a server told of itself when we connected.
 *
 * @param server its address
 * @param version such as {@code 7.0.15}; empty if it does not say
 * @param maxMemory the bytes that its data may take; 0 for no bound, or if it does not say
 * @param policy what it does beyond them, such as {@code noeviction}; empty if it does not say
 * @param run which process it is; empty if it does not say
 * @param uptimeSeconds since it was started; negative if it does not say
 * @param replicas how many servers copy it; negative if it does not say
 */
record ServerReport(
    String server,
    String version,
    long maxMemory,
    String policy,
    String run,
    long uptimeSeconds,
    long replicas) {
  /** Whether it may drop buckets that are not yet full again. */
  boolean mayEvict() {
    return maxMemory > 0 && !policy.isEmpty() && !policy.equals("noeviction");
  }
}
