package io.weir.memory;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bucket;
import org.jspecify.annotations.Nullable;

/**
 * The engine for several limits, or for one with buckets of several words. It has a table for each
 * limit. A request locks the pages of its key in all tables, in the order of the limits.
 */
final class RecordEngine extends TableEngine {
  private final RecordTable[] tables;

  RecordEngine(Plan plan) {
    super(plan);
    this.tables = new RecordTable[algorithms().length];
    for (int i = 0; i < tables.length; i++) {
      int limit = i;
      tables[i] =
          new RecordTable(
              algorithms()[i],
              (hash, bucket, time, inMillis) -> canDrop(limit, hash, bucket, time, inMillis),
              memory());
    }
  }

  private boolean canDrop(int i, long hash, Bucket bucket, long time, boolean inMillis) {
    Algorithm algorithm = algorithms()[i];
    long now = Moment.in(algorithm, time, inMillis);
    if (keepsAll() || !algorithm.isFresh(bucket, now)) {
      return false;
    }
    return !bequeaths(i, hash)
        || algorithm.isFresh(newBucket(i, hash, new Moment(time, inMillis)), now);
  }

  @Override
  Outcome tryAcquire(long hash, long time, boolean inMillis, long cost) {
    makeRoomIfFull(time, inMillis);
    return descend(0, hash, time, inMillis, cost, true);
  }

  /**
   * Checks limit {@code i} and, with its page still locked, those after it. On the way back it
   * takes from each if all allow, or else records the refusal where it counts.
   */
  private Outcome descend(
      int i, long hash, long time, boolean inMillis, long cost, boolean agreed) {
    RecordTable table = tables[i];
    RecordPage page = table.lock(hash);
    try {
      if (page.isRetired()) {
        return Outcome.RETIRED;
      }
      int slot = page.find(hash);
      if (page.hashAt(slot) != hash) {
        Moment moment = new Moment(time, inMillis);
        return descendNew(i, page, hash, moment, cost, agreed);
      }
      Algorithm algorithm = table.algorithm();
      Bucket bucket = page.bucketAt(slot);
      return decide(i, algorithm, bucket, hash, time, inMillis, cost, agreed);
    } finally {
      page.unlock();
    }
  }

  private Outcome decide(
      int i,
      Algorithm algorithm,
      Bucket bucket,
      long hash,
      long time,
      boolean inMillis,
      long cost,
      boolean agreed) {
    long now = Moment.in(algorithm, time, inMillis);
    mend(algorithm, bucket, now);
    boolean agrees =
        agreed && cost <= algorithm.capacity() && algorithm.waitFor(bucket, now, cost) == 0;
    Outcome outcome =
        i + 1 < tables.length
            ? descend(i + 1, hash, time, inMillis, cost, agrees)
            : agrees ? Outcome.ALLOWED : Outcome.REFUSED;
    if (outcome == Outcome.ALLOWED) {
      algorithm.take(bucket, now, now, cost);
    } else if (outcome == Outcome.REFUSED && algorithm.countsRejected()) {
      algorithm.force(bucket, now, cost);
    }
    return outcome;
  }

  private Outcome descendNew(
      int i, RecordPage page, long hash, Moment moment, long cost, boolean agreed) {
    RecordTable table = tables[i];
    if (isFull(table.keys()) && !hasPast(hash, i)) {
      Overflow shared = overflow(i, hash);
      Bucket bucket = lockOverflow(i, hash, moment);
      if (bucket == null) {
        return Outcome.RETIRED;
      }
      try {
        return decide(
            i, shared.algorithm(), bucket, hash, moment.time(), moment.inMillis(), cost, agreed);
      } finally {
        shared.unlock();
      }
    }
    Bucket bucket = newBucket(i, hash, moment);
    Outcome outcome =
        decide(i, table.algorithm(), bucket, hash, moment.time(), moment.inMillis(), cost, agreed);
    if (outcome != Outcome.RETIRED
        && !table.algorithm().isFresh(bucket, moment.in(table.algorithm()))) {
      table.insert(page, hash, bucket);
    }
    return outcome;
  }

