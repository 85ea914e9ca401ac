package io.weir.seeing;

import io.weir.Decision;
import io.weir.arbiter.Outcome;
import io.weir.arbiter.RuleTally;
import io.weir.arbiter.Witness;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * What was seen since the last round, by whoever decided: rings of plain arrays, which those who
 * decide fill and the watchman empties. The first threads have one each, all others share some; so
 * there are at most 65,536 slots, however many threads there are.
 *
 * <p>To note a decision takes no lock, waits for nobody and allocates nothing, but for keys that
 * are too long to be kept. What is seen while a ring is full is missed, and how much that is can be
 * asked for; so that it does not come to that, only one decision in 2, 4, 8 … is noted where there
 * are very many, and then stands for as many.
 */
public final class Sightings implements Witness, AutoCloseable {
  private static final int MOST_HALVINGS = 10; // one in 1024

  private final boolean ofAll;
  private final OwnRings own = new OwnRings();
  private volatile @Nullable SharedRings shared; // once anybody needs them
  private volatile int halvings;
  private volatile boolean isClosed;

  /** Of all decisions. */
  Sightings() {
    this(true);
  }

  /**
   * @param ofAll whether all decisions are noted; else only those that refuse, or that leave little
   */
  Sightings(boolean ofAll) {
    this.ofAll = ofAll;
  }

  @Override
  public void saw(RuleTally rule, String key, int override, Outcome outcome, Decision decision) {
    if (!ofAll && !Sighting.isOfLimited(outcome, decision)) {
      return;
    }
    Thread thread = Thread.currentThread();
    Ring ring = own.of(thread);
    int now = halvings;
    if (ring == null) {
      if (!isClosed && (now == 0 || isDrawn(now))) {
        long what = Sighting.pack(outcome, override, decision, now);
        shared().add(thread, rule.number(), LongKeys.cut(key), what);
      }
    } else if (now == 0 || ring.isDrawn(now)) {
      ring.add(rule.number(), LongKeys.cut(key), Sighting.pack(outcome, override, decision, now));
    }
  }

  private static boolean isDrawn(int n) {
    return ThreadLocalRandom.current().nextInt() >>> (32 - n) == 0;
  }

  private SharedRings shared() {
    SharedRings known = shared;
    return known == null ? makeShared() : known;
  }

  private synchronized SharedRings makeShared() {
    SharedRings known = shared;
    if (known == null) {
      known = new SharedRings();
      shared = known;
    }
    return known;
  }

  /** Shows {@code viewer} everything that was noted so far. On the watchman's thread. */
  void drain(Viewer viewer) {
    own.drain(viewer);
    SharedRings others = shared;
    if (others != null) {
      others.drain(viewer);
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

  /** How many decisions should have been noted, but could not. */
  public long missed() {
    SharedRings others = shared;
    return unfit() + (others == null ? 0 : others.crowded());
  }

  /** How many of these did not fit, which noting fewer would help. */
  long unfit() {
    SharedRings others = shared;
    return own.missed() + (others == null ? 0 : others.unfit());
  }

  /** What the rings take up, in bytes. */
  long bytes() {
    SharedRings others = shared;
    return own.bytes() + (others == null ? 0 : others.bytes());
  }

  /** Lets go of everything: who still decides is not seen any more. */
  @Override
  public void close() {
    isClosed = true;
    own.close();
    shared = null;
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
