package io.weir.redis;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What this node has granted of one key by itself and not told yet, and what it was told of the
 * others.
 *
 * <p>A grant costs an addition and a look at the state.
 */
final class Account {
  private enum State {
    /** There is nothing to tell. */
    RESTING,
    /** There is, as soon as it is time. */
    WAITING,
    /** A message is under way. */
    UNDER_WAY,
    /** Nobody asked for the key lately: the next grant is another account's. */
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
  private volatile int failures; // in a row
  private volatile int messages;

  // Guarded by this.
  private int forgotten; // so many of the messages
  private long failedNanos; // the first of the failures
  private long began = UNKNOWN;
  private long sum;

  /**
   * @param isPlaced whether it is kept, so that it can learn; another one only tells
   * @param longAgo when it was told of last, if it never was
   */
  Account(String key, boolean isPlaced, long longAgo) {
    this.key = key;
    this.isPlaced = isPlaced;
    this.sentNanos = longAgo;
  }

  String key() {
    return key;
  }

  /** Adds a grant; whether it rested until now, and is to be told of. */
  boolean add(long permits) {
    untold.addAndGet(Math.min(permits, MORE_THAN_ANY_LIMIT));
    return rouse();
  }

  private boolean rouse() {
    return state.get() == State.RESTING && state.compareAndSet(State.RESTING, State.WAITING);
  }

  /** Whether it is kept, so that it can learn. */
  boolean isPlaced() {
    return isPlaced;
  }

  /** How many messages have left. */
  int messages() {
    return messages;
  }

  /** Takes a grant back that was made when {@code since} messages had left, if none has since. */
  synchronized void takeBack(long permits, int since) {
    if (messages == since) {
      untold.updateAndGet(all -> all >= permits ? all - permits : all);
    }
  }

  /** Takes back up to {@code permits} that are not told yet; how many there were. */
  long takeBack(long permits) {
    long all = untold.get();
    while (!untold.compareAndSet(all, all - Math.min(all, permits))) {
      all = untold.get();
    }
    return Math.min(all, permits);
  }

  /** Forgets what was granted, and what is being said about it. */
  synchronized void forget() {
    untold.set(0);
    forgotten = messages;
  }

  /** Whether it is this caller's to tell of it now. */
  boolean departs() {
    return state.compareAndSet(State.WAITING, State.UNDER_WAY);
  }

  /** What is to be told, by who {@link #departs}; 0 if all was taken back. */
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

  /** By which moment it has told last. */
  long sentNanos() {
    return sentNanos;
  }

  /**
   * Redis has heard of {@code permits}.
   *
   * @return what of each limit the others have granted that was not known here
   */
  synchronized long[] heard(Told told, long permits) {
    boolean isKnown = began == told.began() && told.sum() - sum >= permits;
    long unknown = isKnown ? told.sum() - sum - permits : Long.MAX_VALUE;
    began = told.began();
    sum = told.sum();
    failures = 0;
    if (!isPlaced || isForgotten() || unknown == 0) {
      return NONE;
    }
    return Arrays.stream(told.spent())
        .map(spent -> Math.max(0, Math.min(unknown, spent - permits)))
        .toArray();
  }

  /** What was {@link #heard} last of the others could not be charged: it is to be heard again. */
  synchronized void unheard(long[] others) {
    sum -= Arrays.stream(others).max().orElse(0);
  }

  /**
   * Nobody knows that Redis has heard of {@code permits}: they are told again, unless that has
   * failed for {@code longestNanos}.
   *
   * @return whether they are
   */
  synchronized boolean failed(long permits, long nanos, long longestNanos) {
    if (isForgotten()) {
      failures = 0;
      return true;
    }
    if (failures == 0) {
      failedNanos = nanos;
    }
    failures++;
    if (!isPlaced || nanos - failedNanos > longestNanos) {
      untold.set(0);
      return false;
    }
    untold.addAndGet(permits);
    return true;
  }

  /** How many messages have failed in a row. */
  int failures() {
    return failures;
  }

  private boolean isForgotten() {
    return messages <= forgotten;
  }

  /** Whether Redis could not be told twice in a row. */
  boolean isCutOff() {
    return failures >= FAILURES_OF_ONE_CUT_OFF;
  }

  /** Waits for the next message, or rests; whether it is to be told of again. */
  boolean goOn() {
    if (untold.get() > 0) {
      state.set(State.WAITING);
      return true;
    }
    failures = 0;
    state.set(State.RESTING);
    return untold.get() > 0 && rouse();
  }

  /** Ends, if it rests. */
  boolean drop() {
    return state.compareAndSet(State.RESTING, State.DROPPED);
  }

  /** What was granted after its end. */
  long rest() {
    return state.get() == State.DROPPED ? untold.getAndSet(0) : 0;
  }
}
