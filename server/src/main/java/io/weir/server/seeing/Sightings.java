package io.weir.server.seeing;

import io.weir.Decision;
import io.weir.server.Outcome;
import io.weir.server.RuleTally;
import io.weir.server.Witness;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * What was seen since the last round, by whoever decided: a ring of plain arrays for each thread,
 * which that thread fills and the watchman empties.
 *
 * <p>To note a decision takes no lock, waits for nobody and allocates nothing, but for keys that
 * are too long to be kept. What is seen while a ring is full is missed, and how much that is can be
 * asked for; so that it does not come to that, only one decision in 2, 4, 8 … is noted where there
 * are very many, and then stands for as many.
 */
public final class Sightings implements Witness {
  private static final int MOST_RINGS = 256;
  private static final int MOST_HALVINGS = 10; // one in 1024

  private final List<Ring> rings = new CopyOnWriteArrayList<>();
  private final ThreadLocal<@Nullable Ring> mine = ThreadLocal.withInitial(this::ring);
  private final LongAdder ringless = new LongAdder();
  private long missedByTheGone;
  private volatile int halvings;

  private synchronized @Nullable Ring ring() {
    if (rings.size() >= MOST_RINGS) {
      return null;
    }
    Ring ring = new Ring(Thread.currentThread());
    rings.add(ring);
    return ring;
  }

  @Override
  public void saw(RuleTally rule, String key, Outcome outcome, Decision decision) {
    Ring ring = mine.get();
    if (ring == null) {
      ringless.increment();
    } else {
      int now = halvings;
      if (now == 0 || ring.isDrawn(now)) {
        ring.add(rule.number(), LongKeys.cut(key), Sighting.pack(outcome, decision, now));
      }
    }
  }

  /** Shows {@code viewer} everything that was noted so far. On the watchman's thread. */
  void drain(Viewer viewer) {
    List<Ring> over = rings.stream().filter(ring -> !ring.owner.isAlive()).toList();
    for (Ring ring : rings) {
      ring.drain(viewer);
    }
    for (Ring ring : over) { // what it noted last is drained by now
      missedByTheGone += ring.missed();
      rings.remove(ring);
    }
  }

  /** One decision in how many is noted. */
  public int oneIn() {
    return 1 << halvings;
  }

  /** From now on notes one decision in 2 to the power of {@code times}. */
  void halve(int times) {
    halvings = Math.max(0, Math.min(times, MOST_HALVINGS));
  }

  int halvings() {
    return halvings;
  }

  /** How many decisions should have been noted, but could not. On the watchman's thread. */
  public long missed() {
    long sum = missedByTheGone + ringless.sum();
    for (Ring ring : rings) {
      sum += ring.missed();
    }
    return sum;
  }

  /** What the rings take up, in bytes. */
  long bytes() {
    return (long) rings.size() * Ring.BYTES;
  }

  /** Is shown what was noted. */
  @FunctionalInterface
  interface Viewer {
    /**
     * Is shown one of them.
     *
     * @param rule its number
     * @param what see {@link Sighting}
     */
    void see(int rule, String key, long what);
  }
}
