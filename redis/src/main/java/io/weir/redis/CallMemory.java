package io.weir.redis;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The share of the heap that calls in flight to Redis may take together.
 *
 * <p>Thread-safe. A call costs two atomic additions and no allocation.
 */
final class CallMemory {
  /*
   * A call keeps its key, its callers and their futures until it ends: about a kilobyte, and the
   * key twice (in the limiter's own form and as an attribute), at up to two bytes a character.
   *
   *      heap      share      calls of short keys     of keys of 2,000 characters
   *      64 MiB    4 MiB      4,096                   400
   *      1 GiB     64 MiB     65,536                  6,500
   *
   * Calls with long keys leave an eighth to the others, so that a flood of them does not take the
   * place of honest keys.
   */
  private static final int SHARE_OF_HEAP = 16;
  private static final long MAX_BYTES = 256L * 1024 * 1024;
  private static final int CALL_BYTES = 1024;
  private static final int CHARACTER_BYTES = 4;
  private static final int SMALL = 2 * CALL_BYTES;

  /** All calls of this process. */
  static final CallMemory SHARED = new CallMemory(of(Runtime.getRuntime().maxMemory()));

  private final long maxBytes;
  private final long maxBytesOfLongKeys;
  private final AtomicLong bytes = new AtomicLong();

  CallMemory(long maxBytes) {
    this.maxBytes = maxBytes;
    this.maxBytesOfLongKeys = maxBytes - maxBytes / 8;
  }

  /** The share of a heap of {@code heap} bytes. */
  static long of(long heap) {
    return Math.min(MAX_BYTES, heap / SHARE_OF_HEAP);
  }

  /** About how many bytes a call keeps whose key has {@code characters}. */
  static int ofKey(int characters) {
    return CALL_BYTES + CHARACTER_BYTES * characters;
  }

  /** Takes bytes for a call; takes none and returns false if they exceed the share. */
  boolean keep(long more) {
    if (bytes.addAndGet(more) <= (more > SMALL ? maxBytesOfLongKeys : maxBytes)) {
      return true;
    }
    bytes.addAndGet(-more);
    return false;
  }

  /** Returns the bytes of a call that has ended. */
  void release(long kept) {
    bytes.addAndGet(-kept);
  }

  /** The bytes of all calls in flight. */
  long bytes() {
    return bytes.get();
  }
}
