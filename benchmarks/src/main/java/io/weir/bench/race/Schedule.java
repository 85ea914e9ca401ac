package io.weir.bench.race;

import io.weir.bench.fork.OwnTime;
import io.weir.bench.fork.Quietness;
import java.io.IOException;

/**
 * The duration and number of measurements.
 *
 * @param rounds how often each contender is measured
 * @param millis the length of a measurement
 * @param warmUpMillis the length of the warm-up
 * @param quietness monitors the machine meanwhile
 */
public record Schedule(int rounds, int millis, int warmUpMillis, Quietness quietness) {
  /** A measurement. */
  public interface Measurement<T> {
    /** Runs it. */
    T run() throws IOException, InterruptedException;
  }

  /** Runs a measurement, and records whether the machine is quiet meanwhile. */
  public <T> T watch(Measurement<T> measurement) throws IOException, InterruptedException {
    Quietness.Before before = quietness.before();
    long own = OwnTime.nanos();
    T result = measurement.run();
    quietness.after(before, OwnTime.nanos() - own);
    return result;
  }
}
