package io.weir.redis;

/**
 * The connections to Redis: sends calls, reconnects, and reports outages. Thread-safe.
 *
 * <p>One primary, one behind Sentinel, or a cluster. In a cluster every shard has a {@link
 * CircuitBreaker} of its own, so that a lost shard does not affect the keys of others.
 */
interface RedisTransport extends AutoCloseable {
  /**
   * Sends {@code scriptCall} in one write with other waiting calls. May be called on any thread;
   * never blocks or throws. Calls of one thread on one key stay in order. A call that cannot be
   * sent fails. The breaker is not checked here, because probes must pass.
   */
  void send(ScriptCall scriptCall);

  /** The breaker of the shard that has {@code key}. */
  CircuitBreaker breaker(byte[] key);

  /** Whether this thread reads replies, so that it must not wait for one. */
  default boolean isThisThread() {
    return false;
  }

  /**
   * Reports that the shard of {@code key} has not replied for long although it seems connected,
   * perhaps over a half-open connection. The transport makes a new one.
   */
  void suspect(byte[] key);

  /** Inspects the servers again, and reports the results. */
  default void look() {}

  @Override
  void close();
}
