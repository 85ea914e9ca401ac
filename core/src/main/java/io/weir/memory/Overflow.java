package io.weir.memory;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bucket;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The bucket that keys share for which a full table has no place. */
final class Overflow {
  private final Algorithm algorithm;
  private final Bucket bucket;
  private final ReentrantLock lock = new ReentrantLock();
  private final LongAdder uses = new LongAdder();
  private volatile boolean active;
  private boolean retired;
  private volatile @Nullable Overflow predecessor;
  private final Moment takeover;

  /**
   * An overflow bucket that goes on from that of the limits before, if there was one.
   *
   * @param takeover when it does
   */
  Overflow(Algorithm algorithm, @Nullable Overflow predecessor, Moment takeover) {
    this.algorithm = algorithm;
    this.bucket = new Bucket(algorithm.words());
    this.predecessor = predecessor;
    this.takeover = takeover;
  }

  Algorithm algorithm() {
    return algorithm;
  }

  boolean isActive() {
    Overflow old = predecessor;
    return active || (old != null && old.active);
  }

  long uses() {
    return uses.sum();
  }

  /** The bucket, locked for the caller, who is decided by it; null if it has retired. */
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

  /** Takes over from the bucket of the limits before, so that it need not be remembered. */
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
    lock.unlock();
  }

  /** Lets {@code untouched}, of a key that has got its own place, start with a copy of this one. */
  void handDown(Algorithm heir, Bucket untouched, Moment moment) {
    if (!isActive()) {
      return;
    }
    lock.lock();
    try {
      inheritFromPredecessor();
      long now = moment.in(algorithm);
      if (algorithm.isFresh(bucket, now)) {
        active = moment.inMillis(); // a time that a caller gave is over for that caller only
      } else {
        heir.inheritShared(untouched, moment.in(heir), algorithm, now, bucket);
      }
    } finally {
      lock.unlock();
    }
  }
}
