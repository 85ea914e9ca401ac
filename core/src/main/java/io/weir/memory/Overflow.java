package io.weir.memory;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bucket;
import io.weir.algorithm.SlidingLog;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** One of the buckets that keys without a place in a full table share. */
final class Overflow {
  private static final int OBJECT_BYTES = 200;

  private final Algorithm algorithm;
  private final ReentrantLock lock = new ReentrantLock();
  private final LongAdder uses;
  private final TableMemory.Part memory;
  private Ints ints;
  private Bucket bucket;
  private int counted;
  private volatile boolean active;
  private boolean retired;
  private volatile @Nullable Overflow predecessor;
  private final Moment takeover;

  /**
   * An overflow bucket that continues from that of the previous limits, if there was one.
   *
   * @param takeover when it does
   * @param uses counts the requests that it decides
   */
  Overflow(
      Algorithm algorithm,
      @Nullable Overflow predecessor,
      Moment takeover,
      LongAdder uses,
      TableMemory.Part memory) {
    this.algorithm = algorithm;
    this.uses = uses;
    this.memory = memory;
    this.ints = new Ints(memory.whole());
    this.bucket = new Bucket(algorithm.words(), ints);
    this.predecessor = predecessor;
    this.takeover = takeover;
    memory.add(bytes(algorithm));
  }

  /** About how many bytes of heap one takes; without the entries of a log. */
  static long bytes(Algorithm algorithm) {
    return OBJECT_BYTES + (long) Long.BYTES * algorithm.words();
  }

  Algorithm algorithm() {
    return algorithm;
  }

  boolean isActive() {
    Overflow old = predecessor;
    return active || (old != null && old.active);
  }

  /** The bucket, locked for a request that it decides; null if it has retired. */
  @Nullable Bucket lock() {
    lock.lock();
    if (retired) {
      lock.unlock();
      return null;
    }
    inheritFromPredecessor();
    active = true;
    uses.increment();
    return bucket;
  }

  private void inheritFromPredecessor() {
    Overflow old = predecessor;
    if (old != null) {
      old.lock.lock();
      try {
        old.retired = true;
        active |= old.active;
        predecessor = null;
        algorithm.inherit(
            bucket, takeover.in(algorithm), old.algorithm, takeover.in(old.algorithm), old.bucket);
      } finally {
        old.lock.unlock();
      }
    }
  }

  /** Takes over from the bucket of the previous limits, so that it can be released. */
  void settle() {
    lock.lock();
    try {
      inheritFromPredecessor();
    } finally {
      lock.unlock();
    }
  }

  /** Whether more is spent than the capacity. */
  boolean needsRoom(Moment moment) {
    lock.lock();
    try {
      return algorithm.isWide() && algorithm.needsRoom(bucket, moment.in(algorithm));
    } finally {
      lock.unlock();
    }
  }

  void unlock() {
    if (ints.ints.length != counted) {
      account();
    }
    lock.unlock();
  }

  /**
   * Moves a log that has outgrown earlier regions to one just large enough, and counts its memory.
   */
  private void account() {
    if (algorithm instanceof SlidingLog log
        && ints.ints.length > 2 * SlidingLog.regionLength(bucket)) {
      Ints tight = new Ints(memory.whole());
      Bucket copy = new Bucket(algorithm.words(), tight);
      log.copy(bucket, copy);
      ints = tight;
      bucket = copy;
    }
    memory.add((long) Integer.BYTES * (ints.ints.length - counted));
    counted = ints.ints.length;
  }

  /**
   * Starts {@code untouched}, the bucket of a key that now has its own place, with a copy of this
   * one.
   */
  void handDown(Algorithm heir, Bucket untouched, Moment moment) {
    if (!isActive()) {
      return;
    }
    lock.lock();
    try {
      inheritFromPredecessor();
      long now = moment.in(algorithm);
      if (algorithm.isFresh(bucket, now)) {
        active = moment.inMillis(); // a time given by a caller has passed for that caller only
      } else {
        heir.inheritShared(untouched, moment.in(heir), algorithm, now, bucket);
      }
    } finally {
      lock.unlock();
    }
  }

  /** The heap for the entries of a log. */
  private static final class Ints implements Bucket.Heap {
    private static final int[] NONE = {};
    private final TableMemory memory;
    private int[] ints = NONE;

    Ints(TableMemory memory) {
      this.memory = memory;
    }

    @Override
    public int[] ints() {
      return ints;
    }

    @Override
    public int allocate(int length) {
      int start = ints.length;
      ints = Arrays.copyOf(ints, start + length);
      return start;
    }

    @Override
    public boolean mayGrow() {
      return !memory.isUsedUp();
    }
  }
}
