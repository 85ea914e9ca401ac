package io.weir.insight.event;

import io.weir.Decision;
import io.weir.decision.DecisionListener;
import io.weir.decision.RuleCounters;
import io.weir.decision.RuleOutcome;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The decisions since the last round, in ring buffers that deciding threads fill and the background
 * thread empties. The first threads have a ring each, all others share some. So there are at most
 * 65,536 slots, however many threads there are. Thread-safe.
 *
 * <p>Noting a decision takes no lock, never waits and allocates nothing, except for keys that are
 * too long to keep. Decisions that come while a ring is full are missed and counted as such. To
 * avoid that, under high load only one decision in 2, 4, 8 … is noted, and then represents that
 * many.
 */
public final class EventBuffer implements DecisionListener, AutoCloseable {
  private static final int MAX_HALVINGS = 10; // one in 1024

  private final boolean ofAll;
  private final ThreadRings own = new ThreadRings();
  private volatile @Nullable SharedRings shared; // created on first use
  private volatile int halvings;
  private volatile boolean isClosed;

  /** Notes all decisions. */
  EventBuffer() {
    this(true);
  }

  /**
   * @param ofAll whether all decisions are noted; else only refusals and those near the limit
   */
  public EventBuffer(boolean ofAll) {
    this.ofAll = ofAll;
  }

  @Override
  public void saw(
      RuleCounters rule, String key, int override, RuleOutcome ruleOutcome, Decision decision) {
    if (!ofAll && !DecisionEvent.isOfLimited(ruleOutcome, decision)) {
      return;
    }
    Thread thread = Thread.currentThread();
    EventRing eventRing = own.of(thread);
    int now = halvings;
    if (eventRing == null) {
      if (!isClosed && (now == 0 || isDrawn(now))) {
        long what = DecisionEvent.pack(ruleOutcome, override, decision, now);
        shared().add(thread, rule.number(), KeyTruncation.cut(key), what);
      }
    } else if (now == 0 || eventRing.isDrawn(now)) {
      eventRing.add(
          rule.number(),
          KeyTruncation.cut(key),
          DecisionEvent.pack(ruleOutcome, override, decision, now));
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

  /** Shows {@code viewer} all decisions noted so far. Runs on the background thread. */
  public void drain(EventConsumer eventConsumer) {
    own.drain(eventConsumer);
    SharedRings others = shared;
    if (others != null) {
      others.drain(eventConsumer);
    }
  }

  /** One in how many decisions is noted. */
  public int oneIn() {
    return 1 << halvings;
  }

  /** Sets sampling to one decision in 2 to the power of {@code times}. */
  public void halve(int times) {
    halvings = Math.max(0, Math.min(times, MAX_HALVINGS));
  }

  public int halvings() {
    return halvings;
  }

  /** How many decisions should have been noted but were missed. */
  public long missed() {
    SharedRings others = shared;
    return unfit() + (others == null ? 0 : others.crowded());
  }

  /** How many of them did not fit; a lower sampling rate would help. */
  public long unfit() {
    SharedRings others = shared;
    return own.missed() + (others == null ? 0 : others.unfit());
  }

  /** The memory use of the rings, in bytes. */
  public long bytes() {
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
  public interface EventConsumer {
    /**
     * Receives one decision.
     *
     * @param rule its number
     * @param what see {@link DecisionEvent}
     */
    void see(int rule, String key, long what);
  }
}
