package io.weir.memory;

import io.weir.Buckets;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.Store;
import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bucket;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The buckets of another limiter, decided by other limits: windows of the same span and any size.
 *
 * <p>The table has room for the largest of these limits, so that each of them reads the same words.
 * A bucket above the capacity of a limit is full for it: see
 * docs/decisions/0029-limits-that-differ.md.
 */
final class SharedBuckets implements Buckets {
  private final MemoryBuckets buckets;
  private final List<Limit> limits;
  private volatile @Nullable Own known;

  SharedBuckets(MemoryBuckets buckets, List<Limit> limits) {
    this.buckets = buckets;
    this.limits = limits;
  }

  private <R> R edit(String key, TableEngine.Edit<R> edit) {
    return buckets.edit(
        key,
        (algorithms, words, moment) -> {
          Algorithm[] own = own(algorithms, moment);
          return edit.apply(own, isOfOurs(algorithms) ? words : untouched(own), moment);
        });
  }

  /**
   * Whether the buckets count in the same way. They do not while rules are being replaced by others
   * that count differently, which start fresh.
   */
  private boolean isOfOurs(Algorithm[] theirs) {
    return theirs.length == 1 && theirs[0].limit().sharesBucketsWith(limits.get(0));
  }

  private static Bucket[] untouched(Algorithm[] own) {
    return new Bucket[] {new Bucket(own[0].words())};
  }

  /** Algorithms with the layout of {@code theirs}. */
  private Algorithm[] own(Algorithm[] theirs, Moment moment) {
    long room = theirs[0].room();
    Own present = known;
    if (present == null || present.room != room) {
      Algorithm of = Algorithm.of(limits.get(0), buckets.timeline(moment), room);
      present = new Own(room, new Algorithm[] {of});
      known = present;
    }
    return present.algorithms;
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Own(long room, Algorithm[] algorithms) {}

  @Override
  public Decision check(String key, long cost) {
    return edit(key, BucketOperations.check(cost));
  }

  @Override
  public Decision peek(String key, long cost) {
    return edit(key, BucketOperations.peek(cost));
  }

  @Override
  public Receipt take(String key, long cost) {
    return edit(key, BucketOperations.take(key, cost));
  }

  @Override
  public Receipt reserve(String key, long cost, Duration longestWait) {
    boolean isLong = longestWait.compareTo(Limit.MAX_PERIOD) >= 0;
    long maxWaitNanos = (isLong ? Limit.MAX_PERIOD : longestWait).toNanos();
    return edit(key, BucketOperations.reserve(key, cost, maxWaitNanos));
  }

  @Override
  public void chargeInFull(String key, long cost) {
    edit(key, BucketOperations.chargeInFull(cost));
  }

  @Override
  public void settle(Receipt receipt, long actualCost) {
    BucketOperations.MemoryReceipt ours = (BucketOperations.MemoryReceipt) receipt;
    if (receipt.decision().allowed() && receipt.decision().cost() != actualCost) {
      edit(ours.key(), BucketOperations.settle(ours, actualCost));
    }
  }

  /** Does nothing: a window does not count refusals. */
  @Override
  public void reject(String key, long cost) {}

  @Override
  public void refund(String key, long permits) {
    buckets.refund(key, permits);
  }

  @Override
  public void reset(String key) {
    buckets.reset(key);
  }

  @Override
  public Runnable reconfigure(Store.LimiterSpec changed) {
    throw new UnsupportedOperationException(
        "limits over shared buckets cannot be changed: open new ones");
  }

  @Override
  public long keys() {
    return buckets.keys();
  }

  @Override
  public long overflowed() {
    return buckets.overflowed();
  }
}
