package io.weir.seeing;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * Rings for all threads that have none of their own: virtual ones, and those beyond the first few.
 *
 * <p>Whoever writes claims a ring for that moment. If another has it, the next one is tried, and
 * after a few nobody waits: what could not be noted is counted, apart from what did not fit.
 */
final class SharedRings {
  static final int RINGS = 16;
  static final int SLOTS = 1024;

  private static final int TRIES = 4;

  private final Ring[] rings = new Ring[RINGS];
  private final AtomicBoolean[] claims = new AtomicBoolean[RINGS];
  private final LongAdder unfit = new LongAdder();
  private final LongAdder crowded = new LongAdder();

  SharedRings() {
    for (int i = 0; i < RINGS; i++) {
      rings[i] = new Ring(SLOTS);
      claims[i] = new AtomicBoolean();
    }
  }

  void add(Thread thread, int rule, String key, long word) {
    int first = (int) thread.getId();
    boolean wasFull = false;
    for (int i = 0; i < TRIES; i++) {
      int at = (first + i) & (RINGS - 1);
      if (claims[at].compareAndSet(false, true)) {
        try {
          if (rings[at].offer(rule, key, word)) {
            return;
          }
          wasFull = true;
        } finally {
          claims[at].setRelease(false);
        }
      }
    }
    (wasFull ? unfit : crowded).add(Sighting.weight(word));
  }

  /** On the watchman's thread. */
  void drain(Sightings.Viewer viewer) {
    for (Ring ring : rings) {
      ring.drain(viewer);
    }
  }

  /** How many did not fit, because there were too many. */
  long unfit() {
    return unfit.sum();
  }

  /** How many were not noted because others were about to note something. */
  long crowded() {
    return crowded.sum();
  }

  long bytes() {
    return RINGS * rings[0].bytes();
  }
}
