package io.weir.memory;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bucket;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** The engine for one limit with buckets of one word: no locks, and no writes on refusal. */
final class WordEngine extends TableEngine {
  /** A word of the distant past: fresh, but touched, so that it inherits nothing. */
  private static final long AS_GOOD_AS_NEW = 1;

  private final Algorithm algorithm;
  private final WordTable table = new WordTable(this::canDrop, memory());

  WordEngine(Plan plan) {
    super(plan);
    this.algorithm = algorithms()[0];
  }

  @Override
  Outcome tryAcquire(long hash, long time, boolean inMillis, long cost) {
    long now = Moment.in(algorithm, time, inMillis);
    WordPage page = table.page(hash);
    while (true) {
      int slot = page.find(hash);
      if (slot >= 0) {
        long stored = page.storedAt(slot);
        if (!WordPage.isFrozen(stored)) {
          long word =
              stored == 0 && bequeaths(0, hash)
                  ? inherited(hash, new Moment(time, inMillis))
                  : stored;
          long after = algorithm.take(word, now, cost);
          if (after == Algorithm.REFUSED) {
            return Outcome.REFUSED;
          }
          boolean isAstray = after == Algorithm.ASTRAY;
          long changed = isAstray ? mended(word, now) : after;
          if (isAstray && changed == word) { // it need not be mended
            return Outcome.REFUSED;
          }
          if (page.casStored(slot, stored, changed) && !isAstray) {
            return Outcome.ALLOWED;
          }
          continue;
        }
      } else if (page.isFree(~slot)) {
        if (isFull(hash, time, inMillis)) {
          Outcome outcome = tryOverflow(page, hash, new Moment(time, inMillis), cost);
          if (outcome != null) {
            return outcome;
          }
          continue;
        }
        if (!page.isFull()) {
          table.claim(page, ~slot, hash);
          continue;
        }
      }
      WordPage successor = table.successor(page, hash, time, inMillis);
      if (successor == null) {
        return Outcome.RETIRED;
      }
      page = successor;
    }
  }

  @Override
  Outcome tryAcquire(HotKey hot, long time, long cost) {
    if (!hot.isPlacedBy(this)) {
      return Outcome.RETIRED;
    }
    long now = algorithm.at(time);
    long word = hot.storedWord();
    while (word > 0) { // in use, and neither frozen nor, see below, astray
      long after = algorithm.take(word, now, cost);
      if (after == Algorithm.REFUSED) {
        return Outcome.REFUSED;
      }
      if (after == Algorithm.ASTRAY) {
        break;
      }
      if (hot.casWord(word, after)) {
        return Outcome.ALLOWED;
      }
      word = hot.storedWord();
    }
    return Outcome.RETIRED;
  }

  @Override
  HotKey placed(HotKey hot) {
    long hash = hot.hash();
    WordPage page = table.page(hash);
    int slot = page.find(hash);
    return slot >= 0 ? page.place(hot, this, slot) : hot;
  }

  private long mended(long word, long now) {
    Bucket bucket = new Bucket(1);
    bucket.word(0, word);
    mend(algorithm, bucket, now);
    return bucket.word(0);
  }

  private long inherited(long hash, Moment moment) {
    Bucket bucket = new Bucket(1);
    inherit(hash, 0, bucket, moment);
    return bucket.word(0);
  }

  @Override
  <R> @Nullable R edit(long hash, Moment moment, Edit<R> edit) {
    long now = moment.in(algorithm);
    Bucket bucket = new Bucket(1);
    Bucket[] buckets = {bucket};
    WordPage page = table.page(hash);
    while (true) {
      int slot = page.find(hash);
      boolean found = slot >= 0;
      long stored = found ? page.storedAt(slot) : 0;
      boolean settled = found ? !WordPage.isFrozen(stored) : page.isFree(~slot);
      if (settled && !found && isFull(hash, moment.time(), moment.inMillis())) {
        Bucket shared = lockOverflow(0, hash, moment);
        if (shared == null) {
          return null;
        }
        try {
          if (isStranger(page, hash)) {
            return edit.apply(
                new Algorithm[] {overflow(0, hash).algorithm()}, new Bucket[] {shared}, moment);
          }
        } finally {
          overflow(0, hash).unlock();
        }
        continue;
      }
      if (settled) {
        long word = stored == 0 && bequeaths(0, hash) ? inherited(hash, moment) : stored;
        bucket.word(0, word);
        mend(algorithm, bucket, now);
        R result = edit.apply(algorithms(), buckets, moment);
        long after = bucket.word(0) == 0 && word != 0 ? AS_GOOD_AS_NEW : bucket.word(0);
        if (after == stored) {
          return result;
        }
        if (found) {
          if (page.casStored(slot, stored, after)) {
            return result;
          }
          continue;
        }
        if (!page.isFull()) {
          table.claim(page, ~slot, hash);
          continue;
        }
      }
      WordPage successor = table.successor(page, hash, moment.time(), moment.inMillis());
      if (successor == null) {
        return null;
      }
      page = successor;
    }
  }

  /** Decides by the overflow bucket; null if the key has got a place meanwhile. */
  private @Nullable Outcome tryOverflow(WordPage page, long hash, Moment moment, long cost) {
    Overflow shared = overflow(0, hash);
    Algorithm ofShared = shared.algorithm();
    Bucket bucket = lockOverflow(0, hash, moment);
    if (bucket == null) {
      return Outcome.RETIRED;
    }
    try {
      if (!isStranger(page, hash)) {
        return null;
      }
      long now = moment.in(ofShared);
      if (cost > ofShared.capacity() || ofShared.waitFor(bucket, now, cost) > 0) {
        return Outcome.REFUSED;
      }
      ofShared.take(bucket, now, now, cost);
      return Outcome.ALLOWED;
    } finally {
      shared.unlock();
    }
  }

  /**
   * Whether the key still has no place; called with the overflow bucket locked. A thread that makes
   * a place for the key from now on finds that bucket active, and continues from its state.
   */
  private static boolean isStranger(WordPage page, long hash) {
    VarHandle.fullFence(); // mark the bucket active before looking for the key
    int slot = page.find(hash);
    return slot < 0 && page.isFree(~slot);
  }

  private boolean isFull(long hash, long time, boolean inMillis) {
    if (isFull(table.keys())) {
      makeRoom(time, inMillis);
    }
    return isFull(table.keys()) && !hasPast(hash, 0);
  }

  @Override
  void sweep(int page, long time, boolean inMillis) {
    table.sweep(page, time, inMillis);
  }

  @Override
  int pages() {
    return table.entries();
  }

  private boolean canDrop(long hash, long word, long time, boolean inMillis) {
    if (word == 0 || keepsAll()) {
      return word == 0;
    }
    return algorithm.isFresh(word, Moment.in(algorithm, time, inMillis))
        && !(bequeaths(0, hash) && inherited(hash, new Moment(time, inMillis)) != 0);
  }

  @Override
  long keys() {
    return table.keys();
  }

  @Override
  void retire(long hash, int limit, Bucket into) {
    into.word(0, WordTable.retiredWord(table.retire(hash), hash));
  }

  @Override
  int tables() {
    return 1;
  }

  @Override
  void retireSome(PageCursor pageCursor, int slots, KeyVisitor heir) {
    table.retireSome(pageCursor, slots, heir);
  }

  @Override
  boolean look(PageCursor pageCursor, Moment moment) {
    long now = moment.in(algorithm);
    Bucket bucket = new Bucket(1);
    return table.look(
        pageCursor,
        word -> {
          bucket.word(0, word);
          return algorithm.needsRoom(bucket, now);
        });
  }
}
