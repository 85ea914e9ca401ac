package io.weir.seeing;

import io.weir.Decision;
import io.weir.arbiter.Outcome;
import io.weir.arbiter.RuleTally;
import io.weir.arbiter.Witness;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The decisions since the last round, in ring buffers that deciding threads fill and the watchman
 * empties. The first threads have a ring each, all others share some. So there are at most 65,536
 * slots, however many threads there are. Thread-safe.
 *
 * <p>Noting a decision takes no lock, never waits and allocates nothing, except for keys that are
 * too long to keep. Decisions that come while a ring is full are missed and counted as such. To
 * avoid that, under high load only one decision in 2, 4, 8 … is noted, and then represents that
 * many.
 */
public final class Sightings implements Witness, AutoCloseable {
  private static final int MOST_HALVINGS = 10; // one in 1024

  private final boolean ofAll;
  private final OwnRings own = new OwnRings();
  private volatile @Nullable SharedRings shared; // created on first use
  private volatile int halvings;
  private volatile boolean isClosed;

  /** Notes all decisions. */
  Sightings() {
    this(true);
  }

  /**
   * @param ofAll whether all decisions are noted; else only refusals and those near the limit
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

  /** Shows {@code viewer} all decisions noted so far. Runs on the watchman's thread. */
  void drain(Viewer viewer) {
    own.drain(viewer);
    SharedRings others = shared;
    if (others != null) {
      others.drain(viewer);
    }
  }

  /** One in how many decisions is noted. */
  public int oneIn() {
    return 1 << halvings;
  }

  /** Sets sampling to one decision in 2 to the power of {@code times}. */
  void halve(int times) {
    halvings = Math.max(0, Math.min(times, MOST_HALVINGS));
  }

  int halvings() {
    return halvings;
  }

  /** How many decisions should have been noted but were missed. */
  public long missed() {
    SharedRings others = shared;
    return unfit() + (others == null ? 0 : others.crowded());
  }

  /** How many of them did not fit; a lower sampling rate would help. */
  long unfit() {
    SharedRings others = shared;
    return own.missed() + (others == null ? 0 : others.unfit());
  }

  /** The memory use of the rings, in bytes. */
  long bytes() {
    SharedRings others = shared;
    return own.bytes() + (others == null ? 0 : others.bytes());
  }

  /** Releases everything; later decisions are not noted. */
  @Override
  public void close() {
    isClosed = true;
    own.close();
    shared = null;
  }

  /** Receives the noted decisions. */
  @FunctionalInterface
  interface Viewer {
    /**
     * Receives one decision.
     *
     * @param rule its number
     * @param what see {@link Sighting}
     */
    void see(int rule, String key, long what);
  }
}
