package io.weir.redis;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** Shared by the leases of all limiters of a store: places, a timer, and the sender of refunds. */
final class LeaseDesk {
  /** The maximum number of keys with a place in a store. */
  static final int MOST_KEYS = 100_000;

  private final RedisSettings settings;
  private final Desk desk;
  private final Clock clock;
  private final Refusals refusals;
  private final Counters counters;
  private final IntSupplier nodes;
  private final Timer timer;
  private final AtomicInteger keys = new AtomicInteger();
  private final AtomicInteger underWay = new AtomicInteger();
  private final Set<Leases> swept = ConcurrentHashMap.newKeySet();

  LeaseDesk(
      RedisSettings settings,
      Desk desk,
      Clock clock,
      Refusals refusals,
      Counters counters,
      IntSupplier nodes,
      Timer timer) {
    this.settings = settings;
    this.desk = desk;
    this.clock = clock;
    this.refusals = refusals;
    this.counters = counters;
    this.nodes = nodes;
    this.timer = timer;
  }

  long longestMicros() {
    return settings.longestLease().toNanos() / 1000;
  }

  long nanos() {
    return clock.nanos();
  }

  /**
   * A lease may take one of this many parts of the free permits, so all nodes together take half.
   */
  int shares() {
    return 2 * Math.min(nodes.getAsInt(), Plan.MOST_TIMES / 4);
  }

  boolean takePlace() {
    if (keys.incrementAndGet() > MOST_KEYS) {
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
  void asked() {
    underWay.incrementAndGet();
  }

  void heard() {
    underWay.decrementAndGet();
  }

  /**
   * Gives permits back. Never blocks or fails: permits that cannot be given back return only with
   * time.
   *
   * @param by the desk that sent the request for the permits
   */
  void giveBack(Desk by, Plan plan, String key, Marks marks, long permits) {
    tell(by, plan, key, () -> plan.settle(marks, permits, 0, clock.micros()), reply -> {});
  }

  /** The same, if the times of the spent permits matter. */
  void close(Desk by, Plan plan, String key, Closing closing) {
    tell(
        by,
        plan,
        key,
        () -> plan.close(closing, clock.micros()),
        reply -> closing.done(plan.outcome(0, reply).epochMicros()));
  }

  private void tell(
      Desk by, Plan plan, String key, Supplier<Message> message, Consumer<long[]> done) {
    underWay.incrementAndGet();
    by.ask(
        new Exchange(by, plan, key, message) {
          @Override
          void answered(long[] reply) {
            done.accept(reply);
            underWay.decrementAndGet();
            refusals.forget(plan, key);
          }

          @Override
          void onFailure(Failure failure) {
            underWay.decrementAndGet();
            counters.lost();
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
        && desk.mayWait()
        && System.nanoTime() - deadline < 0
        && !thread.isInterrupted()) {
      LockSupport.parkNanos(100_000);
    }
  }
}
