package io.weir.redis;

/**
 * The data that a server reports on connect.
 *
 * @param server its address
 * @param version such as {@code 7.0.15}; empty if unknown
 * @param maxMemory the maximum size of its data in bytes; 0 for no maximum, or if unknown
 * @param policy its eviction policy, such as {@code noeviction}; empty if unknown
 * @param run the id of its process; empty if unknown
 * @param uptimeSeconds since it was started; negative if unknown
 * @param replicas the number of its replicas; negative if unknown
 */
record ServerReport(
    String server,
    String version,
    long maxMemory,
    String policy,
    String run,
    long uptimeSeconds,
    long replicas) {
  /** Whether it may evict buckets that are still in use. */
  boolean mayEvict() {
    return maxMemory > 0 && !policy.isEmpty() && !policy.equals("noeviction");
  }
}
