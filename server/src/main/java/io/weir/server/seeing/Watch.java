package io.weir.server.seeing;

import io.weir.TimeSource;
import io.weir.server.Arbiter;
import io.weir.server.Witness;

/** All that is seen of a running server, and who looks. */
public final class Watch implements AutoCloseable {
  private final Sightings sightings = new Sightings();
  private final Watchman watchman;

  /**
   * @param time what is seen is dated by it
   */
  public Watch(TimeSource time) {
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

  /** What is noted of decisions. */
  public Sightings sightings() {
    return sightings;
  }

  /** From now on looks at what {@code arbiter} decides. */
  public void start(Arbiter arbiter) {
    watch(arbiter);
    watchman.start();
  }

  /** {@link #start}, without a thread. */
  void watch(Arbiter arbiter) {
    watchman.eachRound(millis -> sightings.drain((rule, key, what) -> {}));
  }

  @Override
  public void close() {
    watchman.close();
  }
}
