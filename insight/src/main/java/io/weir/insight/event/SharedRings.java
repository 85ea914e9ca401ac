package io.weir.insight.event;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * Rings for all threads without a ring of their own: virtual threads, and those beyond the first
 * few.
 *
 * <p>A writer claims a ring for one write. If it is taken, the next one is tried. After a few tries
 * the writer gives up without waiting. The decision then counts as crowded, apart from those that
 * did not fit.
 */
final class SharedRings {
  static final int RINGS = 16;
  static final int SLOTS = 1024;

  private static final int TRIES = 4;

  private final EventRing[] eventRings = new EventRing[RINGS];
  private final AtomicBoolean[] claims = new AtomicBoolean[RINGS];
  private final LongAdder unfit = new LongAdder();
  private final LongAdder crowded = new LongAdder();

  SharedRings() {
    for (int i = 0; i < RINGS; i++) {
      eventRings[i] = new EventRing(SLOTS);
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
          if (eventRings[at].offer(rule, key, word)) {
            return;
          }
          wasFull = true;
        } finally {
          claims[at].setRelease(false);
        }
      }
    }
    (wasFull ? unfit : crowded).add(DecisionEvent.weight(word));
  }

  /** Runs on the background thread. */
  void drain(EventBuffer.EventConsumer eventConsumer) {
    for (EventRing eventRing : eventRings) {
      eventRing.drain(eventConsumer);
    }
  }

  /** How many decisions did not fit because the rings were full. */
  long unfit() {
    return unfit.sum();
  }

  /** How many decisions were not noted because other threads were writing. */
  long crowded() {
    return crowded.sum();
  }

  long bytes() {
    return RINGS * eventRings[0].bytes();
  }
}
