package io.weir.redis;

import io.weir.Buckets;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Origin;
import io.weir.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Decides while Redis cannot be called, by this node's share of each limit: {@code on_failure:
 * local}. Thread-safe.
 *
 * <p>The share is kept up to date: grants by Redis through this node are charged locally too. So
 * when Redis fails, a key has the unused part of this node's share, not a fresh quota.
 *
 * <p>The possible excess, with n nodes (each limit holding at least n):
 *
 * <ul>
 *   <li>While Redis is away, all nodes together stay within the limit.
 *   <li>Across the start of the failure: none if a key's requests were spread evenly over the
 *       nodes. At worst all came through one node. Then the others still have their shares, and
 *       {@code (n - 1) / n} of the limit's capacity is granted once more.
 *   <li>Redis does not receive these grants afterwards. Within one period after its return, or the
 *       time to fill a bucket, local grants are extra: at most the capacity once. After a long
 *       failure there is no excess, because the quota has come back by then anyway.
 *   <li>A limit that holds less than n gives one permit at each node: n instead of its capacity.
 *   <li>Nodes count each other once a second: each node that started within the last second adds
 *       one share.
 *   <li>A node that does not know the number of nodes refuses, because its share is unknown.
 *   <li>A node that starts while Redis is away refuses for one window: an earlier process of this
 *       node may have spent the share, and a start must not grant it again.
 * </ul>
 *
 * <p>A charge costs about as much as a check in memory.
 */
final class LocalShare implements FallbackDecider {
  static final int MAX_NODES = 1 << 20;
  private static final long SOON_NANOS = Duration.ofSeconds(1).toNanos();

  private final Buckets buckets;
  private final IntSupplier nodes;
  private final BooleanSupplier isKnown;
  private final Function<Store.LimiterSpec, Duration> doubt;
  private final FixedFallback refusal;
  private volatile Split split;

  /** The share of one of {@code nodes}. */
  LocalShare(Store.LimiterSpec limiterSpec, IntSupplier nodes) {
    this(limiterSpec, nodes, () -> true, any -> Duration.ZERO, () -> 0);
  }

  /**
   * The share of one of {@code nodes}; refuses until {@code isKnown}, and while in {@code doubt}.
   *
   * @param doubt for how long what a process before this one has spent may count
   * @param epochMillis the time of such a refusal
   */
  LocalShare(
      Store.LimiterSpec limiterSpec,
      IntSupplier nodes,
      BooleanSupplier isKnown,
      Function<Store.LimiterSpec, Duration> doubt,
      LongSupplier epochMillis) {
    this.nodes = nodes;
    this.isKnown = isKnown;
    this.doubt = doubt;
    this.refusal =
        new FixedFallback(
            limiterSpec,
            epochMillis,
            by -> isKnown.getAsBoolean() ? doubt.apply(by) : Duration.ZERO);
    this.split = Split.of(limiterSpec, nodes.getAsInt());
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
    return toShare(key, cost, buckets.check(key, present.scaled(cost)), present);
  }

  @Override
  public Decision peek(String key, long cost) {
    if (!hasShare()) {
      return refusal.peek(key, cost);
    }
    Split present = split();
    return toShare(key, cost, buckets.peek(key, present.scaled(cost)), present);
  }

  @Override
  public Buckets.Receipt take(String key, long cost) {
    if (!hasShare()) {
      return refusal.take(key, cost);
    }
    Split present = split();
    Buckets.Receipt receipt = buckets.take(key, present.scaled(cost));
    return new LocalReceipt(receipt, toShare(key, cost, receipt.decision(), present), present);
  }

  @Override
  public Buckets.Receipt reserve(String key, long cost, Duration longestWait) {
    if (!hasShare()) {
      return refusal.reserve(key, cost, longestWait);
    }
    Split present = split();
    Buckets.Receipt receipt = buckets.reserve(key, present.scaled(cost), longestWait);
    return new LocalReceipt(receipt, toShare(key, cost, receipt.decision(), present), present);
  }

  /** A receipt from before this was the fallback cannot be corrected. */
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
  public synchronized void reconfigure(Store.LimiterSpec limiterSpec) {
    refusal.reconfigure(limiterSpec);
    change(Split.of(limiterSpec, split.nodes));
  }

  private boolean hasShare() {
    return isKnown.getAsBoolean() && doubt.apply(split.whole).isZero();
  }

  /** The split for the current number of nodes. */
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

  /** Converts {@code decision} from nths to permits of the share, with the original limits. */
  private Decision toShare(String key, long cost, Decision decision, Split present) {
    List<LimitStatus> statuses = new ArrayList<>(present.shares.size());
    for (int i = 0; i < present.shares.size(); i++) {
      statuses.add(toShare(key, cost, decision.standings().get(i), i, present));
    }
    return Decision.of(
        cost, decision.delay(), statuses, decision.time().toEpochMilli(), Origin.LOCAL);
  }

  private LimitStatus toShare(
      String key, long cost, LimitStatus limitStatus, int limit, Split present) {
    Limit whole = present.whole.limits().get(limit);
    long capacity = present.shares.get(limit).capacity();
    long remaining = Math.min(capacity, limitStatus.remaining() / present.nodes);
    long growth = remaining < capacity ? growth(key, remaining + 1, limit, present) : 0;
    long reset = limitStatus.resetAfter().toNanos();
    if (cost > whole.capacity()) {
      return LimitStatus.neverFits(whole, remaining, growth, reset);
    }
    // More than the share, but not more than the limit: Redis may soon be back.
    long wait = limitStatus.retryAfter().map(Duration::toNanos).orElse(SOON_NANOS);
    return LimitStatus.of(whole, remaining, wait, growth, reset);
  }

  /** How long until {@code permits} of the share are available. */
  private long growth(String key, long permits, int limit, Split present) {
    return buckets
        .peek(key, present.scaled(permits))
        .standings()
        .get(limit)
        .retryAfter()
        .map(Duration::toNanos)
        .orElse(0L);
  }

  /** The limits, and their shares among {@code nodes}. */
  private record Split(
      Store.LimiterSpec whole, int nodes, Store.LimiterSpec kept, List<Limit> shares) {
    static Split of(Store.LimiterSpec whole, int nodes) {
      int n = clamped(nodes);
      Store.LimiterSpec kept =
          new Store.LimiterSpec(
              whole.name(),
              whole.limits().stream().map(limit -> NodeShare.kept(limit, n)).toList(),
              whole.overflow().stream().map(limit -> NodeShare.kept(limit, n)).toList(),
              whole.maxKeys(),
              whole.time(),
              whole.onFailure());
      List<Limit> shares =
          whole.limits().stream().map(limit -> NodeShare.asLimit(limit, n)).toList();
      return new Split(whole, n, kept, shares);
    }

    static int clamped(int nodes) {
      return Math.max(1, Math.min(MAX_NODES, nodes));
    }

    /** The cost of {@code cost} in the whole limit that is kept. */
    long scaled(long cost) {
      return cost <= Long.MAX_VALUE / nodes ? cost * nodes : Long.MAX_VALUE;
    }
  }

  /** A charge taken locally, with the split at that time. */
  private record LocalReceipt(Buckets.Receipt whole, Decision decision, Split split)
      implements Buckets.Receipt {}
}
