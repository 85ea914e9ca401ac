package io.weir.server.gateway;

/**
 * How far a client falls behind in taking a response, as seen from round to round of the lookout.
 *
 * <p>Each moment for which the client is waited for puts it behind by as much, and each byte that
 * it takes brings it back by the time that the byte may take. Nothing is gained in advance: the
 * buffers of a system may have taken megabytes in the name of a client that reads no more.
 *
 * <p>What a client takes is seen in steps of {@value #STEP} bytes. At 1,024 bytes a second a client
 * that takes a step every 30 s stays at most 30 s behind, and is waited for; one that takes
 * nothing, or a step every 40 s, is 32 s behind sooner or later, and too slow.
 */
final class ResponsePace {
  /** What is slower than this need not be waited for when others need the connection. */
  private static final long IDLING = 8 * 1024;

  /** The least that is seen to be taken: what is unsent falls by so much before more is sent. */
  static final long STEP = 32 * 1024;

  private static final long SECOND = 1_000_000_000L;
  private static final long GRACE = 10 * SECOND;

  /** Where the event loop itself was held up, its clients are not behind. */
  private static final long LONGEST_ROUND = SECOND / 4;

  private final long leastRate;
  private final long allowance;
  private long looked;
  private long seen;
  private boolean wasWaiting;
  private long behindLeast;
  private long behind;

  /** Nothing is waited for yet. */
  ResponsePace(Terms terms) {
    this(terms.leastResponseRate(), terms.bodyNanos());
  }

  /**
   * The same.
   *
   * @param leastRate bytes a second; 0: none
   * @param mostNanos that a client may be behind, however slow it may be
   */
  ResponsePace(long leastRate, long mostNanos) {
    this.leastRate = leastRate;
    this.allowance =
        leastRate == 0
            ? Long.MAX_VALUE
            : Math.min(mostNanos, Math.max(GRACE, STEP * SECOND / leastRate));
  }

  /**
   * Looks.
   *
   * @param isWaiting whether the client has not taken what it was sent
   * @param bytes that it was sent so far
   */
  void look(long now, boolean isWaiting, long bytes) {
    long waited = isWaiting && wasWaiting ? Math.min(now - looked, LONGEST_ROUND) : 0;
    long taken = bytes - seen;
    looked = now;
    seen = bytes;
    wasWaiting = isWaiting;
    behind = fallBehind(behind, taken, IDLING, waited);
    if (leastRate > 0) {
      behindLeast = fallBehind(behindLeast, taken, leastRate, waited);
    }
  }

  private static long fallBehind(long before, long taken, long rate, long waited) {
    long regained = taken / rate * SECOND + taken % rate * SECOND / rate;
    return Math.max(0, before - regained) + waited;
  }

  /** Whether the client takes less than the terms allow. */
  boolean isTooSlow() {
    return behindLeast > allowance;
  }

  /** Whether the client hardly takes anything. */
  boolean isIdling() {
    return wasWaiting && behind > SECOND;
  }

  /** How far it is behind a client that takes 8 KiB a second, in nanoseconds. */
  long behind() {
    return behind;
  }
}
