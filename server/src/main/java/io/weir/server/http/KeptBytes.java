package io.weir.server.http;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes are kept for those who do not end what they have begun: bodies that have not come
 * whole, answers that nobody takes, requests that wait for their turn. One connection may carry a
 * thousand requests, and each could be left so: all that come to one port may take only so much of
 * the memory together: see {@link HeapShare}.
 */
public final class KeptBytes {
  private final long most;
  private final AtomicLong bytes = new AtomicLong();

  /** As much as the service port has for bodies. */
  public KeptBytes() {
    this(HeapShare.BODIES.bytes());
  }

  /** So many bytes at most. */
  public KeptBytes(long most) {
    this.most = most;
  }

  /** How many bytes are kept now. */
  public long bytes() {
    return bytes.get();
  }

  /** Keeps so many bytes more; false, and none are kept, if that is too much. */
  public boolean keep(long more) {
    if (bytes.addAndGet(more) <= most) {
      return true;
    }
    bytes.addAndGet(-more);
    return false;
  }

  /** So many are kept no more. */
  public void release(long kept) {
    bytes.addAndGet(-kept);
  }
}
