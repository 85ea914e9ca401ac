package io.weir.server.grpc;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes are kept of messages that have not come whole. One connection may carry a thousand
 * calls, and each could begin a message and never end it: all together they may take only so much
 * of the memory.
 */
final class HalfSent {
  private static final long MOST = 64L * 1024 * 1024;

  private final AtomicLong bytes = new AtomicLong();

  /** Keeps more bytes, or fewer, of one call. */
  void change(int before, int after) {
    if (before == after) {
      return;
    }
    long all = bytes.addAndGet((long) after - before);
    if (after > before && all > MOST) {
      bytes.addAndGet((long) before - after);
      throw new GrpcException(
          GrpcStatus.RESOURCE_EXHAUSTED, "too many messages have come by halves; try again");
    }
  }
}
