package io.weir.redis;

/**
 * The way to Redis: sends calls, keeps the connections alive, and tells when it has none.
 *
 * <p>One primary, one behind Sentinel, or a cluster: in a cluster every shard has a {@link Gate} of
 * its own, so that a lost shard does not take the others' keys along.
 */
interface Link extends AutoCloseable {
  /**
   * Sends {@code call} with others that are waiting, in one write. Any thread may; it neither
   * blocks nor throws, and the calls of one thread on one key stay in order. A call that cannot be
   * sent fails. Whether the gate is open is not asked here: probes go through.
   */
  void send(Call call);

  /** The gate of the shard that has {@code key}. */
  Gate gate(byte[] key);

  /** Whether this is a thread that reads replies: whoever waits on it for one waits in vain. */
  default boolean isThisThread() {
    return false;
  }

  /**
   * Tells that the shard of {@code key} has not answered for long although it seems connected: a
   * connection half open, perhaps. The link makes a new one.
   */
  void suspect(byte[] key);

  /** Has another look at the servers, and tells who wants to hear of them. */
  default void look() {}

  @Override
  void close();
}
