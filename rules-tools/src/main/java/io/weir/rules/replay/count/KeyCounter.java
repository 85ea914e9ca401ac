package io.weir.rules.replay.count;

import io.weir.rules.Rule;
import io.weir.rules.replay.KeyCount;
import io.weir.rules.replay.RuleSummary;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** Counts distinct keys and the hits of each, and finds the keys with the most hits. */
final class KeyCounter {
  /*
   * Keys are identified by 64 bits of a hash with a random seed. So ten million keys take 16 bytes
   * each plus free slots, and strings are kept only for the few keys that may be reported.
   *
   * These are the keys with at least `threshold` hits. A key that reaches it is noted. Once a few
   * hundred are noted, only the best are kept, and the threshold becomes one more than the hits of
   * the worst of them. A key that is not noted has fewer hits than that, and is noted when it
   * reaches the threshold. So the result is exact, except for the choice among equal keys at the
   * end.
   *
   * Each key is at another place in a table that is larger than the processor's cache, so waiting
   * for memory would dominate. So keys are collected, then a tight loop reads all their slots,
   * which overlaps the waits, and then they are counted.
   */

  private static final int FIRST_SLOTS = 16;
  private static final int MAX_SLOTS = 1 << 29;

  /** The lower half of a word counts the requests of a key, the upper half its hits. */
  private static final long MET = (1L << 32) - 1;

  private static final int GATHERED = 128;
  private static final int MAX_NOTED = 8 * RuleSummary.MAX_KEYS;

  private final long seed = ThreadLocalRandom.current().nextLong();
  private final Map<Long, String> noted = new HashMap<>();
  private long[] slots = new long[2 * FIRST_SLOTS]; // the hash, then hits and requests
  private int keys;
  private long keysHit;
  private long threshold = 1;
  private final String[] gathered = new String[GATHERED];
  private final long[] gatheredHashes = new long[GATHERED];
  private final boolean[] gatheredHits = new boolean[GATHERED];
  private int waiting;

  @SuppressWarnings("UnusedVariable") // keeps the JIT from removing the loop that sets it
  private long touched;

  /** Counts a request of a key, with or without a hit. */
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
      if (keys == MAX_SLOTS - 1) {
        return; // half a billion keys in eight gigabytes: new keys are ignored
      }
      slots[at] = hash;
      keys++;
      if (4L * keys > 3L * (slots.length / 2) && slots.length / 2 < MAX_SLOTS) {
        grow();
        at = slot(slots, hash);
      }
    }
    if ((slots[at + 1] & MET) == MET) {
      return; // four billion requests of one key: the count stops here
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

  /** The keys of {@code rule} with the most hits, highest first. */
  List<KeyCount> top(Rule rule) {
    countGathered();
    return noted.entrySet().stream()
        .map(
            entry ->
                new KeyCount(rule, entry.getValue(), hits(entry.getKey()), met(entry.getKey())))
        .sorted(BY_COUNT_DESCENDING)
        .limit(RuleSummary.MAX_KEYS)
        .toList();
  }

  static final Comparator<KeyCount> BY_COUNT_DESCENDING =
      Comparator.comparingLong(KeyCount::count).reversed().thenComparing(KeyCount::key);

  private void note(long hash, String key) {
    noted.put(hash, key);
    if (noted.size() > MAX_NOTED) {
      List<Long> best =
          noted.keySet().stream()
              .sorted(Comparator.comparingLong(this::hits).reversed().thenComparing(noted::get))
              .limit(RuleSummary.MAX_KEYS)
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

  /** The slot of {@code hash}, or the empty slot for it. */
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

  /** Reads four characters at a time; never 0, which marks an empty slot. */
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
