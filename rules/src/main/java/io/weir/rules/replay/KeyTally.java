package io.weir.rules.replay;

import io.weir.rules.Rule;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** Counts distinct keys, and for each how often it was hit; names those that were hit most. */
final class KeyTally {
  /*
   * Keys are told apart by 64 bits of a hash with a random seed, so that ten million keys take 16
   * bytes and a bit of air each, and no string is kept but for the few that may be named in the end.
   *
   * Which may be: those with at least `threshold` hits. A key that reaches it is noted. When a few
   * hundred are noted, the best are kept, and the threshold becomes one more than the worst of them
   * has: whoever is not noted has fewer hits than that, and will be noted again on reaching it. So
   * the answer is exact, but for which of several keys with the same count come last.
   *
   * Each key is somewhere else in a table that is larger than the processor's cache, and waiting for
   * memory would be most of the work. So keys are gathered, then their slots are all asked for in a
   * loop that does nothing else, in which the waits overlap, and then they are counted.
   */

  private static final int FIRST_SLOTS = 16;
  private static final int MOST_SLOTS = 1 << 29;

  /** The lower half of a word counts how often a key was met, the upper how often it was hit. */
  private static final long MET = (1L << 32) - 1;

  private static final int GATHERED = 128;
  private static final int MOST_NOTED = 8 * RuleSummary.MOST_KEYS;

  private final long seed = ThreadLocalRandom.current().nextLong();
  private final Map<Long, String> noted = new HashMap<>();
  private long[] slots = new long[2 * FIRST_SLOTS]; // the hash, then hits and times met
  private int keys;
  private long keysHit;
  private long threshold = 1;
  private final String[] gathered = new String[GATHERED];
  private final long[] gatheredHashes = new long[GATHERED];
  private final boolean[] gatheredHits = new boolean[GATHERED];
  private int waiting;

  @SuppressWarnings("UnusedVariable") // keeps the loop that sets it from being optimised away
  private long touched;

  /** A key was met, and {@code hit} or not. */
  void add(String key, boolean hit) {
    gathered[waiting] = key;
    gatheredHashes[waiting] = hash(key);
    gatheredHits[waiting] = hit;
    if (++waiting == GATHERED) {
      countGathered();
    }
  }

  private void countGathered() {
    int mask = slots.length - 1;
    long sum = 0;
    for (int i = 0; i < waiting; i++) {
      sum += slots[home(gatheredHashes[i], mask)];
    }
    touched = sum;
    for (int i = 0; i < waiting; i++) {
      count(gathered[i], gatheredHashes[i], gatheredHits[i]);
    }
    waiting = 0;
  }

  private void count(String key, long hash, boolean hit) {
    int at = slot(slots, hash);
    if (slots[at] == 0) {
      if (keys == MOST_SLOTS - 1) {
        return; // half a billion keys in eight gigabytes: the count ends here
      }
      slots[at] = hash;
      keys++;
      if (4L * keys > 3L * (slots.length / 2) && slots.length / 2 < MOST_SLOTS) {
        grow();
        at = slot(slots, hash);
      }
    }
    if ((slots[at + 1] & MET) == MET) {
      return; // four billion requests of one key: its count ends here
    }
    slots[at + 1]++;
    if (hit) {
      slots[at + 1] += MET + 1;
      long hits = slots[at + 1] >>> 32;
      if (hits == 1) {
        keysHit++;
      }
      if (hits == threshold) {
        note(hash, key);
      }
    }
  }

  long keys() {
    countGathered();
    return keys;
  }

  long keysHit() {
    countGathered();
    return keysHit;
  }

  /** The keys that were hit most, worst first, as keys of {@code rule}. */
  List<KeyCount> most(Rule rule) {
    countGathered();
    return noted.entrySet().stream()
        .map(
            entry ->
                new KeyCount(rule, entry.getValue(), hits(entry.getKey()), met(entry.getKey())))
        .sorted(MOST_FIRST)
        .limit(RuleSummary.MOST_KEYS)
        .toList();
  }

  static final Comparator<KeyCount> MOST_FIRST =
      Comparator.comparingLong(KeyCount::count).reversed().thenComparing(KeyCount::key);

  private void note(long hash, String key) {
    noted.put(hash, key);
    if (noted.size() > MOST_NOTED) {
      List<Long> best =
          noted.keySet().stream()
              .sorted(Comparator.comparingLong(this::hits).reversed().thenComparing(noted::get))
              .limit(RuleSummary.MOST_KEYS)
              .toList();
      noted.keySet().retainAll(best);
      threshold = hits(best.get(best.size() - 1)) + 1;
    }
  }

  private long hits(long hash) {
    return slots[slot(slots, hash) + 1] >>> 32;
  }

  private long met(long hash) {
    return slots[slot(slots, hash) + 1] & MET;
  }

  private void grow() {
    long[] larger = new long[2 * slots.length];
    for (int i = 0; i < slots.length; i += 2) {
      if (slots[i] != 0) {
        int at = slot(larger, slots[i]);
        larger[at] = slots[i];
        larger[at + 1] = slots[i + 1];
      }
    }
    slots = larger;
  }

  /** Where {@code hash} is, or the empty slot where it belongs. */
  private static int slot(long[] slots, long hash) {
    int mask = slots.length - 1;
    int at = home(hash, mask);
    while (slots[at] != 0 && slots[at] != hash) {
      at = at + 2 & mask;
    }
    return at;
  }

  private static int home(long hash, int mask) {
    return (int) (hash >>> 20) << 1 & mask;
  }

  /** Four characters at a time; never 0, which marks an empty slot. */
  private long hash(String key) {
    int length = key.length();
    long hash = seed ^ length;
    int i = 0;
    for (; i + 4 <= length; i += 4) {
      long four =
          key.charAt(i)
              | (long) key.charAt(i + 1) << 16
              | (long) key.charAt(i + 2) << 32
              | (long) key.charAt(i + 3) << 48;
      hash = mix(hash ^ four);
    }
    long last = 0;
    for (; i < length; i++) {
      last = last << 16 | key.charAt(i);
    }
    hash = mix(mix(hash ^ last));
    return hash == 0 ? 1 : hash;
  }

  private static long mix(long value) {
    long mixed = value * 0x9E3779B97F4A7C15L;
    return mixed ^ mixed >>> 32;
  }
}
