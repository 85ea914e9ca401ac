package io.weir.seeing;

import io.weir.TimeSource;
import io.weir.arbiter.Arbiter;
import io.weir.arbiter.Witness;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** All that is seen of a running server, and who looks. */
public final class Watch implements AutoCloseable {
  private final Sightings sightings = new Sightings();
  private final Watchman watchman;
  private final TimeSource time;
  private final long secret;
  private @Nullable Callers callers;

  /**
   * @param time what is seen is dated by it
   */
  public Watch(TimeSource time) {
    this(time, ThreadLocalRandom.current().nextLong());
  }

  /**
   * By a secret that is known.
   *
   * @param secret by which callers are spread, so that nobody outside knows who is in a sample
   */
  Watch(TimeSource time, long secret) {
    this.time = time;
    this.secret = secret;
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
    Callers seen =
        new Callers(sightings, arbiter, Math.floorDiv(time.epochNanos(), 1_000_000), secret);
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
