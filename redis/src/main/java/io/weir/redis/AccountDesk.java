package io.weir.redis;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Shared by the accounts of all limiters of a store: a timer, and the sender. */
final class AccountDesk {
  private static final int MOST_UNDER_WAY = 10_000;

  private final RedisSettings settings;
  private final Desk desk;
  private final Clock clock;
  private final Counters counters;
  private final Timer timer;
  private final Timer sweeper;
  private final AtomicInteger underWay = new AtomicInteger();
  private final Set<Accounts> open = ConcurrentHashMap.newKeySet();
  private volatile boolean isClosing;

  /**
   * @param timer schedules messages
   * @param sweeper schedules sweeps, which visit all keys to forget idle ones
   */
  AccountDesk(
      RedisSettings settings,
      Desk desk,
      Clock clock,
      Counters counters,
      Timer timer,
      Timer sweeper) {
    this.settings = settings;
    this.desk = desk;
    this.clock = clock;
    this.counters = counters;
    this.timer = timer;
    this.sweeper = sweeper;
  }

  /** Receives the result of a message. */
  interface Listener {
    /** The plan that writes the message. */
    Plan plan();

    void heard(Told told);

    /** Redis did not receive it, or that is unknown. */
    void failed();
  }

  long syncNanos() {
    return settings.sync().toNanos();
  }

  long nanos() {
    return clock.nanos();
  }

  void after(long nanos, Runnable task) {
    timer.after(nanos, task);
  }

  void sweep(Accounts accounts, long afterNanos) {
    open.add(accounts);
    sweeper.after(afterNanos, accounts::sweepOn);
  }

  /** These accounts need no more sweeps. */
  void rests(Accounts accounts) {
    open.remove(accounts);
  }

  /** Reports to Redis that {@code permits} of {@code key} were granted. Never blocks or throws. */
  void tell(String key, long permits, long lifeMicros, Listener listener) {
    underWay.incrementAndGet();
    Plan plan = listener.plan();
    try {
      desk.ask(
          new Exchange(desk, plan, key, () -> plan.tell(permits, lifeMicros, clock.micros())) {
            @Override
            void answered(long[] reply) {
              Told told = plan.told(reply);
              listener.heard(told);
              underWay.decrementAndGet();
            }

            @Override
            void onFailure(Failure failure) {
              failed(listener);
            }
          });
    } catch (RuntimeException e) { // the listener must learn of the failure
      failed(listener);
    }
  }

  private void failed(Listener listener) {
    listener.failed();
    underWay.decrementAndGet();
  }

  /** Counts a grant that Redis will never learn of. */
  void lost() {
    counters.lost();
  }

  /** Whether many messages are in progress, so that others should wait. */
  boolean isCrowded() {
    return underWay.get() >= MOST_UNDER_WAY && !isClosing;
  }

  /** Sends all unsent grants at once. */
  void flush() {
    open.forEach(Accounts::flush);
  }

  /** Sweeps all accounts at once. */
  void sweepAll() {
    open.forEach(Accounts::sweep);
  }

  /** The number of keys in memory. */
  long keys() {
    return open.stream().mapToLong(Accounts::keys).sum();
  }

  /** Whether no message is in progress. */
  boolean isQuiet() {
    return underWay.get() <= 0;
  }

  /** Whether the store is closing, so that nothing may be deferred. */
  boolean isClosing() {
    return isClosing;
  }

  /** Sends all unsent grants, and waits at most as long as two calls may take. */
  void close() {
    isClosing = true;
    flush();
    long deadline = System.nanoTime() + 2 * settings.timeout().toNanos();
    Thread thread = Thread.currentThread();
    while (!isQuiet()
        && desk.mayWait()
        && System.nanoTime() - deadline < 0
        && !thread.isInterrupted()) {
      LockSupport.parkNanos(100_000);
    }
  }
}
