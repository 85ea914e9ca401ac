package io.weir.bench.server;

import io.weir.bench.load.RequestTemplate;
import io.weir.bench.program.Cores;
import io.weir.bench.rounds.MeasuredCase;
import java.io.IOException;
import java.util.function.LongConsumer;

/** One kind of request to one server; several lanes may share a server. */
final class ServerCase implements MeasuredCase<Sample> {
  private static final int AFTER_PINNING_MILLIS = 1000;
  private static final int STEP = 1000;
  private static final int STEADY_STEPS = 3;
  private static final double CHEAPER = 0.95;
  private static final long WARM_REQUESTS = 200_000;
  private static final double MAX_WARM_UP = 10;
  private static final int PACED = 2;

  private final String label;
  private final ServerProcess serverProcess;
  private final RequestTemplate requestTemplate;
  private final LoadGenerator loadGenerator;
  private final Cores cores;
  private final double share;

  /**
   * @param share of its own maximum at which an open-loop run follows, for twice as long; 0 for
   *     none
   */
  ServerCase(
      String label,
      ServerProcess serverProcess,
      RequestTemplate requestTemplate,
      LoadGenerator loadGenerator,
      Cores cores,
      double share) {
    this.label = label;
    this.serverProcess = serverProcess;
    this.requestTemplate = requestTemplate;
    this.loadGenerator = loadGenerator;
    this.cores = cores;
    this.share = share;
  }

  @Override
  public String label() {
    return label;
  }

  @Override
  public void warmUp(int millis) throws IOException {
    long start = System.nanoTime();
    long good =
        serverProcess.isJvm() ? warmUpJvm(millis, start) : run(Math.min(millis, STEP)).good();
    if (good == 0) {
      throw serverProcess.failure(new IOException("no valid response"));
    }
    if (share > 0) {
      double perSecond = good * 1e9 / (System.nanoTime() - start);
      pace(STEP, share * perSecond, bad -> {});
    }
  }

  /**
   * Measured by work done rather than by time alone, since other processes may use the cores. A JVM
   * counts as warm after many responses, once the cost per request has stopped falling.
   */
  private long warmUpJvm(int millis, long start) throws IOException {
    long good = 0;
    int steady = 0;
    double lowest = Double.MAX_VALUE;
    for (double elapsed = 0;
        elapsed < millis
            || (good < WARM_REQUESTS || steady < STEADY_STEPS) && elapsed < MAX_WARM_UP * millis;
        elapsed = (System.nanoTime() - start) / 1e6) {
      double before = serverProcess.after().cpuMicros();
      long more = run(STEP).good();
      double micros = (serverProcess.after().cpuMicros() - before) / Math.max(1, more);
      steady = micros < CHEAPER * lowest ? 0 : steady + 1;
      lowest = Math.min(lowest, micros);
      good += more;
    }
    return good;
  }

  @Override
  public Sample measure(int millis) throws IOException, InterruptedException {
    pin();
    ServerProcess.Use before = serverProcess.before();
    long clients = loadGenerator.cpuMicros();
    LoadGenerator.RunResult result = run(millis);
    clients = loadGenerator.cpuMicros() - clients;
    ServerProcess.Use use = serverProcess.after().since(before);
    double good = Math.max(1, result.good());
    double perSecond = result.good() / result.seconds();
    long[] bad = {result.bad()};
    Sample.Latency latency =
        share > 0
            ? pace(PACED * millis, share * perSecond, more -> bad[0] += more)
            : Sample.Latency.NONE;
    return new Sample(
        perSecond,
        use.cpuMicros() / good,
        clients / good,
        use.storeMicros() / good,
        use.bytes() / good,
        100 * result.tolerated() / good,
        bad[0],
        latency);
  }

  /** Moves the server to its core, if it is not there yet. */
  void pin() throws IOException, InterruptedException {
    if (serverProcess.pin(cores)) {
      run(AFTER_PINNING_MILLIS);
    }
  }

  private LoadGenerator.RunResult run(int millis) throws IOException {
    try {
      return loadGenerator.run(serverProcess.port(), requestTemplate, millis);
    } catch (IOException e) {
      throw serverProcess.failure(e);
    }
  }

  private Sample.Latency pace(int millis, double perSecond, LongConsumer bad) throws IOException {
    try {
      return loadGenerator.pace(serverProcess.port(), requestTemplate, millis, perSecond, bad);
    } catch (IOException e) {
      throw serverProcess.failure(e);
    }
  }

  @Override
  public void close() throws IOException {
    serverProcess.close();
  }
}
