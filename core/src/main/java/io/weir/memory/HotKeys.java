package io.weir.memory;

import org.jspecify.annotations.Nullable;

/**
 * The hashes of a few keys that are asked for again and again, where that is most of the traffic: a
 * look here costs a third of hashing them anew. Bounded, and right whatever races happen on it.
 */
final class HotKeys {
  /*
   * A small table, found by the string's own hash code, which costs less than a keyed hash and may be
   * known to attackers: all they can do with it is miss. An entry is never changed, only replaced.
   *
   * A miss costs half as much as it saves, and a mixture of both most, because the processor cannot
   * guess the next. So one call in 64 is a sample: it keeps account of how many would have been hits,
   * and the table is used while nearly all are. Only samples make entries, of keys that miss twice in
   * a row at their place: a flood of keys that come once drives out nobody.
   *
   * All fields are read and written without order between threads. What can come of that is an entry
   * that is seen late or an account that is a little off.
   */

  private static final int PLACES = 512;
  private static final int LONGEST = 256;
  private static final long SPREAD = 0x9E3779B97F4A7C15L;
  private static final int SAMPLE_BITS = 6;
  private static final int ALL_HITS = 1 << 16;
  private static final int ENOUGH_HITS = ALL_HITS / 100 * 85;

  private final KeyHash keyHash;
  private final int[] candidates = new int[PLACES];
  private final @Nullable Entry[] entries = new Entry[PLACES];
  private int hits; // of the latest samples, as a moving average
  private boolean isWorthIt;

  HotKeys(KeyHash keyHash) {
    this.keyHash = keyHash;
  }

  /**
   * The keyed hash of {@code key}.
   *
   * @param dice anything that changes from call to call, such as the time
   */
  long hash(String key, long dice) {
    if (dice * SPREAD >>> Long.SIZE - SAMPLE_BITS == 0) {
      return sample(key);
    }
    if (isWorthIt) {
      int code = key.hashCode();
      Entry entry = entries[place(code)];
      if (entry != null && entry.is(key, code)) {
        return entry.hash;
      }
    }
    return keyHash.of(key);
  }

  private static int place(int code) {
    return (code ^ code >>> 16) & PLACES - 1;
  }

  private long sample(String key) {
    int code = key.hashCode();
    int place = place(code);
    Entry entry = entries[place];
    boolean hit = entry != null && entry.is(key, code);
    long hash = hit ? entry.hash : keyHash.of(key);
    account(hit);
    if (!hit && key.length() <= LONGEST) {
      if (candidates[place] == code) {
        entries[place] = new Entry(key, code, hash);
      }
      candidates[place] = code;
    }
    return hash;
  }

  /** Writes only what changes: all threads read these fields on every call. */
  private void account(boolean hit) {
    int change = ((hit ? ALL_HITS : 0) - hits) / 64;
    if (change != 0) {
      hits += change;
      boolean enough = hits > ENOUGH_HITS;
      if (isWorthIt != enough) {
        isWorthIt = enough;
      }
    }
  }

  private record Entry(String key, int code, long hash) {
    boolean is(String other, int itsCode) {
      return code == itsCode && key.equals(other);
    }
  }
}
