package io.weir.bench.rounds;

import io.weir.bench.fork.MachineLoad;
import io.weir.bench.fork.ProcessCpuTime;
import java.io.IOException;

/**
 * The duration and number of measurements.
 *
 * @param rounds how often each contender is measured
 * @param millis the length of a measurement
 * @param warmUpMillis the length of the warm-up
 * @param machineLoad monitors the machine meanwhile
 */
public record Schedule(int rounds, int millis, int warmUpMillis, MachineLoad machineLoad) {
  /** A measurement. */
  public interface Measurement<T> {
    /** Runs it. */
    T run() throws IOException, InterruptedException;
  }

  /** Runs a measurement, and records whether the machine is quiet meanwhile. */
  public <T> T watch(Measurement<T> measurement) throws IOException, InterruptedException {
    MachineLoad.Before before = machineLoad.before();
    long own = ProcessCpuTime.nanos();
    T result = measurement.run();
    machineLoad.after(before, ProcessCpuTime.nanos() - own);
    return result;
  }
}
