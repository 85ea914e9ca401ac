package io.weir.memory;

import org.jspecify.annotations.Nullable;

/**
 * A few frequent keys, for traffic that consists mostly of them: neither their hash nor their place
 * in the table has to be computed again. Bounded, and correct under any race.
 */
final class HotKeys {
  /*
   * A small table, indexed by the string's own hash code. That code costs less than a keyed hash,
   * but attackers may know it: the worst that they can cause is a miss.
   *
   * A miss costs half as much as a hit saves, and a mixture of both costs most, because of branch
   * mispredictions. So one call in 64 is a sample: it records how many would have been hits, and
   * the table is used while nearly all are. Only samples make entries, for keys that miss twice in
   * a row at their place: a flood of keys that occur once evicts nothing.
   *
   * All fields are read and written without ordering between threads. At worst, an entry is seen
   * late or the hit count is a little off.
   */

  private static final int PLACES = 512;
  private static final int MAX_KEY_LENGTH = 256;
  private static final long SPREAD = 0x9E3779B97F4A7C15L;
  private static final int SAMPLE_BITS = 6;
  private static final int ALL_HITS = 1 << 16;
  private static final int ENOUGH_HITS = ALL_HITS / 100 * 85;

  private final KeyHash keyHash;
  private final int[] candidates = new int[PLACES];
  private final @Nullable HotKey[] entries = new HotKey[PLACES];
  private int hits; // of the latest samples, as a moving average
  private boolean isWorthIt;

  HotKeys(KeyHash keyHash) {
    this.keyHash = keyHash;
  }

  /**
   * The entry of {@code key}, if it has one and the table is in use.
   *
   * @param dice anything that changes from call to call, such as the time
   */
  @Nullable HotKey find(String key, long dice) {
    if (!isWorthIt || isSample(dice)) {
      return null;
    }
    int code = key.hashCode();
    HotKey entry = entries[place(code)];
    return entry != null && entry.is(key, code) ? entry : null;
  }

  /**
   * The keyed hash of a key that was not found.
   *
   * @param dice the same value as for the lookup
   */
  long hash(String key, long dice) {
    return isSample(dice) ? sample(key, dice) : keyHash.of(key);
  }

  /** Replaces the entry that {@code entry} was made from. */
  void replace(HotKey entry) {
    entries[place(entry.code())] = entry;
  }

  private static boolean isSample(long dice) {
    return dice * SPREAD >>> Long.SIZE - SAMPLE_BITS == 0;
  }

  private static int place(int code) {
    return (code ^ code >>> 16) & PLACES - 1;
  }

  private long sample(String key, long dice) {
    int code = key.hashCode();
    int place = place(code);
    HotKey entry = entries[place];
    boolean hit = entry != null && entry.is(key, code);
    long hash = hit ? entry.hash() : keyHash.of(key);
    account(hit);
    if (!hit && key.length() <= MAX_KEY_LENGTH) {
      if (candidates[place] == code) {
        entries[place] = new HotKey(key, code, hash);
      }
      candidates[place] = code;
    }
    tidy((int) (dice * SPREAD >>> Integer.SIZE) & PLACES - 1);
    return hash;
  }

  /** Releases an array that is no longer in use, at a random place. */
  private void tidy(int place) {
    HotKey entry = entries[place];
    if (entry != null) {
      HotKey tidied = entry.withoutStalePlace();
      if (tidied != entry) {
        entries[place] = tidied;
      }
    }
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
}
