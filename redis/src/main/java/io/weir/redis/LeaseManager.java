package io.weir.redis;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** Shared by the leases of all limiters of a store: places, a timer, and the sender of refunds. */
final class LeaseManager {
  /** The maximum number of keys with a place in a store. */
  static final int MAX_KEYS = 100_000;

  private final RedisSettings settings;
  private final CommandSender commandSender;
  private final Clock clock;
  private final DenialCache denialCache;
  private final RedisCounters redisCounters;
  private final IntSupplier nodes;
  private final Timer timer;
  private final AtomicInteger keys = new AtomicInteger();
  private final AtomicInteger underWay = new AtomicInteger();
  private final Set<Leases> swept = ConcurrentHashMap.newKeySet();

  LeaseManager(
      RedisSettings settings,
      CommandSender commandSender,
      Clock clock,
      DenialCache denialCache,
      RedisCounters redisCounters,
      IntSupplier nodes,
      Timer timer) {
    this.settings = settings;
    this.commandSender = commandSender;
    this.clock = clock;
    this.denialCache = denialCache;
    this.redisCounters = redisCounters;
    this.nodes = nodes;
    this.timer = timer;
  }

  long maxLeaseMicros() {
    return settings.longestLease().toNanos() / 1000;
  }

  long nanos() {
    return clock.nanos();
  }

  /**
   * A lease may take one of this many parts of the free permits, so all nodes together take half.
   */
  int shares() {
    return 2 * Math.min(nodes.getAsInt(), ScriptPlan.MAX_TIMES / 4);
  }

  boolean takePlace() {
    if (keys.incrementAndGet() > MAX_KEYS) {
      keys.decrementAndGet();
      return false;
    }
    return true;
  }

  void leavePlace() {
    keys.decrementAndGet();
  }

  void sweep(Leases leases, long afterNanos) {
    swept.add(leases);
    timer.after(afterNanos, leases::sweepOn);
  }

  /** These leases need no more sweeps. */
  void rests(Leases leases) {
    swept.remove(leases);
  }

  /** Sweeps at once. */
  void sweepAll() {
    swept.forEach(Leases::sweep);
  }

  /** Permits are requested in advance; until {@link #heard} they may have to be given back. */
  void requested() {
    underWay.incrementAndGet();
  }

  void heard() {
    underWay.decrementAndGet();
  }

  /**
   * Gives permits back. Never blocks or fails: permits that cannot be given back return only with
   * time.
   *
   * @param by the sender of the request for the permits
   */
  void giveBack(
      CommandSender by, ScriptPlan scriptPlan, String key, ChargeMarks chargeMarks, long permits) {
    send(
        by,
        scriptPlan,
        key,
        () -> scriptPlan.settle(chargeMarks, permits, 0, clock.micros()),
        reply -> {});
  }

  /** The same, if the times of the spent permits matter. */
  void close(CommandSender by, ScriptPlan scriptPlan, String key, LeaseClosing leaseClosing) {
    send(
        by,
        scriptPlan,
        key,
        () -> scriptPlan.close(leaseClosing, clock.micros()),
        reply -> leaseClosing.done(scriptPlan.outcome(0, reply).epochMicros()));
  }

  private void send(
      CommandSender by,
      ScriptPlan scriptPlan,
      String key,
      Supplier<ScriptMessage> scriptMessage,
      Consumer<long[]> done) {
    underWay.incrementAndGet();
    by.send(
        new ScriptExchange(by, scriptPlan, key, scriptMessage) {
          @Override
          void handleReply(long[] reply) {
            done.accept(reply);
            underWay.decrementAndGet();
            denialCache.forget(scriptPlan, key);
          }

          @Override
          void onFailure(RedisFailure redisFailure) {
            underWay.decrementAndGet();
            redisCounters.lost();
          }
        });
  }

  /** Whether no request in advance and no refund is in progress. */
  boolean isQuiet() {
    return underWay.get() <= 0;
  }

  /** Gives back all leased permits, and waits at most as long as two calls may take. */
  void close() {
    swept.forEach(leases -> leases.end(true));
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
