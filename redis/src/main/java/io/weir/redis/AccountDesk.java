package io.weir.redis;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** What the accounts of all limiters of a store share: a timer, and the way to Redis. */
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
   * @param timer by which messages leave
   * @param sweeper by which keys are forgotten, all of which are looked at for that
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

  /** Who waits for the end of a message. */
  interface Listener {
    /** By which the message is written. */
    Plan plan();

    void heard(Told told);

    /** Redis has not heard of it, or nobody knows. */
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

  /** There is nothing left to be swept. */
  void rests(Accounts accounts) {
    open.remove(accounts);
  }

  /** Tells Redis that {@code permits} of {@code key} were granted. Neither blocks nor throws. */
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
    } catch (RuntimeException e) { // nobody else would tell the listener
      failed(listener);
    }
  }

  private void failed(Listener listener) {
    listener.failed();
    underWay.decrementAndGet();
  }

  /** Redis will not be told of a grant. */
  void lost() {
    counters.lost();
  }

  /** Whether so many messages are under way that others had better wait. */
  boolean isCrowded() {
    return underWay.get() >= MOST_UNDER_WAY && !isClosing;
  }

  /** Tells of all that is untold at once, whether or not it is time. */
  void flush() {
    open.forEach(Accounts::flush);
  }

  /** Looks through all accounts at once. */
  void sweepAll() {
    open.forEach(Accounts::sweep);
  }

  /** How many keys are remembered. */
  long keys() {
    return open.stream().mapToLong(Accounts::keys).sum();
  }

  /** Whether no message is under way. */
  boolean isQuiet() {
    return underWay.get() <= 0;
  }

  /** Whether nothing is put off any more. */
  boolean isClosing() {
    return isClosing;
  }

  /** Tells of all that is untold, and waits for that no longer than two calls may take. */
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
