package io.weir.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A table from a key's 64-bit hash to one word, without locks and without an object for each key.
 * Thread-safe.
 *
 * <p>Sixteen bytes a slot, filled to between 65 and 82 percent: 20 to 25 bytes a live key. A lookup
 * touches the directory and the page's header, which stay in the processor's caches, and one line
 * of slots.
 */
final class WordTable {
  /*
   * Extendible hashing. The first bits of a hash choose an entry of the directory, which refers to
   * a page. The last bits choose the slot where the search begins.
   *
   *     directory     00 ---> page 00    8 hashes that start with 00
   *                   01 ---> page 01
   *                   10 ---> page 1     covers both entries
   *                   11 ---'
   *
   * A full page is replaced, after keys with nothing spent are dropped, by one that is larger by a
   * quarter. A page of the largest size is replaced by two halves, for which the directory doubles
   * if necessary. So growth is a few thousand steps of some 70 microseconds each instead of one of
   * a second, and memory closely follows the number of keys.
   *
   * The page itself has the authoritative reference to its replacements (its heirs). Directory
   * entries are only a hint, corrected by any thread that finds one out of date. That is why
   * nothing here needs a lock.
   */

  static final int LARGEST_PAGE = 2048;
  private static final int SMALLEST_PAGE = 8;
  private static final int FULL_PERCENT = 82;
  private static final int FRESH_PERCENT = 65;
  private static final int MAX_LIVE = LARGEST_PAGE * FULL_PERCENT / 100;

  private static final VarHandle ENTRY = MethodHandles.arrayElementVarHandle(WordPage[].class);

  private static final VarHandle DIRECTORY;

