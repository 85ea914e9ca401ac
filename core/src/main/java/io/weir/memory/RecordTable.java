package io.weir.memory;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bucket;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * A table from a key's 64-bit hash to the several words of a bucket, striped by pages with a lock
 * each. Grows and shrinks page by page, like {@link WordTable}. Thread-safe.
 */
final class RecordTable {
  private static final int MAX_USED = 256;

  private static final VarHandle ENTRY = MethodHandles.arrayElementVarHandle(RecordPage[].class);

  private final Algorithm algorithm;
  private final AtomicLong keys = new AtomicLong();
  private final RecordPage.EvictionCheck evictionCheck;
  private volatile RecordPage[] directory;

  RecordTable(
      Algorithm algorithm, RecordPage.EvictionCheck evictionCheck, TableMemory.Part memory) {
    this.algorithm = algorithm;
    this.evictionCheck = evictionCheck;
    this.directory = new RecordPage[] {new RecordPage(algorithm, 0, 0, memory)};
  }

  Algorithm algorithm() {
    return algorithm;
  }

  long keys() {
    return keys.get();
  }

  /** The page of {@code hash}, locked. */
  RecordPage lock(long hash) {
    while (true) {
      RecordPage[] entries = directory;
      RecordPage page = (RecordPage) ENTRY.getAcquire(entries, Hashes.entry(hash, entries.length));
      page.lock();
      if (page.covers(hash)) {
        return page;
      }
      page.unlock();
    }
  }

  /** Adds a key to its locked page. */
  void insert(RecordPage page, long hash, Bucket bucket) {
    page.insert(hash, bucket);
    keys.getAndIncrement();
    if (page.used() > MAX_USED) {
      split(page);
    }
  }

  private void split(RecordPage page) {
    RecordPage half = page.split();
    enter(half);
    half.unlock();
  }

  private synchronized void enter(RecordPage half) {
    RecordPage[] entries = directory;
    if (entries.length >> half.depth() == 0) {
      RecordPage[] twice = new RecordPage[2 * entries.length];
      for (int i = 0; i < twice.length; i++) {
        twice[i] = entries[i / 2];
      }
      entries = twice;
    }
    int from = Hashes.entry(half.prefix(), entries.length);
    int count = entries.length >> half.depth();
    for (int i = 0; i < count; i++) {
      ENTRY.setRelease(entries, from + i, half);
    }
    directory = entries;
  }

  /**
   * Checks the page of one entry of the directory, and compacts it if much of it can be dropped.
   */
  void sweep(int entry, long time, boolean inMillis) {
    RecordPage[] entries = directory;
    RecordPage page = (RecordPage) ENTRY.getAcquire(entries, entry & entries.length - 1);
    page.lock();
    try {
      int needless = page.isRetired() ? 0 : page.needless(evictionCheck, time, inMillis);
      if (needless > 0 && needless >= page.used() / 4) {
        keys.getAndAdd(-page.compact(evictionCheck, time, inMillis));
      }
    } finally {
      page.unlock();
    }
  }

  int entries() {
    return directory.length;
  }

  /** Retires the next page of a walk, and passes each key in some of its slots to the visitor. */
  void retireSome(PageCursor pageCursor, int slots, TableEngine.KeyVisitor visitor) {
    RecordPage page = lock(pageCursor.prefix());
    page.retire();
    page.unlock();
    // The page does not change any more, so it can be read without the lock.
    int end = Math.min(page.capacity(), pageCursor.slot() + slots);
    for (int slot = pageCursor.slot(); slot < end; slot++) {
      if (page.hashAt(slot) != 0) {
        visitor.visit(page.hashAt(slot));
      }
    }
    if (end < page.capacity()) {
      pageCursor.toSlot(end);
    } else {
      pageCursor.beyond(page.depth(), page.prefix());
      page.lock();
      page.forget();
      page.unlock();
    }
  }

  /** Moves on beyond the next page of a walk, unless a bucket in it is a hindrance. */
  boolean look(PageCursor pageCursor, Predicate<Bucket> isHindrance) {
    RecordPage page = lock(pageCursor.prefix());
    try {
      for (int slot = 0; slot < page.capacity(); slot++) {
        if (page.hashAt(slot) != 0 && isHindrance.test(page.bucketAt(slot))) {
          return false;
        }
      }
      pageCursor.beyond(page.depth(), page.prefix());
      return true;
    } finally {
      page.unlock();
    }
  }
}
