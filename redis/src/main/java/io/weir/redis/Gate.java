package io.weir.redis;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The breaker of one shard: while it is shut, nobody waits for that shard.
 *
 * <p>Told by the link of connections that come and go, and by the desk of how calls ended.
 */
interface Gate {
  /** Why calls may not pass; null if they may. The same object while the gate stays shut. */
  @Nullable Failure obstacle();

  /** Whether calls may pass. */
  default boolean isOpen() {
    return obstacle() == null;
  }

  /** Whether calls may pass, and do what they should. */
  default boolean isSound() {
    return isOpen();
  }

  /** A connection is up: worth a probe. */
  void connected();

  /** The connection is gone, or could not be made. */
  void disconnected(Failure failure);

  /** A call was answered in time. */
  void succeeded();

  /** A call failed. */
  void failed(Failure failure);

  /** Makes gates. */
  interface Factory {
    /**
     * The gate of a shard that was not known before.
     *
     * @param shard its address, for people
     * @param key a key of that shard to probe it with; asked anew each time, since slots move; null
     *     while it has none
     */
    Gate create(String shard, Supplier<byte @Nullable []> key);

    /** Lets go of the gate of a shard that is no more. */
    void remove(Gate gate);
  }
}
