package io.weir.insight;

/**
 * The recent sampling rates: the lowest rate of every ten seconds, kept for a day and a half. The
 * accuracy of a period is that of its lowest rate.
 */
final class SamplingRate {
  private static final long SLOT_MILLIS = 10_000;
  private static final int SLOTS = 36 * 360 + 1;

  private final byte[] halvings = new byte[SLOTS];
  private long latest;

  SamplingRate(long nowMillis) {
    this.latest = Math.floorDiv(nowMillis, SLOT_MILLIS);
  }

  /** Notes that one decision in 2 to the power of {@code times} is sampled now. */
  void note(int times, long nowMillis) {
    long slot = Math.floorDiv(nowMillis, SLOT_MILLIS);
    for (long each = Math.max(latest + 1, slot - SLOTS + 1); each <= slot; each++) {
      halvings[at(each)] = 0;
    }
    latest = Math.max(latest, slot);
    halvings[at(latest)] = (byte) Math.max(halvings[at(latest)], times);
  }

  /** One in how many decisions was sampled since then, at the lowest rate. */
  int oneIn(long sinceMillis) {
    int maxHalvings = 0;
    long first = Math.max(latest - SLOTS + 1, Math.floorDiv(sinceMillis, SLOT_MILLIS));
    for (long each = first; each <= latest; each++) {
      maxHalvings = Math.max(maxHalvings, halvings[at(each)]);
    }
    return 1 << maxHalvings;
  }

  private static int at(long slot) {
    return (int) Math.floorMod(slot, (long) SLOTS);
  }
}
