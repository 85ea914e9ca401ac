package io.weir.server.connection;

/**
 * The share of the heap that each kind of unfinished work may occupy.
 *
 * <p>Other parts of Weir have shares too: the key tables a third, the denial cache a 32nd, and
 * calls in flight to Redis a 16th. All shares together leave a fifth of any heap to the process
 * itself. Each is limited to 64 MiB, except that of reservations, whose number is limited too.
 */
public enum HeapShare {
  /** Open reservations, and the ids of settled ones. */
  RESERVATIONS(8, Long.MAX_VALUE),
  /** Bodies at the service port that are incomplete, or are long and wait for decisions. */
  BODIES(16),
  /** Delayed requests at the gateway. */
  HELD_REQUESTS(16),
  /** Responses that clients of the gateway do not read. */
  GATEWAY_RESPONSES(16),
  /** The same at the service port. */
  SERVICE_RESPONSES(32),
  /** The same at the admin port. */
  ADMIN_RESPONSES(64),
  /** The same at the health port. */
  HEALTH_RESPONSES(256),
  /** The same at servers of a demonstration or a warm-up. */
  OTHER_RESPONSES(128);

  private static final long MAX_BYTES = 64L * 1024 * 1024;

  private final int part;
  private final long maxBytes;

  HeapShare(int part) {
    this(part, MAX_BYTES);
  }

  HeapShare(int part, long maxBytes) {
    this.part = part;
    this.maxBytes = maxBytes;
  }

  /** How many bytes of a heap of {@code heap} bytes. */
  public long of(long heap) {
    return Math.min(maxBytes, heap / part);
  }

  /** How many bytes of the heap of this process. */
  public long bytes() {
    return of(Runtime.getRuntime().maxMemory());
  }

  /** Room for as many bytes. */
  public MemoryBudget kept() {
    return new MemoryBudget(bytes());
  }
}