  static {
    try {
      DIRECTORY =
          MethodHandles.lookup().findVarHandle(WordTable.class, "directory", WordPage[].class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile WordPage[] directory = {emptyPage(0, 0, 0)};
  private final AtomicLong keys = new AtomicLong();
  private final EvictionCheck evictionCheck;
  private final TableMemory.Part memory;

  /** Decides which keys can be dropped at a moment, the time of the current request. */
  interface EvictionCheck {
    boolean canDrop(long hash, long word, long time, boolean inMillis);
  }

  WordTable(EvictionCheck evictionCheck, TableMemory.Part memory) {
    this.evictionCheck = evictionCheck;
    this.memory = memory;
    memory.add(directory[0].bytes());
  }

  long keys() {
    return keys.get();
  }

  /** The page to look for {@code hash} in; frozen if it is out of date. */
  WordPage page(long hash) {
    WordPage[] entries = directory;
    return (WordPage) ENTRY.getAcquire(entries, Hashes.entry(hash, entries.length));
  }

  /** Claims a slot for a key, which then starts untouched. */
  boolean claim(WordPage page, int slot, long hash) {
    if (page.claim(slot, hash)) {
      keys.getAndIncrement();
      return true;
    }
    return false;
  }

  /** The page that has replaced {@code page} for {@code hash}; null if the table has retired. */
  @Nullable WordPage successor(WordPage page, long hash, long time, boolean inMillis) {
    WordPage[] heirs = page.heirs();
    if (heirs == null) {
      heirs = replace(page, time, inMillis);
    }
    if (heirs == WordPage.GONE) {
      return null;
    }
    point(page, heirs);
    return heirs.length == 1 ? heirs[0] : heirs[bit(hash, page.depth())];
  }

  private static int bit(long hash, int depth) {
    return (int) (hash >>> 63 - depth & 1);
  }

  /** Freezes a page and builds new pages from the keys to keep. */
  private WordPage[] replace(WordPage page, long time, boolean inMillis) {
    page.freeze();
    long[] hashes = new long[page.used()];
    long[] words = new long[page.used()];
    int live = 0;
    for (int slot = 0; slot < page.capacity(); slot++) {
      long hash = page.hashAt(slot);
      long word = WordPage.word(page.storedAt(slot));
      if ((hash & ~WordPage.SEALED) != 0
          && word != 0
          && !evictionCheck.canDrop(hash, word, time, inMillis)) {
        if (live == hashes.length) {
          hashes = Arrays.copyOf(hashes, live + 8);
          words = Arrays.copyOf(words, live + 8);
        }
        hashes[live] = hash;
        words[live++] = word;
      }
    }
    WordPage[] proposed = heirs(page, hashes, words, live);
    WordPage[] named = page.nameHeirs(proposed);
    if (named == proposed) {
      keys.getAndAdd(live - (long) claimed(page));
      memory.add(proposed[0].bytes() - page.bytes());
      if (proposed.length > 1) {
        memory.add(proposed[1].bytes());
      }
    }
    return named;
  }

  private static int claimed(WordPage frozen) {
    int claimed = 0;
    for (int slot = 0; slot < frozen.capacity(); slot++) {
      if ((frozen.hashAt(slot) & ~WordPage.SEALED) != 0) {
        claimed++;
      }
    }
    return claimed;
  }

  private static WordPage[] heirs(WordPage page, long[] hashes, long[] words, int live) {
    if (live < MAX_LIVE) {
      WordPage heir = emptyPage(live, page.depth(), page.prefix());
      for (int i = 0; i < live; i++) {
        heir.put(hashes[i], words[i]);
      }
      return new WordPage[] {heir};
    }
    int depth = page.depth();
    int ones = 0;
    for (int i = 0; i < live; i++) {
      ones += bit(hashes[i], depth);
    }
    WordPage[] halves = {
      emptyPage(live - ones, depth + 1, page.prefix()),
      emptyPage(ones, depth + 1, page.prefix() | 1L << 63 - depth)
    };
    for (int i = 0; i < live; i++) {
      halves[bit(hashes[i], depth)].put(hashes[i], words[i]);
    }
    return halves;
  }

  private static WordPage emptyPage(int live, int depth, long prefix) {
    int capacity = Math.max(SMALLEST_PAGE, live * 100 / FRESH_PERCENT);
    return new WordPage(capacity, capacity * FULL_PERCENT / 100, depth, prefix);
  }

  /** Points the directory to the heirs of {@code page} wherever it points to the page. */
  private void point(WordPage page, WordPage[] heirs) {
    WordPage[] entries = directory;
    while (entries.length >> heirs[0].depth() == 0) {
      WordPage[] twice = new WordPage[2 * entries.length];
      for (int i = 0; i < twice.length; i++) {
        twice[i] = (WordPage) ENTRY.getAcquire(entries, i / 2);
      }
      DIRECTORY.compareAndSet(this, entries, twice);
      entries = directory;
    }
    int from = Hashes.entry(page.prefix(), entries.length);
    int count = entries.length >> page.depth();
    for (int i = 0; i < count; i++) {
      WordPage heir = heirs[heirs.length == 1 || i < count / 2 ? 0 : 1];
      ENTRY.compareAndSet(entries, from + i, page, heir);
    }
  }

  /**
   * Checks the page of one entry of the directory, and replaces it if most of it can be dropped.
   */
  void sweep(int entry, long time, boolean inMillis) {
    WordPage[] entries = directory;
    WordPage page = (WordPage) ENTRY.getAcquire(entries, entry & entries.length - 1);
    int needless = 0;
    for (int slot = 0; slot < page.capacity(); slot++) {
      long hash = page.hashAt(slot);
      if ((hash & ~WordPage.SEALED) != 0) {
        long stored = page.storedAt(slot);
        if (!WordPage.isFrozen(stored) && evictionCheck.canDrop(hash, stored, time, inMillis)) {
          needless++;
        }
      }
    }
    boolean isOutOfDate = page.heirs() != null; // then the directory is corrected
    if (isOutOfDate || (needless > 0 && needless >= page.used() / 4)) {
      successor(page, page.prefix(), time, inMillis);
    }
  }

  int entries() {
    return directory.length;
  }

  /** Retires the page of {@code hash}, so that nothing in it changes any more. */
  WordPage retire(long hash) {
    WordPage page = page(hash);
    while (true) {
      WordPage[] heirs = page.heirs();
      if (heirs == null) {
        page.freeze();
        heirs = page.nameHeirs(WordPage.GONE);
      }
      if (heirs == WordPage.GONE) {
        return page;
      }
      page = heirs.length == 1 ? heirs[0] : heirs[bit(hash, page.depth())];
    }
  }

  /** The word of a key in a page that has retired; zero if it has none. */
  static long retiredWord(WordPage page, long hash) {
    int slot = page.find(hash);
    return slot >= 0 ? WordPage.word(page.storedAt(slot)) : 0;
  }

  /**
   * Retires the next page of a walk, and passes each key that has a word in some of its slots to
   * the visitor.
   */
  void retireSome(PageCursor pageCursor, int slots, TableEngine.KeyVisitor visitor) {
    WordPage page = retire(pageCursor.prefix());
    int end = Math.min(page.capacity(), pageCursor.slot() + slots);
    for (int slot = pageCursor.slot(); slot < end; slot++) {
      long hash = page.hashAt(slot);
      if ((hash & ~WordPage.SEALED) != 0 && WordPage.word(page.storedAt(slot)) != 0) {
        visitor.visit(hash);
      }
    }
    if (end < page.capacity()) {
      pageCursor.toSlot(end);
    } else {
      forget(page);
      pageCursor.beyond(page.depth(), page.prefix());
    }
  }

  /** Releases a retired page, once its keys are kept in another engine. */
  private void forget(WordPage page) {
    WordPage[] entries = directory;
    int count = entries.length >> page.depth();
    if (count > 0) { // else the page is half of what the entry still refers to
      WordPage gone = WordPage.gone(page.depth(), page.prefix());
      int from = Hashes.entry(page.prefix(), entries.length);
      for (int i = 0; i < count; i++) {
        ENTRY.setRelease(entries, from + i, gone);
      }
      memory.add(-page.bytes());
    }
  }

  /** Moves on beyond the next page of a walk, unless a word in it is a hindrance. */
  boolean look(PageCursor pageCursor, LongPredicate isHindrance) {
    WordPage page = page(pageCursor.prefix());
    WordPage[] heirs = page.heirs();
    while (heirs != null && heirs != WordPage.GONE) {
      page = heirs.length == 1 ? heirs[0] : heirs[bit(pageCursor.prefix(), page.depth())];
      heirs = page.heirs();
    }
    for (int slot = 0; slot < page.capacity(); slot++) {
      if ((page.hashAt(slot) & ~WordPage.SEALED) != 0
          && isHindrance.test(WordPage.word(page.storedAt(slot)))) {
        return false;
      }
    }
    pageCursor.beyond(page.depth(), page.prefix());
    return true;
  }
}
