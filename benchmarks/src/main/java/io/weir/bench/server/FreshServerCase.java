package io.weir.bench.server;

import io.weir.bench.rounds.MeasuredCase;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * One kind of request to a server that is started, warmed up and ended for each measurement. JIT
 * compilation differs between JVMs by more than one JVM varies from one second to the next.
 */
final class FreshServerCase implements MeasuredCase<Sample> {
  /** Starts the server. */
  interface Start {
    /** The server and its requests. */
    ServerCase start() throws IOException;
  }

  private final String label;
  private final Start start;
  private @Nullable ServerCase running;

  FreshServerCase(String label, Start start) {
    this.label = label;
    this.start = start;
  }

  @Override
  public String label() {
    return label;
  }

  @Override
  public void warmUp(int millis) {}

  @Override
  public void begin(int warmUpMillis) throws IOException, InterruptedException {
    ServerCase lane = start.start();
    running = lane;
    lane.warmUp(warmUpMillis);
    lane.pin();
  }

  @Override
  public Sample measure(int millis) throws IOException, InterruptedException {
    if (running == null) {
      throw new IllegalStateException("not started");
    }
    return running.measure(millis);
  }

  @Override
  public void end() throws IOException {
    if (running != null) {
      running.close();
      running = null;
    }
  }

  @Override
  public void close() throws IOException {
    end();
  }
}
