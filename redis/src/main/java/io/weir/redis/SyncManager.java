package io.weir.redis;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Shared by the {@link CounterSync}s of all limiters of a store: a timer, and the sender. */
final class SyncManager {
  private static final int MAX_UNDER_WAY = 10_000;

  private final RedisSettings settings;
  private final CommandSender commandSender;
  private final Clock clock;
  private final RedisCounters redisCounters;
  private final Timer timer;
  private final Timer sweeper;
  private final AtomicInteger underWay = new AtomicInteger();
  private final Set<CounterSync> open = ConcurrentHashMap.newKeySet();
  private volatile boolean isClosing;

  /**
   * @param timer schedules messages
   * @param sweeper schedules sweeps, which visit all keys to forget idle ones
   */
  SyncManager(
      RedisSettings settings,
      CommandSender commandSender,
      Clock clock,
      RedisCounters redisCounters,
      Timer timer,
      Timer sweeper) {
    this.settings = settings;
    this.commandSender = commandSender;
    this.clock = clock;
    this.redisCounters = redisCounters;
    this.timer = timer;
    this.sweeper = sweeper;
  }

  /** Receives the result of a message. */
  interface Listener {
    /** The plan that writes the message. */
    ScriptPlan scriptPlan();

    void heard(SyncReply syncReply);

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

  void sweep(CounterSync counterSync, long afterNanos) {
    open.add(counterSync);
    sweeper.after(afterNanos, counterSync::sweepOn);
  }

  /** These entries need no more sweeps. */
  void rests(CounterSync counterSync) {
    open.remove(counterSync);
  }

  /** Reports to Redis that {@code permits} of {@code key} were granted. Never blocks or throws. */
  void report(String key, long permits, long lifeMicros, Listener listener) {
    underWay.incrementAndGet();
    ScriptPlan scriptPlan = listener.scriptPlan();
    try {
      commandSender.send(
          new ScriptExchange(
              commandSender,
              scriptPlan,
              key,
              () -> scriptPlan.reportGrants(permits, lifeMicros, clock.micros())) {
            @Override
            void handleReply(long[] reply) {
              SyncReply syncReply = scriptPlan.syncReply(reply);
              listener.heard(syncReply);
              underWay.decrementAndGet();
            }

            @Override
            void onFailure(RedisFailure redisFailure) {
              failed(listener);
            }
          });
    } catch (RuntimeException e) { // the listener must be notified of the failure
      failed(listener);
    }
  }

  private void failed(Listener listener) {
    listener.failed();
    underWay.decrementAndGet();
  }

  /** Counts a grant that will never reach Redis. */
  void lost() {
    redisCounters.lost();
  }

  /** Whether many messages are in progress, so that others should wait. */
  boolean isCrowded() {
    return underWay.get() >= MAX_UNDER_WAY && !isClosing;
  }

  /** Sends all unsent grants at once. */
  void flush() {
    open.forEach(CounterSync::flush);
  }

  /** Sweeps all entries at once. */
  void sweepAll() {
    open.forEach(CounterSync::sweep);
  }

  /** The number of keys in memory. */
  long keys() {
    return open.stream().mapToLong(CounterSync::keys).sum();
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
        && commandSender.mayWait()
        && System.nanoTime() - deadline < 0
        && !thread.isInterrupted()) {
      LockSupport.parkNanos(100_000);
    }
  }
}
