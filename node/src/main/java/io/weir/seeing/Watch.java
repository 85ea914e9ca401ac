package io.weir.seeing;

import io.weir.TimeSource;
import io.weir.arbiter.Arbiter;
import io.weir.arbiter.Witness;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** All that is seen of a running server, and who looks. */
public final class Watch implements AutoCloseable {
  private final Sightings sightings;
  private final Watchman watchman;
  private final TimeSource time;
  private final long secret;
  private final boolean isOfAll;
  private @Nullable Callers callers;

  /**
   * @param time what is seen is dated by it
   */
  public Watch(TimeSource time) {
    this(time, true);
  }

  /**
   * @param isOfAll whether all callers are seen, and what they ask for is recorded; else only those
   *     are who are refused, or near to that
   */
  public Watch(TimeSource time, boolean isOfAll) {
    this(time, ThreadLocalRandom.current().nextLong(), isOfAll);
  }

  /**
   * By a secret that is known.
   *
   * @param secret by which callers are spread, so that nobody outside knows who is in a sample
   */
  Watch(TimeSource time, long secret, boolean isOfAll) {
    this.time = time;
    this.secret = secret;
    this.isOfAll = isOfAll;
    this.sightings = new Sightings(isOfAll);
    this.watchman = new Watchman(time);
  }

  /** Is to be shown each decision. */
  public Witness witness() {
    return sightings;
  }

  /** Whom to ask. */
  public Watchman watchman() {
    return watchman;
  }

  /** Who asks for how much. */
  public Callers callers() {
    if (callers == null) {
      throw new IllegalStateException("the watch has not begun");
    }
    return callers;
  }

  /** From now on looks at what {@code arbiter} decides. */
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
