package io.weir.redis;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.Origin;
import io.weir.Standing;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What one call took in advance: permits that are spent here until they are gone, or the lease is
 * over, or somebody closes it to give back the rest.
 *
 * <p>To spend is a compare-and-set, and a decision to tell it by.
 */
final class Grant {
  /*
   * All permits are one number. Whoever closes it learns in the same step what was left, and from
   * then on nobody takes anything from it or puts anything back: no permit is both spent and given
   * back.
   *
   * When the lease is over is counted from before its call was sent, less what the clocks of Redis
   * and of this machine may differ in rate. 1 s of a lease is spent within 998 ms.
   */

  /** In place of what is left: nothing was spent. */
  static final long UNSPENT = -1;

  private static final long CLOSED = -1;

  /** The part by which the rates of clocks differ at most, and what is added to be sure. */
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
  private final Marks marks;
  private final Marks marksOfSpent;
  private final List<Told> told;
  private final long epochMicros;
  private final long answeredNanos;
  private final long endNanos;
  private final @Nullable Uses uses; // where it matters when
  private volatile long left;
  private volatile long returned;
  private volatile @Nullable Closing closing;

  /**
   * @param outcome of the call, which granted more than the {@code own} who waited
   * @param cost of each
   * @param sentNanos when the call was not sent yet
   */
  Grant(Outcome outcome, int own, long cost, long sentNanos, long answeredNanos) {
    int granted = outcome.granted();
    this.permits = (granted - own) * cost;
    this.left = permits;
    this.marks = outcome.marks(granted - 1);
    this.marksOfSpent = marks.ofPart();
    this.told = told(outcome.decision(own - 1), outcome.decision(granted - 1));
    this.epochMicros = outcome.epochMicros();
    this.answeredNanos = answeredNanos;
    long length = outcome.leaseMicros() * 1000;
    this.endNanos = sentNanos + length - length / CLOCKS_AGREE_TO - MARGIN_NANOS;
    this.uses = marks.plan().isMoved() ? new Uses(sentNanos, length) : null;
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

  /** Whether there is anything to be given back, when it is over. */
  boolean hasRest() {
    return left > 0;
  }

  /** How many were spent. */
  long spent() {
    long now = left;
    return permits - (now == CLOSED ? returned : now);
  }

  /** What identifies the rest, to give it back. */
  Marks marks() {
    return marks;
  }

  /**
   * What identifies permits that were spent at {@code nanos}, if they are not wanted after it was
   * closed.
   */
  Marks marksOfSpent(long nanos) {
    Closing end = closing;
    return end == null || uses == null ? marksOfSpent : end.marks(uses.part(nanos));
  }

  /** Takes {@code cost} permits, and tells how many are left; or {@link #UNSPENT}. */
  long spend(long cost, long nanos) {
    if (isOver(nanos)) {
      return UNSPENT;
    }
    if (uses != null && uses.isNew(nanos)) {
      begin(uses, nanos);
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

  private synchronized void begin(Uses uses, long nanos) {
    uses.begin(nanos, spent());
  }

  /** Puts back what was spent and is not wanted, unless it is closed. */
  synchronized boolean putBack(long unused) {
    if (uses != null) {
      uses.putBack(unused);
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

  /** Ends it, and tells what was left: that is the caller's to give back. */
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
   * Ends it, and tells what is left and when the others were spent: that is the caller's to tell
   * Redis.
   *
   * @param clock read when nothing can be spent any more
   * @return null if it is closed, or it does not matter when
   */
  synchronized @Nullable Closing end(LongSupplier clock) {
    if (left == CLOSED || uses == null) {
      return null;
    }
    long rest = close();
    long nanos = clock.getAsLong();
    long[] ages = new long[Uses.PARTS];
    for (int part = 0; part < ages.length; part++) {
      ages[part] = uses.age(part, nanos);
    }
    Closing end = new Closing(marks, rest, uses.counts(permits - rest), ages);
    closing = end;
    return end;
  }

  /** The decision on a request that left {@code rest} permits. */
  Decision decision(long cost, long rest, long nanos) {
    long now = epochMicros + Math.max(0, nanos - answeredNanos) / 1000;
    List<Standing> standings;
    if (told.size() == 1) {
      standings = List.of(told.get(0).standing(permits - rest, rest, epochMicros, now));
    } else {
      standings = new ArrayList<>(told.size());
      for (Told each : told) {
        standings.add(each.standing(permits - rest, rest, epochMicros, now));
      }
    }
    return Decision.of(cost, Duration.ZERO, standings, Math.floorDiv(now, 1000L), Origin.LEASE);
  }

  private static List<Told> told(Decision before, Decision after) {
    List<Told> all = new ArrayList<>(before.standings().size());
    for (int i = 0; i < before.standings().size(); i++) {
      Standing first = before.standings().get(i);
      Standing last = after.standings().get(i);
      all.add(
          new Told(
              first.limit(),
              first.remaining(),
              last.growsAfter().map(Duration::toNanos).orElse(0L),
              last.resetAfter().toNanos(),
              first.limit().tick().toNanos()));
    }
    return List.copyOf(all);
  }

  /**
   * How the caller stood with one limit when Redis answered: what was left before anything of the
   * lease is spent, and the waits as if all of it were.
   */
  private record Told(Limit limit, long remaining, long growth, long reset, long tick) {
    Standing standing(long spent, long rest, long thenMicros, long nowMicros) {
      long micros = tick / 1000;
      long passed = (Math.floorDiv(nowMicros, micros) - Math.floorDiv(thenMicros, micros)) * tick;
      long left = Math.max(rest, remaining - spent);
      return Standing.of(limit, left, 0, after(growth, passed), after(reset, passed));
    }

    /** Redis knows by now that it is over, but we do not: in a tick. */
    private long after(long wait, long passed) {
      return wait == 0 ? 0 : Math.max(tick, wait - passed);
    }
  }
}
