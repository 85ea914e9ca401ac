package io.weir.redis;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The circuit breaker of one shard, as its users see it: while it is open, no call waits for the
 * shard.
 *
 * <p>The transport reports connections, and the {@link CommandSender} reports results of calls.
 */
interface CircuitBreaker {
  /** Why calls may not pass; null if they may. The same object while the state does not change. */
  @Nullable RedisFailure obstacle();

  /** Whether calls may pass. */
  default boolean isOpen() {
    return obstacle() == null;
  }

  /** Whether calls may pass, and the shard works. */
  default boolean isSound() {
    return isOpen();
  }

  /** A connection is up, so a probe is useful. */
  void connected();

  /** The connection is lost, or could not be made. */
  void disconnected(RedisFailure redisFailure);

  /** A reply arrived in time. */
  void succeeded();

  /** A call failed. */
  void failed(RedisFailure redisFailure);

  /** Creates breakers. */
  interface Factory {
    /**
     * The breaker of a new shard.
     *
     * @param shard its address, for messages
     * @param key supplies a key of that shard for each probe, because slots move; null while it has
     *     none
     */
    CircuitBreaker create(String shard, Supplier<byte @Nullable []> key);

    /** Drops the breaker of a removed shard. */
    void remove(CircuitBreaker circuitBreaker);
  }
}
