package io.weir.memory;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bucket;
import io.weir.algorithm.SlidingLog;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A piece of a {@link RecordTable}: slots of a key's hash and some words, and a heap for logs, all
 * under one lock.
 */
final class RecordPage implements Bucket.Heap {
  private static final int SMALLEST = 4;
  private static final int FULL_PERCENT = 85;
  private static final int FRESH_PERCENT = 70;
  private static final int SPINS = 100;
  private static final int OBJECT_BYTES = 200; // with its cursors and the headers of its arrays

  private static final VarHandle LOCKED;

  static {
    try {
      LOCKED = MethodHandles.lookup().findVarHandle(RecordPage.class, "locked", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Algorithm algorithm;
  private final int stride;
  private final TableMemory.Part memory;
  private final Bucket cursor = new Bucket(this);
  private final Bucket other = new Bucket(this);

  @SuppressWarnings("unused") // through LOCKED
  private boolean locked;

  private int depth;
  private long prefix;
  private boolean retired;
  private long[] slots;
  private int used;
  private int[] heap = {};
  private int heapUsed;
  private long counted;

  RecordPage(Algorithm algorithm, int depth, long prefix, TableMemory.Part memory) {
    this.algorithm = algorithm;
    this.memory = memory;
    this.stride = 1 + algorithm.words();
    this.depth = depth;
    this.prefix = prefix;
    this.slots = new long[SMALLEST * stride];
    account();
  }

  /** Counts about how much heap it takes; called after each change of that. */
  private void account() {
    long bytes =
        OBJECT_BYTES + (long) Long.BYTES * slots.length + (long) Integer.BYTES * heap.length;
    memory.add(bytes - counted);
    counted = bytes;
  }

  /**
   * Waits for the lock, which is held for well under a microsecond unless its holder is preempted.
   */
  @SuppressWarnings("ThreadPriorityCheck") // yields to that holder
  void lock() {
    int spins = 0;
    while ((boolean) LOCKED.getOpaque(this) || !LOCKED.compareAndSet(this, false, true)) {
      if (++spins < SPINS) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
  }

  void unlock() {
    LOCKED.setRelease(this, false);
  }

  // The methods below are called with the lock held.

  boolean covers(long hash) {
    return (hash ^ prefix) >>> 1 >>> 63 - depth == 0;
  }

  int depth() {
    return depth;
  }

  long prefix() {
    return prefix;
  }

  int used() {
    return used;
  }

  boolean isRetired() {
    return retired;
  }

  void retire() {
    retired = true;
  }

  /** Releases the keys in a retired page, once they are kept in another engine. */
  void forget() {
    slots = new long[stride];
    heap = new int[0];
    heapUsed = 0;
    used = 0;
    forgetFormerSlots();
    account();
  }

  int capacity() {
    return slots.length / stride;
  }

  long hashAt(int slot) {
    return slots[slot * stride];
  }

  /** The bucket in a slot; valid until the next call. */
  Bucket bucketAt(int slot) {
    return cursor.moveTo(slots, slot * stride + 1);
  }

  /** The slot of {@code hash}, or the free one where the search for it ended. */
  int find(long hash) {
    int capacity = capacity();
    int slot = Hashes.slot(hash, capacity);
    while (hashAt(slot) != hash && hashAt(slot) != 0) {
      if (++slot == capacity) {
        slot = 0;
      }
    }
    return slot;
  }

  /** A new slot for {@code hash}, with a copy of {@code bucket}. */
  void insert(long hash, Bucket bucket) {
    if (used + 1 > capacity() * FULL_PERCENT / 100) {
      resize(used + 1);
    }
    int slot = find(hash);
    slots[slot * stride] = hash;
    used++;
    copy(bucket, cursor.moveTo(slots, slot * stride + 1));
  }

  void copy(Bucket from, Bucket into) {
    if (algorithm instanceof SlidingLog log) {
      log.copy(from, into);
    } else {
      for (int i = 0; i < algorithm.words(); i++) {
        into.word(i, from.word(i));
      }
    }
  }

  /** Makes room for {@code keys}, or gives up room that they do not need. */
  private void resize(int keys) {
    long[] before = slots;
    slots = new long[Math.max(SMALLEST, keys * 100 / FRESH_PERCENT + 1) * stride];
    for (int at = 0; at < before.length; at += stride) {
      if (before[at] != 0) {
        System.arraycopy(before, at, slots, find(before[at]) * stride, stride);
      }
    }
    forgetFormerSlots();
    account();
  }

  /** Moves the cursor off a former array, which it would keep from being collected. */
  private void forgetFormerSlots() {
    cursor.moveTo(slots, 0);
    other.moveTo(slots, 0);
  }

  /** How many keys can be dropped. */
  int needless(EvictionCheck evictionCheck, long time, boolean inMillis) {
    int needless = 0;
    for (int slot = 0; slot < capacity(); slot++) {
      if (hashAt(slot) != 0
          && evictionCheck.canDrop(
              hashAt(slot), other.moveTo(slots, slot * stride + 1), time, inMillis)) {
        needless++;
      }
    }
    return needless;
  }

  /** Drops what can be dropped and compacts the rest; returns how many were dropped. */
  int compact(EvictionCheck evictionCheck, long time, boolean inMillis) {
    int before = used;
    moveTo(this, (hash, bucket) -> !evictionCheck.canDrop(hash, bucket, time, inMillis));
    return before - used;
  }

  /** Gives half of the keys, by the next bit of their hash, to a new page. */
  RecordPage split() {
    depth++;
    RecordPage half = new RecordPage(algorithm, depth, prefix | 1L << 64 - depth, memory);
    half.lock();
    moveTo(half, (hash, bucket) -> half.covers(hash));
    moveTo(this, (hash, bucket) -> covers(hash));
    return half;
  }

  private void moveTo(RecordPage page, Keep keep) {
    long[] from = slots;
    int[] fromHeap = heap;
    Bucket source = new Bucket(new Snapshot(fromHeap));
    int kept = 0;
    int heapNeed = 0;
    boolean[] keeps = new boolean[from.length / stride];
    for (int slot = 0; slot < keeps.length; slot++) {
      long hash = from[slot * stride];
      source.moveTo(from, slot * stride + 1);
      if (hash != 0 && keep.keep(hash, source)) {
        keeps[slot] = true;
        kept++;
        heapNeed += algorithm instanceof SlidingLog ? SlidingLog.regionLength(source) : 0;
      }
    }
    page.heap = new int[heapNeed];
    page.heapUsed = 0;
    page.used = 0;
    page.slots = new long[Math.max(SMALLEST, kept * 100 / FRESH_PERCENT + 1) * stride];
    for (int slot = 0; slot < keeps.length; slot++) {
      if (keeps[slot]) {
        page.insert(from[slot * stride], source.moveTo(from, slot * stride + 1));
      }
    }
    page.forgetFormerSlots();
    page.account();
  }

  @Override
  public boolean mayGrow() {
    return !memory.whole().isUsedUp();
  }

  @Override
  public int[] ints() {
    return heap;
  }

  @Override
  public int allocate(int length) {
    if (heapUsed + length > heap.length) {
      collect(length);
    }
    int start = heapUsed;
    heapUsed += length;
    return start;
  }

  /** Compacts the regions in use into a heap with room for {@code more} ints. */
  private void collect(int more) {
    int live = 0;
    for (int slot = 0; slot < capacity(); slot++) {
      live +=
          hashAt(slot) == 0 ? 0 : SlidingLog.regionLength(other.moveTo(slots, slot * stride + 1));
    }
    int[] before = heap;
    heap = new int[(live + more) + (live + more >> 3)];
    heapUsed = 0;
    for (int slot = 0; slot < capacity(); slot++) {
      if (hashAt(slot) != 0) {
        Bucket bucket = other.moveTo(slots, slot * stride + 1);
        int length = SlidingLog.regionLength(bucket);
        System.arraycopy(before, SlidingLog.region(bucket), heap, heapUsed, length);
        SlidingLog.moveRegion(bucket, heapUsed);
        heapUsed += length;
      }
    }
    account();
  }

  /** Decides which keys can be dropped at a moment, the time of the current request. */
  interface EvictionCheck {
    boolean canDrop(long hash, Bucket bucket, long time, boolean inMillis);
  }

  private interface Keep {
    boolean keep(long hash, Bucket bucket);
  }

  /** A heap that is only read. */
  @SuppressWarnings("ArrayRecordComponent") // heaps are never compared
  private record Snapshot(int[] ints) implements Bucket.Heap {
    @Override
    public int allocate(int length) {
      throw new IllegalStateException("a snapshot does not change");
    }
  }
}
