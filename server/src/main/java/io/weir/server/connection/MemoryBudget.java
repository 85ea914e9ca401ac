package io.weir.server.connection;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The memory budget of a port for unfinished work: incomplete bodies, responses that clients do not
 * read, delayed requests. One connection can carry a thousand requests, each of which can be
 * unfinished, so all of a port share one budget; see {@link HeapShare}. Thread-safe; does not
 * block.
 */
public final class MemoryBudget {
  private final long maxBytes;
  private final @Nullable MemoryBudget whole; // null: this is not a share of another
  private final AtomicLong bytes = new AtomicLong();

  /** The budget of the service port for bodies. */
  public MemoryBudget() {
    this(HeapShare.BODIES.bytes());
  }

  /** A budget of {@code maxBytes} bytes. */
  public MemoryBudget(long maxBytes) {
    this(maxBytes, null);
  }

  private MemoryBudget(long maxBytes, @Nullable MemoryBudget whole) {
    this.maxBytes = maxBytes;
    this.whole = whole;
  }

  /** A part of this budget: at most {@code percent}, or {@code minBytes} bytes if that is more. */
  public MemoryBudget share(int percent, long minBytes) {
    return new MemoryBudget(Math.max(minBytes, maxBytes / 100 * percent), this);
  }

  /** The number of bytes in use. */
  public long bytes() {
    return bytes.get();
  }

  /** Takes {@code more} bytes; takes none and returns false if they exceed the budget. */
  public boolean keep(long more) {
    if (bytes.addAndGet(more) <= maxBytes && (whole == null || whole.keep(more))) {
      return true;
    }
    bytes.addAndGet(-more);
    return false;
  }

  /** Returns bytes to the budget. */
  public void release(long kept) {
    bytes.addAndGet(-kept);
    if (whole != null) {
      whole.release(kept);
    }
  }
}
