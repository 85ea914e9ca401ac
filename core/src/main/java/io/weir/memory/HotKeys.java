package io.weir.memory;

import org.jspecify.annotations.Nullable;

/**
 * The hashes of a few keys that are asked for again and again: a third of the price of hashing them
 * anew. Bounded, and right whatever races happen on it.
 */
final class HotKeys {
  /*
   * A small table, found by the string's own hash code, which costs less than a keyed hash and may be
   * known to attackers: all they can do with it is miss. Each place has the code of its key, which
   * settles most misses in one load, and an entry that is never changed. A key gets a place when it
   * misses twice in a row there, of the few misses that are looked at; so that a flood of keys that
   * come once neither allocates anything nor drives out the busy ones.
   */

  private static final int PLACES = 512;
  private static final int LONGEST = 256;
  private static final long SAMPLE = 0x70;

  private final KeyHash keyHash;
  private final int[] codes = new int[PLACES];
  private final int[] candidates = new int[PLACES];
  private final @Nullable Entry[] entries = new Entry[PLACES];

  HotKeys(KeyHash keyHash) {
    this.keyHash = keyHash;
  }

  /**
   * The keyed hash of {@code key}.
   *
   * @param dice anything that changes from call to call, such as the time
   */
  long hash(String key, long dice) {
    int code = key.hashCode();
    int place = (code ^ code >>> 16) & PLACES - 1;
    if (codes[place] == code) {
      Entry entry = entries[place];
      if (entry != null && (entry.key == key || entry.key.equals(key))) {
        return entry.hash;
      }
    }
    long hash = keyHash.of(key);
    if ((dice & SAMPLE) == 0) {
      consider(key, code, place, hash);
    }
    return hash;
  }

  private void consider(String key, int code, int place, long hash) {
    if (candidates[place] != code) {
      candidates[place] = code;
    } else if (key.length() <= LONGEST) {
      entries[place] = new Entry(key, hash);
      codes[place] = code;
    }
  }

  private record Entry(String key, long hash) {}
}
