package io.weir.redis;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Origin;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Permits taken in advance by one call. They are spent locally until they are used up, the lease
 * ends, or it is closed to give back the rest. Thread-safe.
 *
 * <p>Spending costs a compare-and-set and the decision object.
 */
final class Grant {
  /*
   * All permits are one number. The thread that closes it reads the rest in the same step. After
   * that no permit is taken from it or put back, so no permit is both spent and given back.
   *
   * The end of a lease counts from before its call was sent, less the possible difference between
   * the clock rates of Redis and this machine. A lease of 1 s is spent within 998 ms.
   */

  /** Returned in place of the rest: nothing was spent. */
  static final long UNSPENT = -1;

  private static final long CLOSED = -1;

  /** The assumed maximum difference of clock rates, one part in this many; the margin is added. */
  static final int CLOCKS_AGREE_TO = 1000;

  static final long MARGIN_NANOS = 1_000_000;

  private static final VarHandle LEFT;

  static {
    try {
      LEFT = MethodHandles.lookup().findVarHandle(Grant.class, "left", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final long permits;
  private final ChargeMarks chargeMarks;
  private final ChargeMarks marksOfSpent;
  private final List<StatusAtGrant> statusAtGrant;
  private final long epochMicros;
  private final long repliedNanos;
  private final long endNanos;
  private final @Nullable LeaseUsage leaseUsage; // if the time of use matters
  private volatile long left;
  private volatile long returned;
  private volatile @Nullable LeaseClosing leaseClosing;

  /**
   * @param takeReply of the call, which granted more than the {@code own} waiting requests
   * @param cost of each
   * @param sentNanos a moment before the call was sent
   */
  Grant(TakeReply takeReply, int own, long cost, long sentNanos, long repliedNanos) {
    int granted = takeReply.granted();
    this.permits = (granted - own) * cost;
    this.left = permits;
    this.chargeMarks = takeReply.marks(granted - 1);
    this.marksOfSpent = chargeMarks.ofPart();
    this.statusAtGrant = statuses(takeReply.decision(own - 1), takeReply.decision(granted - 1));
    this.epochMicros = takeReply.epochMicros();
    this.repliedNanos = repliedNanos;
    long length = takeReply.leaseMicros() * 1000;
    this.endNanos = sentNanos + length - length / CLOCKS_AGREE_TO - MARGIN_NANOS;
    this.leaseUsage = chargeMarks.scriptPlan().isMoved() ? new LeaseUsage(sentNanos, length) : null;
  }

  boolean isOver(long nanos) {
    return nanos - endNanos >= 0;
  }

  /** How many permits there were. */
  long permits() {
    return permits;
  }

  /** How many could be spent now. */
  long left(long nanos) {
    return isOver(nanos) ? 0 : Math.max(0, left);
  }

  /** Whether there is a rest to give back at the end. */
  boolean hasRest() {
    return left > 0;
  }

  /** How many were spent. */
  long spent() {
    long now = left;
    return permits - (now == CLOSED ? returned : now);
  }

  /** Identifies the rest, to give it back. */
  ChargeMarks chargeMarks() {
    return chargeMarks;
  }

  /** Identifies permits spent at {@code nanos}, for a refund after closing. */
  ChargeMarks marksOfSpent(long nanos) {
    LeaseClosing end = leaseClosing;
    return end == null || leaseUsage == null ? marksOfSpent : end.marks(leaseUsage.part(nanos));
  }

  /** Takes {@code cost} permits; returns how many are left, or {@link #UNSPENT}. */
  long spend(long cost, long nanos) {
    if (isOver(nanos)) {
      return UNSPENT;
    }
    if (leaseUsage != null && leaseUsage.isNew(nanos)) {
      begin(leaseUsage, nanos);
    }
    while (true) {
      long before = left;
      if (before < cost) {
        return UNSPENT;
      }
      if (LEFT.compareAndSet(this, before, before - cost)) {
        return before - cost;
      }
    }
  }

  private synchronized void begin(LeaseUsage leaseUsage, long nanos) {
    leaseUsage.begin(nanos, spent());
  }

  /** Puts back permits that were spent but not needed, unless it is closed. */
  synchronized boolean putBack(long unused) {
    if (leaseUsage != null) {
      leaseUsage.putBack(unused);
    }
    while (true) {
      long before = left;
      if (before == CLOSED) {
        return false;
      }
      if (LEFT.compareAndSet(this, before, before + unused)) {
        return true;
      }
    }
  }

  /** Ends it; returns the rest, which the caller must give back. */
  synchronized long close() {
    long rest = left;
    while (rest != CLOSED) {
      returned = rest;
      if (LEFT.compareAndSet(this, rest, CLOSED)) {
        return rest;
      }
      rest = left;
    }
    return 0;
  }

  /**
   * Ends it; returns the rest and when the others were spent, which the caller must send to Redis.
   *
   * @param clock read when nothing can be spent any more
   * @return null if it is closed, or times do not matter
   */
  synchronized @Nullable LeaseClosing end(LongSupplier clock) {
    if (left == CLOSED || leaseUsage == null) {
      return null;
    }
    long rest = close();
    long nanos = clock.getAsLong();
    long[] ages = new long[LeaseUsage.PARTS];
    for (int part = 0; part < ages.length; part++) {
      ages[part] = leaseUsage.age(part, nanos);
    }
    LeaseClosing end = new LeaseClosing(chargeMarks, rest, leaseUsage.counts(permits - rest), ages);
    leaseClosing = end;
    return end;
  }

  /** The decision on a request that left {@code rest} permits. */
  Decision decision(long cost, long rest, long nanos) {
    long now = epochMicros + Math.max(0, nanos - repliedNanos) / 1000;
    List<LimitStatus> statuses;
    if (statusAtGrant.size() == 1) {
      statuses = List.of(statusAtGrant.get(0).status(permits - rest, rest, epochMicros, now));
    } else {
      statuses = new ArrayList<>(statusAtGrant.size());
      for (StatusAtGrant each : statusAtGrant) {
        statuses.add(each.status(permits - rest, rest, epochMicros, now));
      }
    }
    return Decision.of(cost, Duration.ZERO, statuses, Math.floorDiv(now, 1000L), Origin.LEASE);
  }

  private static List<StatusAtGrant> statuses(Decision before, Decision after) {
    List<StatusAtGrant> all = new ArrayList<>(before.standings().size());
    for (int i = 0; i < before.standings().size(); i++) {
      LimitStatus first = before.standings().get(i);
      LimitStatus last = after.standings().get(i);
      all.add(
          new StatusAtGrant(
              first.limit(),
              first.remaining(),
              last.growsAfter().map(Duration::toNanos).orElse(0L),
              last.resetAfter().toNanos(),
              first.limit().tick().toNanos()));
    }
    return List.copyOf(all);
  }

  /**
   * The state of one limit in Redis's reply: what remained before any leased permit is spent, and
   * the waits as if all were.
   */
  private record StatusAtGrant(Limit limit, long remaining, long growth, long reset, long tick) {
    LimitStatus status(long spent, long rest, long thenMicros, long nowMicros) {
      long micros = tick / 1000;
      long passed = (Math.floorDiv(nowMicros, micros) - Math.floorDiv(thenMicros, micros)) * tick;
      long left = Math.max(rest, remaining - spent);
      return LimitStatus.of(limit, left, 0, after(growth, passed), after(reset, passed));
    }

    /** A wait that has passed for Redis but not yet on this clock lasts one tick. */
    private long after(long wait, long passed) {
      return wait == 0 ? 0 : Math.max(tick, wait - passed);
    }
  }
}
