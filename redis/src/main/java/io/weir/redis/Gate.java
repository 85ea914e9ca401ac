package io.weir.redis;

/**
 * The breaker of one shard: while it is shut, nobody waits for that shard.
 *
 * <p>Told by the link of connections that come and go, and by the calls of how they ended.
 */
interface Gate {
  /** Whether calls may pass. */
  boolean isOpen();

  /** A connection is up: worth a probe. */
  void connected();

  /** The connection is gone, or could not be made. */
  void disconnected(Failure failure);

  /** A call was answered. */
  void succeeded();

  /** A call failed. */
  void failed(Failure failure);
}
