package io.weir.redis;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** What the leases of all limiters of a store share: places, a timer, and the way back. */
final class LeaseDesk {
  /** The most keys of a store that have a place. */
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

  /** Of what is free, a lease may be one such part: all nodes together take half. */
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

  /** There is nothing left to be swept. */
  void rests(Leases leases) {
    swept.remove(leases);
  }

  /** Sweeps at once. */
  void sweepAll() {
    swept.forEach(Leases::sweep);
  }

  /**
   * Permits are asked for in advance, and until that is {@link #heard} they may have to go back.
   */
  void asked() {
    underWay.incrementAndGet();
  }

  void heard() {
    underWay.decrementAndGet();
  }

  /**
   * Neither blocks nor fails: what Redis cannot be told comes back by time alone.
   *
   * @param by the way on which the permits were asked for
   */
  void giveBack(Desk by, Plan plan, String key, Marks marks, long permits) {
    tell(by, plan, key, () -> plan.settle(marks, permits, 0, clock.micros()), reply -> {});
  }

  /** The same, where it matters when the others were spent. */
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

  /** Whether nothing is under way in advance, nor back. */
  boolean isQuiet() {
    return underWay.get() <= 0;
  }

  /** Gives back all that is leased, and waits for that no longer than two calls may take. */
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
