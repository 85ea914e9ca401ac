package io.weir.redis;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The grants of this node for one key that Redis does not know yet, and the grants of other nodes
 * that it has learned. Thread-safe.
 *
 * <p>A grant costs an addition and a check of the state.
 */
final class UnsyncedGrants {
  private enum State {
    /** There are no unsent grants. */
    RESTING,
    /** Unsent grants wait for the next message. */
    WAITING,
    /** A message is in progress. */
    UNDER_WAY,
    /** The key was idle, so the entry ended: the next grant uses another entry. */
    DROPPED
  }

  private static final int FAILURES_OF_ONE_CUT_OFF = 2;
  private static final long MORE_THAN_ANY_LIMIT = 1L << 40;
  private static final long[] NONE = {};
  private static final long UNKNOWN = -1;

  private final String key;
  private final boolean isPlaced;
  private final AtomicLong untold = new AtomicLong();
  private final AtomicReference<State> state = new AtomicReference<>(State.RESTING);
  private volatile long sentNanos;
  private volatile int failures; // consecutive
  private volatile int messages;

  // Guarded by this.
  private int forgotten; // up to this message number
  private long failedNanos; // the time of the first failure
  private long began = UNKNOWN;
  private long sum;

  /**
   * @param isPlaced whether it is kept in the table, so that it can learn; any other one only sends
   * @param longAgo the assumed time of its last message, before there was any
   */
  UnsyncedGrants(String key, boolean isPlaced, long longAgo) {
    this.key = key;
    this.isPlaced = isPlaced;
    this.sentNanos = longAgo;
  }

  String key() {
    return key;
  }

  /** Adds a grant. Returns whether the entry was resting and now needs a message. */
  boolean add(long permits) {
    untold.addAndGet(Math.min(permits, MORE_THAN_ANY_LIMIT));
    return rouse();
  }

  private boolean rouse() {
    return state.get() == State.RESTING && state.compareAndSet(State.RESTING, State.WAITING);
  }

  /** Whether it is kept in the table, so that it can learn. */
  boolean isPlaced() {
    return isPlaced;
  }

  /** The number of messages sent. */
  int messages() {
    return messages;
  }

  /** Takes back a grant made when {@code since} messages had been sent, if none was sent since. */
  synchronized void takeBack(long permits, int since) {
    if (messages == since) {
      untold.updateAndGet(all -> all >= permits ? all - permits : all);
    }
  }

  /** Takes back up to {@code permits} that were not sent yet; returns how many. */
  long takeBack(long permits) {
    long all = untold.get();
    while (!untold.compareAndSet(all, all - Math.min(all, permits))) {
      all = untold.get();
    }
    return Math.min(all, permits);
  }

  /** Forgets unsent grants, and ignores the message in progress. */
  synchronized void forget() {
    untold.set(0);
    forgotten = messages;
  }

  /** Whether the caller must send the message now. */
  boolean departs() {
    return state.compareAndSet(State.WAITING, State.UNDER_WAY);
  }

  /** The permits to send, after {@link #departs} returned true; 0 if all were taken back. */
  synchronized long message(long nanos) {
    long permits = untold.getAndSet(0);
    if (permits == 0) {
      failures = 0;
    } else {
      messages++;
      sentNanos = nanos;
    }
    return permits;
  }

  /** When the last message was sent. */
  long sentNanos() {
    return sentNanos;
  }

  /**
   * Redis has received {@code permits}.
   *
   * @return for each limit, the permits granted by other nodes and not known here yet
   */
  synchronized long[] heard(SyncReply syncReply, long permits) {
    boolean isKnown = began == syncReply.began() && syncReply.sum() - sum >= permits;
    long unknown = isKnown ? syncReply.sum() - sum - permits : Long.MAX_VALUE;
    began = syncReply.began();
    sum = syncReply.sum();
    failures = 0;
    if (!isPlaced || isForgotten() || unknown == 0) {
      return NONE;
    }
    return Arrays.stream(syncReply.spent())
        .map(spent -> Math.max(0, Math.min(unknown, spent - permits)))
        .toArray();
  }

  /** Charging the permits of the last {@link #heard} failed, so they must be reported again. */
  synchronized void unheard(long[] others) {
    sum -= Arrays.stream(others).max().orElse(0);
  }

  /**
   * It is unknown whether Redis received {@code permits}. They are sent again, unless that has
   * failed for {@code maxFailureNanos}.
   *
   * @return whether they are sent again
   */
  synchronized boolean failed(long permits, long nanos, long maxFailureNanos) {
    if (isForgotten()) {
      failures = 0;
      return true;
    }
    if (failures == 0) {
      failedNanos = nanos;
    }
    failures++;
    if (!isPlaced || nanos - failedNanos > maxFailureNanos) {
      untold.set(0);
      return false;
    }
    untold.addAndGet(permits);
    return true;
  }

  /** The number of consecutive failed messages. */
  int failures() {
    return failures;
  }

  private boolean isForgotten() {
    return messages <= forgotten;
  }

  /** Whether at least two consecutive messages failed. */
  boolean isCutOff() {
    return failures >= FAILURES_OF_ONE_CUT_OFF;
  }

  /** Schedules the next message, or rests; returns whether there is one. */
  boolean goOn() {
    if (untold.get() > 0) {
      state.set(State.WAITING);
      return true;
    }
    failures = 0;
    state.set(State.RESTING);
    return untold.get() > 0 && rouse();
  }

  /** Ends the entry if it is resting. */
  boolean drop() {
    return state.compareAndSet(State.RESTING, State.DROPPED);
  }

  /** The permits granted after its end. */
  long rest() {
    return state.get() == State.DROPPED ? untold.getAndSet(0) : 0;
  }
}
