package io.weir.memory;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The share of the heap that all key tables of this process may take together.
 *
 * <p>Thread-safe. Counted page by page, so a request for a known key does not touch it.
 */
final class TableMemory {
  /*
   * A table accepts no more new keys once it is larger than MAX_OF_FREE times what is still free.
   * A single flooded table thus ends at 8/9 of the share, two at 8/17 each, and a small table
   * always finds room: a flood on one rule does not keep new keys out of the others.
   *
   *      share        free when one table is full   its size
   *      21.3 MiB     2.4 MiB                        19 MiB, about 850,000 token buckets
   */

  private static final int SHARE_OF_HEAP = 3;
  private static final int MAX_OF_FREE = 8;

  static final TableMemory SHARED =
      new TableMemory(Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);

  private final long share;
  private final AtomicLong used = new AtomicLong();
  private final ReferenceQueue<TableEngine> collected = new ReferenceQueue<>();
  private final List<Registration> engines = new ArrayList<>(); // guarded by itself
  private final AtomicInteger turns = new AtomicInteger();

  TableMemory(long shareInBytes) {
    this.share = shareInBytes;
  }

  /** The most bytes of all tables together. */
  long share() {
    return share;
  }

  /** The bytes of all tables together. */
  long used() {
    return used.get();
  }

  /** The bytes that are left. */
  long free() {
    return share - used.get();
  }

  /** Whether more than half is used: then tables without requests are swept too. */
  boolean isScarce() {
    return free() < share / 2;
  }

  /** Whether nothing is left: then logs of known keys also stop growing. */
  boolean isUsedUp() {
    return free() <= 0;
  }

  /** Counts {@code part}, at the latest until {@code engine} is collected. */
  void register(TableEngine tableEngine, Part part) {
    synchronized (engines) {
      engines.add(new Registration(tableEngine, part, collected));
    }
    reap();
  }

  /** One of the engines in use, in rotation; null if the next one in turn was collected. */
  @Nullable TableEngine next() {
    reap();
    synchronized (engines) {
      return engines.isEmpty()
          ? null
          : engines.get(Math.floorMod(turns.getAndIncrement(), engines.size())).get();
    }
  }

  private void reap() {
    Reference<? extends TableEngine> gone = collected.poll();
    while (gone != null) {
      Registration registration = (Registration) gone;
      registration.part.close();
      synchronized (engines) {
        engines.remove(registration);
      }
      gone = collected.poll();
    }
  }

  /** The bytes of one engine's tables. */
  static final class Part {
    private final TableMemory whole;
    private final AtomicLong bytes = new AtomicLong();
    private volatile boolean closed;

    Part(TableMemory whole) {
      this.whole = whole;
    }

    TableMemory whole() {
      return whole;
    }

    void add(long more) {
      if (!closed) {
        bytes.addAndGet(more);
        whole.used.addAndGet(more);
      }
    }

    /** Whether new keys do not get a place of their own. */
    boolean isFull() {
      return bytes.get() > MAX_OF_FREE * whole.free();
    }

    /** Gives all bytes back, because the tables are not in use any more. */
    void close() {
      closed = true;
      whole.used.addAndGet(-bytes.getAndSet(0));
    }
  }

  /** An engine that may be collected, and the memory that is given back then. */
  private static final class Registration extends WeakReference<TableEngine> {
    private final Part part;

    Registration(TableEngine tableEngine, Part part, ReferenceQueue<TableEngine> queue) {
      super(tableEngine, queue);
      this.part = part;
    }
  }
}
