package io.weir.redis;

import io.weir.Decision;
import io.weir.OnFailure;
import io.weir.Origin;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/** The decisions under one {@link OnFailure} in one phase, and how long they took. */
final class PhaseResults {
  private static final int STEPS_OF_AN_OCTAVE = 8;
  private static final int SHOWN = 5;

  private final OnFailure policy;
  private final boolean hasShare;
  private final Map<Origin, LongAdder> origins = new EnumMap<>(Origin.class);
  private final AtomicLongArray micros = new AtomicLongArray(32 * STEPS_OF_AN_OCTAVE);
  private final List<String> wrongs = new ArrayList<>();
  private final LongAdder allowedByRedis = new LongAdder();
  private volatile long maxNanos;
  private volatile int byRedisInARow;

  /**
   * Counts from zero.
   *
   * @param hasShare whether {@link OnFailure#LOCAL} decides; it refuses where it has no share
   */
  PhaseResults(OnFailure policy, boolean hasShare) {
    this.policy = policy;
    this.hasShare = hasShare;
    for (Origin origin : Origin.values()) {
      origins.put(origin, new LongAdder());
    }
  }

  /** Notes a decision, and whether it is one that the policy allows for. */
  void decided(Decision decision, long nanos) {
    Origin origin = decision.origin();
    origins.get(origin).increment();
    boolean byRedis = origin == Origin.STORE || origin == Origin.CACHE;
    if (byRedis) {
      byRedisInARow++; // about: it is only waited for
      if (decision.allowed()) {
        allowedByRedis.increment();
      }
    } else {
      byRedisInARow = 0;
      boolean isLocal = policy == OnFailure.LOCAL && hasShare && !isSlowStart(decision);
      Origin due = isLocal ? Origin.LOCAL : Origin.FAILURE;
      boolean isDue = isLocal || decision.allowed() == (policy == OnFailure.ALLOW);
      if (origin != due || !isDue) {
        wrong(policy + " decided " + decision);
      }
    }
    took(nanos);
  }

  /** On a busy machine Redis may reply so late at the start that there is no share for 10 s. */
  private static boolean isSlowStart(Decision decision) {
    return decision.origin() == Origin.FAILURE
        && decision.retryAfter().filter(wait -> wait.toSeconds() < 10).isPresent();
  }

  private void took(long nanos) {
    maxNanos = Math.max(maxNanos, nanos);
    double octaves = Math.log(Math.max(1, nanos / 1000.0)) / Math.log(2);
    micros.incrementAndGet((int) Math.min(micros.length() - 1, octaves * STEPS_OF_AN_OCTAVE));
  }

  /** Notes what must not be. */
  synchronized void wrong(String what) {
    if (wrongs.size() < SHOWN) {
      wrongs.add(what);
    }
  }

  synchronized List<String> wrongs() {
    return List.copyOf(wrongs);
  }

  long by(Origin origin) {
    return origins.get(origin).sum();
  }

  /** Decisions without Redis. */
  long undecided() {
    return by(Origin.FAILURE) + by(Origin.LOCAL);
  }

  long allowedByRedis() {
    return allowedByRedis.sum();
  }

  /** How many of the last decisions were made by Redis, without a break; about. */
  int byRedisInARow() {
    return byRedisInARow;
  }

  private double millis(double share) {
    long all = 0;
    for (int i = 0; i < micros.length(); i++) {
      all += micros.get(i);
    }
    long below = 0;
    for (int i = 0; i < micros.length(); i++) {
      below += micros.get(i);
      if (below >= share * all) {
        return Math.pow(2, (i + 1.0) / STEPS_OF_AN_OCTAVE) / 1000;
      }
    }
    return 0;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%-5s by Redis %5d, without %5d; ms: p50 %6.2f  p99 %6.2f  p99.9 %6.2f  longest %7.2f",
        policy,
        by(Origin.STORE) + by(Origin.CACHE),
        undecided(),
        millis(0.5),
        millis(0.99),
        millis(0.999),
        maxNanos / 1e6);
  }
}
