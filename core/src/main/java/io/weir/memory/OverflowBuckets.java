package io.weir.memory;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bucket;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The buckets that keys of one limit share while its table is full: {@value #GROUPS} of them, each
 * with the whole limit, so that a flood affects few of the keys that arrive after it.
 */
final class OverflowBuckets {
  /*
   * The last bits of a key's hash choose the bucket. A key always has the same one, and so never
   * gets more than the limit out of them. A bucket is made when it is first needed.
   *
   * Where memory is short there are fewer: as many as fit into half of what is free when the first
   * one is needed. A change of limits keeps the number.
   */

  /** How many buckets there are where memory is not short; a power of two. */
  static final int GROUPS = 1024;

  private final Algorithm algorithm;
  private final Moment takeover;
  private final TableMemory.Part memory;
  private final LongAdder uses = new LongAdder();
  private volatile @Nullable AtomicReferenceArray<@Nullable Overflow> buckets;
  private volatile @Nullable OverflowBuckets predecessor;

  /**
   * Buckets that continue from those of the previous limits, if there were any.
   *
   * @param takeover when they do
   */
  OverflowBuckets(
      Algorithm algorithm,
      @Nullable OverflowBuckets predecessor,
      Moment takeover,
      TableMemory.Part memory) {
    this.algorithm = algorithm;
    this.predecessor = predecessor;
    this.takeover = takeover;
    this.memory = memory;
  }

  Algorithm algorithm() {
    return algorithm;
  }

  /** How many requests they have decided. */
  long uses() {
    return uses.sum();
  }

  private static int group(long hash, AtomicReferenceArray<@Nullable Overflow> array) {
    return (int) hash & array.length() - 1;
  }

  /** The bucket of a key. */
  Overflow of(long hash) {
    Overflow found = existing(hash);
    return found == null ? make(hash) : found;
  }

  private @Nullable Overflow existing(long hash) {
    AtomicReferenceArray<@Nullable Overflow> array = buckets;
    return array == null ? null : array.get(group(hash, array));
  }

  private synchronized Overflow make(long hash) {
    AtomicReferenceArray<@Nullable Overflow> array = array();
    Overflow found = array.get(group(hash, array));
    if (found == null) {
      OverflowBuckets old = predecessor;
      found = new Overflow(algorithm, old == null ? null : old.of(hash), takeover, uses, memory);
      array.set(group(hash, array), found);
    }
    return found;
  }

  private synchronized AtomicReferenceArray<@Nullable Overflow> array() {
    AtomicReferenceArray<@Nullable Overflow> array = buckets;
    if (array == null) {
      OverflowBuckets old = predecessor;
      int groups = old == null ? affordable() : old.array().length();
      array = new AtomicReferenceArray<>(groups);
      memory.add((long) Long.BYTES * groups);
      buckets = array;
    }
    return array;
  }

  private int affordable() {
    long each = Overflow.bytes(algorithm) + Long.BYTES;
    int groups = GROUPS;
    while (groups > 1 && groups * each > memory.whole().free() / 2) {
      groups /= 2;
    }
    return groups;
  }

  /** Whether the untouched bucket of a key may have to start from the shared one. */
  boolean isActive(long hash) {
    Overflow found = existing(hash);
    if (found != null) {
      return found.isActive();
    }
    OverflowBuckets old = predecessor;
    return old != null && old.isActive(hash);
  }

  /**
   * Starts {@code untouched}, the bucket of a key that now has its own place, with a copy of its
   * shared one.
   */
  void handDown(long hash, Algorithm heir, Bucket untouched, Moment moment) {
    if (isActive(hash)) {
      of(hash).handDown(heir, untouched, moment);
    }
  }

  /** Takes over from the buckets of the previous limits, so that they can be released. */
  synchronized void settle() {
    OverflowBuckets old = predecessor;
    for (int group = 0; old != null && group < GROUPS; group++) {
      if (existing(group) != null || old.existing(group) != null) {
        of(group).settle();
      }
    }
    predecessor = null;
  }

  /** Whether one of them has more spent than the capacity. */
  boolean needsRoom(Moment moment) {
    for (int group = 0; group < GROUPS; group++) {
      Overflow found = existing(group);
      if (found != null && found.needsRoom(moment)) {
        return true;
      }
    }
    return false;
  }
}
