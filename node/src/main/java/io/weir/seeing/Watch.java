package io.weir.seeing;

import io.weir.TimeSource;
import io.weir.arbiter.Arbiter;
import io.weir.arbiter.Witness;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Top callers and the thread that tracks them. Thread-safe. */
public final class Watch implements AutoCloseable {
  private final Sightings sightings;
  private final Watchman watchman;
  private final TimeSource time;
  private final long secret;
  private final boolean isOfAll;
  private @Nullable Callers callers;

  /**
   * @param time dates what is seen
   */
  public Watch(TimeSource time) {
    this(time, true);
  }

  /**
   * @param isOfAll whether all callers are tracked and their demand is recorded; else only callers
   *     that are refused or close to it
   */
  public Watch(TimeSource time, boolean isOfAll) {
    this(time, ThreadLocalRandom.current().nextLong(), isOfAll);
  }

  /**
   * Uses a known secret.
   *
   * @param secret spreads callers, so that an outsider cannot predict which are in a sample
   */
  Watch(TimeSource time, long secret, boolean isOfAll) {
    this.time = time;
    this.secret = secret;
    this.isOfAll = isOfAll;
    this.sightings = new Sightings(isOfAll);
    this.watchman = new Watchman(time);
  }

  /** The witness for each decision. */
  public Witness witness() {
    return sightings;
  }

  /** The thread for questions. */
  public Watchman watchman() {
    return watchman;
  }

  /** The demand of callers. */
  public Callers callers() {
    if (callers == null) {
      throw new IllegalStateException("the watch has not started");
    }
    return callers;
  }

  /** Starts to track the decisions of {@code arbiter}. */
  public void start(Arbiter arbiter) {
    begin(arbiter);
    watchman.start();
  }

  /** {@link #start}, without a thread. */
  public void begin(Arbiter arbiter) {
    long nowMillis = Math.floorDiv(time.epochNanos(), 1_000_000);
    Callers seen = new Callers(sightings, arbiter, nowMillis, secret, isOfAll);
    callers = seen;
    watchman.eachRound(seen::look);
    watchman.eachSecond(seen::pace);
  }

  @Override
  public void close() {
    watchman.close();
    sightings.close();
  }
}
