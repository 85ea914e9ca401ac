package io.weir.redis;

import io.weir.Buckets;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.Origin;
import io.weir.Standing;
import io.weir.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides while Redis cannot be asked, by this node's share of each limit: {@code on_failure:
 * local}.
 *
 * <p>It is kept warm: what Redis grants through this node is charged here too. So at the moment of
 * a failure a key has left here what this node has not given of its share, and no fresh quota.
 *
 * <p>How much too much can be granted, with n nodes (each limit holding at least n):
 *
 * <ul>
 *   <li>While Redis is away, all nodes together stay within the limit.
 *   <li>From before the failure until into it: nothing too much if a key's requests came through
 *       all nodes alike. At worst all came through one: then the others still have their shares,
 *       and {@code (n - 1) / n} of the limit's capacity is granted once more.
 *   <li>Redis is not told afterwards. Within one period after its return, or the time in which a
 *       bucket fills, what was granted locally comes on top: at most the capacity once, and in a
 *       long failure nothing, since by then the quota has grown back anyway.
 *   <li>A limit that holds less than n gives one permit at each node: n instead of its capacity.
 *   <li>Nodes count each other once a second: those that came within the last second are one share
 *       each on top.
 * </ul>
 *
 * <p>A charge costs about as much as a check in memory.
 */
final class LocalShare {
  private static final int MOST_NODES = 1 << 20;
  private static final long SOON_NANOS = Duration.ofSeconds(1).toNanos();

  private final Buckets buckets;
  private volatile Split split;

  /** The share of one among {@code nodes}. */
  LocalShare(Store.Blueprint blueprint, int nodes) {
    this.split = Split.of(blueprint, nodes);
    this.buckets = Store.memory().open(split.kept);
  }

  /** Redis has granted {@code cost}: it is spent here too. */
  void granted(String key, long cost) {
    buckets.charge(key, split.scaled(cost));
  }

  /** Takes, if the share has it. */
  boolean tryAcquire(String key, long cost) {
    return buckets.tryAcquire(key, split.scaled(cost));
  }

  /** Takes, if the share has it, and tells how the caller stands with the share. */
  Decision check(String key, long cost) {
    Split present = split;
    return tell(key, cost, buckets.check(key, present.scaled(cost)), present);
  }

  /** What {@link #check} would answer, without taking. */
  Decision peek(String key, long cost) {
    Split present = split;
    return tell(key, cost, buckets.peek(key, present.scaled(cost)), present);
  }

  /** Takes like {@link #check}, so that {@link #settle} can correct it. */
  Buckets.Receipt take(String key, long cost) {
    Split present = split;
    Buckets.Receipt receipt = buckets.take(key, present.scaled(cost));
    return new LocalReceipt(receipt, tell(key, cost, receipt.decision(), present), present);
  }

  /** Takes for a later moment, if it is within {@code longestWait}. */
  Buckets.Receipt reserve(String key, long cost, Duration longestWait) {
    Split present = split;
    Buckets.Receipt receipt = buckets.reserve(key, present.scaled(cost), longestWait);
    return new LocalReceipt(receipt, tell(key, cost, receipt.decision(), present), present);
  }

  /** Whether {@code receipt} was made here. */
  static boolean isLocal(Buckets.Receipt receipt) {
    return receipt instanceof LocalReceipt;
  }

  /** Corrects what was taken here. */
  void settle(Buckets.Receipt receipt, long actualCost) {
    LocalReceipt local = (LocalReceipt) receipt;
    buckets.settle(local.whole, local.split.scaled(actualCost));
  }

  /** Notes a request that somebody else refused, where a limit counts rejected ones. */
  void reject(String key, long cost) {
    buckets.reject(key, split.scaled(cost));
  }

  /** Gives back {@code permits}. */
  void refund(String key, long permits) {
    buckets.refund(key, split.scaled(permits));
  }

  /** Makes {@code key} as good as new. */
  void reset(String key) {
    buckets.reset(key);
  }

  /**
   * Changes to other limits.
   *
   * @return what is left to do, by a thread that has the time
   */
  synchronized Runnable reconfigure(Store.Blueprint blueprint) {
    return change(Split.of(blueprint, split.nodes));
  }

  /**
   * Changes to the share of one among {@code nodes}.
   *
   * @return what is left to do, by a thread that has the time
   */
  synchronized Runnable share(int nodes) {
    return change(Split.of(split.whole, nodes));
  }

  private Runnable change(Split changed) {
    Split before = split;
    Runnable rest = changed.kept.equals(before.kept) ? () -> {} : buckets.reconfigure(changed.kept);
    split = changed;
    return rest;
  }

  /** In permits of the share what {@code decision} says in nths of them. */
  private Decision tell(String key, long cost, Decision decision, Split present) {
    List<Standing> standings = new ArrayList<>(present.told.size());
    for (int i = 0; i < present.told.size(); i++) {
      standings.add(tell(key, cost, decision.standings().get(i), i, present));
    }
    return Decision.of(
        cost, decision.delay(), standings, decision.time().toEpochMilli(), Origin.LOCAL);
  }

  private Standing tell(String key, long cost, Standing standing, int limit, Split present) {
    Limit told = present.told.get(limit);
    long remaining = Math.min(told.capacity(), standing.remaining() / present.nodes);
    long growth = remaining < told.capacity() ? growth(key, remaining + 1, limit, present) : 0;
    long reset = standing.resetAfter().toNanos();
    if (cost > present.whole.limits().get(limit).capacity()) {
      return Standing.neverFits(told, remaining, growth, reset);
    }
    // More than the share can ever give, but not more than the limit: Redis may soon be back.
    long wait = standing.retryAfter().map(Duration::toNanos).orElse(SOON_NANOS);
    return Standing.of(told, remaining, wait, growth, reset);
  }

  /** How long until {@code permits} of the share are there. */
  private long growth(String key, long permits, int limit, Split present) {
    return buckets
        .peek(key, present.scaled(permits))
        .standings()
        .get(limit)
        .retryAfter()
        .map(Duration::toNanos)
        .orElse(0L);
  }

  /** The limits, and what becomes of them when {@code nodes} share them. */
  private record Split(Store.Blueprint whole, int nodes, Store.Blueprint kept, List<Limit> told) {
    static Split of(Store.Blueprint whole, int nodes) {
      int n = Math.max(1, Math.min(MOST_NODES, nodes));
      Store.Blueprint kept =
          new Store.Blueprint(
              whole.name(),
              whole.limits().stream().map(limit -> Share.kept(limit, n)).toList(),
              whole.overflow().stream().map(limit -> Share.kept(limit, n)).toList(),
              whole.maxKeys(),
              whole.time(),
              whole.onFailure());
      List<Limit> told = whole.limits().stream().map(limit -> Share.told(limit, n)).toList();
      return new Split(whole, n, kept, told);
    }

    /** What {@code cost} costs where the whole limit is kept. */
    long scaled(long cost) {
      return cost <= Long.MAX_VALUE / nodes ? cost * nodes : Long.MAX_VALUE;
    }
  }

  /** What was taken here, and into how many parts the limits were split then. */
  private record LocalReceipt(Buckets.Receipt whole, Decision decision, Split split)
      implements Buckets.Receipt {}
}
