package io.weir.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A piece of a {@link WordTable}: slots of a key's hash and its word, found by linear probing.
 * Thread-safe and lock-free.
 *
 * <p>Slots are claimed by a CAS on the hash and changed by a CAS on the word. A slot never changes
 * its key, and a page never changes its size. To grow, shrink or drop keys, a page is frozen slot
 * by slot and its heirs replace it. Any thread that meets a frozen slot can do that work, so no
 * thread waits for another.
 */
final class WordPage {
  /** Instead of a hash: a free slot. */
  static final long EMPTY = 0;

  /** Instead of a hash: a slot that is free and can no longer be claimed. */
  static final long SEALED = 1;

  private static final int OBJECT_BYTES = 72; // and of its array, and its entry in the directory
  private static final long FROZEN = Long.MIN_VALUE;

  /** Instead of heirs: the table has retired. */
  static final WordPage[] GONE = {};

  private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);
  private static final VarHandle HEIRS;
  private static final VarHandle USED;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      HEIRS = lookup.findVarHandle(WordPage.class, "heirs", WordPage[].class);
      USED = lookup.findVarHandle(WordPage.class, "used", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final long[] slots;
  private final int capacity;
  private final int maxUsed;
  private final int depth;
  private final long prefix;

  @SuppressWarnings("unused") // through USED
  private volatile int used;

  private volatile WordPage @Nullable [] heirs;

  /**
   * A page for the keys that share the first {@code depth} bits of {@code prefix}.
   *
   * @param maxUsed how many slots may be claimed before the page is to be replaced
   */
  WordPage(int capacity, int maxUsed, int depth, long prefix) {
    this.slots = new long[2 * capacity];
    this.capacity = capacity;
    this.maxUsed = maxUsed;
    this.depth = depth;
    this.prefix = prefix;
  }

  /** An empty page of a table that has retired; replaces a larger one. */
  static WordPage gone(int depth, long prefix) {
    WordPage page = new WordPage(1, 0, depth, prefix);
    page.freeze();
    page.nameHeirs(GONE);
    return page;
  }

  int capacity() {
    return capacity;
  }

  /** About how many bytes of heap it takes. */
  long bytes() {
    return OBJECT_BYTES + (long) Long.BYTES * slots.length;
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

  boolean isFull() {
    return used >= maxUsed;
  }

  /**
   * The slot of {@code hash}, or {@code ~} the free or sealed one where the search for it ended.
   */
  int find(long hash) {
    long[] array = slots;
    int slot = Hashes.slot(hash, capacity);
    while (true) {
      long there = (long) ELEMENT.getOpaque(array, 2 * slot);
      if (there == hash) {
        return slot;
      }
      if ((there & ~SEALED) == EMPTY) {
        return ~slot;
      }
      if (++slot == capacity) {
        slot = 0;
      }
    }
  }

  long hashAt(int slot) {
    return (long) ELEMENT.getOpaque(slots, 2 * slot);
  }

  boolean isFree(int slot) {
    return hashAt(slot) == EMPTY;
  }

  /** The word of a slot, negative if it is frozen. */
  long storedAt(int slot) {
    return storedAt(slots, 2 * slot + 1);
  }

  boolean casStored(int slot, long expected, long stored) {
    return casStored(slots, 2 * slot + 1, expected, stored);
  }

  static long storedAt(long[] slots, int at) {
    return (long) ELEMENT.getAcquire(slots, at);
  }

  static boolean casStored(long[] slots, int at, long expected, long stored) {
    return ELEMENT.compareAndSet(slots, at, expected, stored);
  }

  /** A hot key that has its slot in this page. */
  HotKey place(HotKey hot, TableEngine tableEngine, int slot) {
    return hot.in(tableEngine, slots, 2 * slot + 1);
  }

  static boolean isFrozen(long stored) {
    return stored < 0;
  }

  static long word(long stored) {
    return stored & ~FROZEN;
  }

  /** Claims a free slot for {@code hash}, unless the page is full or another thread was faster. */
  boolean claim(int slot, long hash) {
    // Counted before it is claimed: a search ends at a free slot, so there must always be one.
    if ((int) USED.getAndAdd(this, 1) < maxUsed
        && ELEMENT.compareAndSet(slots, 2 * slot, EMPTY, hash)) {
      return true;
    }
    USED.getAndAdd(this, -1);
    return false;
  }

  /** Puts a key into a page that no other thread can see yet. */
  void put(long hash, long word) {
    int slot = ~find(hash);
    slots[2 * slot] = hash;
    slots[2 * slot + 1] = word;
    USED.set(this, (int) USED.get(this) + 1);
  }

  /** Freezes all slots; afterwards nothing in this page changes. */
  void freeze() {
    for (int slot = 0; slot < capacity; slot++) {
      if (hashAt(slot) == EMPTY) {
        ELEMENT.compareAndSet(slots, 2 * slot, EMPTY, SEALED);
      }
      long stored = storedAt(slot);
      while (!isFrozen(stored) && !casStored(slot, stored, stored | FROZEN)) {
        stored = storedAt(slot);
      }
    }
  }

  /** The pages that have replaced this one, if any have. */
  WordPage @Nullable [] heirs() {
    return heirs;
  }

  /** Sets the heirs of a frozen page unless it has some; returns those that it has. */
  WordPage[] nameHeirs(WordPage... proposed) {
    HEIRS.compareAndSet(this, (WordPage[]) null, proposed);
    WordPage[] named = heirs;
    return named == null ? proposed : named;
  }
}