  private Bucket newBucket(int i, long hash, Moment moment) {
    Bucket bucket = new Bucket(algorithms()[i].words());
    inherit(hash, i, bucket, moment);
    return bucket;
  }

  @Override
  <R> @Nullable R edit(long hash, Moment moment, Edit<R> edit) {
    makeRoomIfFull(moment.time(), moment.inMillis());
    Algorithm[] applied = algorithms().clone();
    return edit(0, hash, moment, edit, applied, new Bucket[applied.length]);
  }

  private <R> @Nullable R edit(
      int i, long hash, Moment moment, Edit<R> edit, Algorithm[] applied, Bucket[] buckets) {
    if (i == tables.length) {
      return edit.apply(applied, buckets, moment);
    }
    RecordTable table = tables[i];
    RecordPage page = table.lock(hash);
    try {
      if (page.isRetired()) {
        return null;
      }
      int slot = page.find(hash);
      if (page.hashAt(slot) == hash) {
        buckets[i] = page.bucketAt(slot);
        mend(applied[i], buckets[i], moment.in(applied[i]));
        return edit(i + 1, hash, moment, edit, applied, buckets);
      }
      if (isFull(table.keys()) && !hasPast(hash, i)) {
        return editOverflow(i, hash, moment, edit, applied, buckets);
      }
      Bucket bucket = newBucket(i, hash, moment);
      buckets[i] = bucket;
      R result = edit(i + 1, hash, moment, edit, applied, buckets);
      boolean worthKeeping =
          bequeaths(i, hash) || !table.algorithm().isFresh(bucket, moment.in(table.algorithm()));
      if (result != null && worthKeeping) {
        table.insert(page, hash, bucket);
      }
      return result;
    } finally {
      page.unlock();
    }
  }

  private <R> @Nullable R editOverflow(
      int i, long hash, Moment moment, Edit<R> edit, Algorithm[] applied, Bucket[] buckets) {
    Overflow shared = overflow(i, hash);
    Bucket bucket = lockOverflow(i, hash, moment);
    if (bucket == null) {
      return null;
    }
    try {
      buckets[i] = bucket;
      applied[i] = shared.algorithm();
      return edit(i + 1, hash, moment, edit, applied, buckets);
    } finally {
      shared.unlock();
    }
  }

  /** Called before any page is locked, since a sweep locks others. */
  private void makeRoomIfFull(long time, boolean inMillis) {
    for (RecordTable table : tables) {
      if (isFull(table.keys())) {
        makeRoom(time, inMillis);
        return;
      }
    }
  }

  @Override
  void sweep(int page, long time, boolean inMillis) {
    for (RecordTable table : tables) {
      table.sweep(page, time, inMillis);
    }
  }

  @Override
  int pages() {
    int max = 0;
    for (RecordTable table : tables) {
      max = Math.max(max, table.entries());
    }
    return max;
  }

  @Override
  long keys() {
    long max = 0;
    for (RecordTable table : tables) {
      max = Math.max(max, table.keys());
    }
    return max;
  }

  @Override
  void retire(long hash, int limit, Bucket into) {
    RecordPage page = tables[limit].lock(hash);
    try {
      page.retire();
      int slot = page.find(hash);
      if (page.hashAt(slot) == hash) {
        page.copy(page.bucketAt(slot), into);
      }
    } finally {
      page.unlock();
    }
  }

  @Override
  int tables() {
    return tables.length;
  }

  @Override
  void retireSome(PageCursor pageCursor, int slots, KeyVisitor heir) {
    tables[pageCursor.table()].retireSome(pageCursor, slots, heir);
  }

  @Override
  boolean look(PageCursor pageCursor, Moment moment) {
    RecordTable table = tables[pageCursor.table()];
    long now = moment.in(table.algorithm());
    return table.look(pageCursor, bucket -> table.algorithm().needsRoom(bucket, now));
  }
}
