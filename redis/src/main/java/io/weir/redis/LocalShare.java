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
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

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
 *   <li>A node that does not know the number of nodes refuses: its share is unknown.
 *   <li>A node that starts while Redis is away refuses for a window: a process before it may have
 *       spent the share, and another start would give it once more.
 * </ul>
 *
 * <p>A charge costs about as much as a check in memory.
 */
final class LocalShare implements Fallback {
  static final int MOST_NODES = 1 << 20;
  private static final long SOON_NANOS = Duration.ofSeconds(1).toNanos();

  private final Buckets buckets;
  private final IntSupplier nodes;
  private final BooleanSupplier isKnown;
  private final Function<Store.Blueprint, Duration> doubt;
  private final FixedAnswer refusal;
  private volatile Split split;

  /** The share of one among {@code nodes}. */
  LocalShare(Store.Blueprint blueprint, IntSupplier nodes) {
    this(blueprint, nodes, () -> true, any -> Duration.ZERO, () -> 0);
  }

  /**
   * The share of one among {@code nodes}; refuses until {@code isKnown}, and while in {@code
   * doubt}.
   *
   * @param doubt for how long what a process before this one has spent may count
   * @param epochMillis the time of such a refusal
   */
  LocalShare(
      Store.Blueprint blueprint,
      IntSupplier nodes,
      BooleanSupplier isKnown,
      Function<Store.Blueprint, Duration> doubt,
      LongSupplier epochMillis) {
    this.nodes = nodes;
    this.isKnown = isKnown;
    this.doubt = doubt;
    this.refusal =
        new FixedAnswer(
            blueprint, epochMillis, by -> isKnown.getAsBoolean() ? doubt.apply(by) : Duration.ZERO);
    this.split = Split.of(blueprint, nodes.getAsInt());
    this.buckets = Store.memory().open(split.kept);
  }

  @Override
  public void granted(String key, long cost) {
    buckets.charge(key, split().scaled(cost));
  }

  @Override
  public Decision check(String key, long cost) {
    if (!hasShare()) {
      return refusal.check(key, cost);
    }
    Split present = split();
    return tell(key, cost, buckets.check(key, present.scaled(cost)), present);
  }

  @Override
  public Decision peek(String key, long cost) {
    if (!hasShare()) {
      return refusal.peek(key, cost);
    }
    Split present = split();
    return tell(key, cost, buckets.peek(key, present.scaled(cost)), present);
  }

  @Override
  public Buckets.Receipt take(String key, long cost) {
    if (!hasShare()) {
      return refusal.take(key, cost);
    }
    Split present = split();
    Buckets.Receipt receipt = buckets.take(key, present.scaled(cost));
    return new LocalReceipt(receipt, tell(key, cost, receipt.decision(), present), present);
  }

  @Override
  public Buckets.Receipt reserve(String key, long cost, Duration longestWait) {
    if (!hasShare()) {
      return refusal.reserve(key, cost, longestWait);
    }
    Split present = split();
    Buckets.Receipt receipt = buckets.reserve(key, present.scaled(cost), longestWait);
    return new LocalReceipt(receipt, tell(key, cost, receipt.decision(), present), present);
  }

  /** A receipt from before this was the fallback is nobody's to correct. */
  @Override
  public void settle(Buckets.Receipt receipt, long actualCost) {
    if (receipt instanceof LocalReceipt local && local.decision().allowed()) {
      buckets.settle(local.whole, local.split.scaled(actualCost));
    }
  }

  @Override
  public void refund(String key, long permits) {
    buckets.refund(key, split().scaled(permits));
  }

  @Override
  public void reset(String key) {
    buckets.reset(key);
  }

  @Override
  public synchronized void reconfigure(Store.Blueprint blueprint) {
    refusal.reconfigure(blueprint);
    change(Split.of(blueprint, split.nodes));
  }

  private boolean hasShare() {
    return isKnown.getAsBoolean() && doubt.apply(split.whole).isZero();
  }

  /** By as many nodes as there are now. */
  private Split split() {
    Split present = split;
    return Split.clamped(nodes.getAsInt()) == present.nodes ? present : splitAnew();
  }

  private synchronized Split splitAnew() {
    change(Split.of(split.whole, nodes.getAsInt()));
    return split;
  }

  private void change(Split changed) {
    if (!changed.kept.equals(split.kept)) {
      buckets.reconfigure(changed.kept).run();
    }
    split = changed;
  }

  /** In permits of the share what {@code decision} says in nths of them; by the limits' names. */
  private Decision tell(String key, long cost, Decision decision, Split present) {
    List<Standing> standings = new ArrayList<>(present.told.size());
    for (int i = 0; i < present.told.size(); i++) {
      standings.add(tell(key, cost, decision.standings().get(i), i, present));
    }
    return Decision.of(
        cost, decision.delay(), standings, decision.time().toEpochMilli(), Origin.LOCAL);
  }

  private Standing tell(String key, long cost, Standing standing, int limit, Split present) {
    Limit whole = present.whole.limits().get(limit);
    long capacity = present.told.get(limit).capacity();
    long remaining = Math.min(capacity, standing.remaining() / present.nodes);
    long growth = remaining < capacity ? growth(key, remaining + 1, limit, present) : 0;
    long reset = standing.resetAfter().toNanos();
    if (cost > whole.capacity()) {
      return Standing.neverFits(whole, remaining, growth, reset);
    }
    // More than the share can ever give, but not more than the limit: Redis may soon be back.
    long wait = standing.retryAfter().map(Duration::toNanos).orElse(SOON_NANOS);
    return Standing.of(whole, remaining, wait, growth, reset);
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
      int n = clamped(nodes);
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

    static int clamped(int nodes) {
      return Math.max(1, Math.min(MOST_NODES, nodes));
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
