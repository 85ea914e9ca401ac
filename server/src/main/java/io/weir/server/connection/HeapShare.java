package io.weir.server.connection;

/**
 * What each front end may keep of the heap for clients that do not end what they have begun.
 *
 * <p>All of them together, the key tables (a third), what is remembered of Redis (a 32nd) and calls
 * in flight to Redis (a 16th) leave a fifth of any heap to the process itself. None is larger than
 * 64 MiB but that of reservations, which have a bound by number too.
 */
public enum HeapShare {
  /** Open reservations, and what is remembered of settled ones. */
  RESERVATIONS(8, Long.MAX_VALUE),
  /** Bodies at the service port that have not come whole, or are long and wait for decisions. */
  BODIES(16),
  /** Delayed requests at the gateway. */
  HELD_REQUESTS(16),
  /** Responses that clients of the gateway do not take. */
  GATEWAY_RESPONSES(16),
  /** The same at the service port. */
  SERVICE_RESPONSES(32),
  /** The same at the admin port. */
  ADMIN_RESPONSES(64),
  /** The same at the health port. */
  HEALTH_RESPONSES(256),
  /** The same at servers that are there for a demonstration or a rehearsal. */
  OTHER_RESPONSES(128);

  private static final long MAX_BYTES = 64L * 1024 * 1024;

  private final int part;
  private final long most;

  HeapShare(int part) {
    this(part, MAX_BYTES);
  }

  HeapShare(int part, long most) {
    this.part = part;
    this.most = most;
  }

  /** How many bytes of a heap of {@code heap} bytes. */
  public long of(long heap) {
    return Math.min(most, heap / part);
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
