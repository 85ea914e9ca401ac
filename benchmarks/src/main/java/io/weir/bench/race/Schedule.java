package io.weir.bench.race;

import io.weir.bench.fork.OwnTime;
import io.weir.bench.fork.Quietness;
import java.io.IOException;

/**
 * How long and how often to measure.
 *
 * @param rounds how often each contender is measured
 * @param millis how long each time
 * @param warmUpMillis how long it runs before
 * @param quietness what watches the machine meanwhile
 */
public record Schedule(int rounds, int millis, int warmUpMillis, Quietness quietness) {
  /** Something that takes its time. */
  public interface Measurement<T> {
    /** Takes it. */
    T run() throws IOException, InterruptedException;
  }

  /** Watches whether the machine is quiet meanwhile. */
  public <T> T watch(Measurement<T> measurement) throws IOException, InterruptedException {
    Quietness.Before before = quietness.before();
    long own = OwnTime.nanos();
    T result = measurement.run();
    quietness.after(before, OwnTime.nanos() - own);
    return result;
  }
}
