package io.weir.bench.server;

import io.weir.bench.fork.ChildLine;
import io.weir.bench.fork.WorkerJvm;
import io.weir.bench.load.Generator;
import io.weir.bench.load.RequestTemplate;
import io.weir.bench.program.Cores;
import io.weir.bench.program.RunningProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;

/** The load generator, on the clients' core. */
public final class LoadGenerator implements AutoCloseable {
  private static final List<String> JVM_FLAGS = List.of("-Xms256m", "-Xmx256m", "-XX:+UseSerialGC");

  private final WorkerJvm jvm;
  private final Path file;
  private final List<RunningProgram> companions = new ArrayList<>();
  private Optional<Target> target = Optional.empty();

  private record Target(int port, RequestTemplate requestTemplate) {}

  /**
   * The responses to a run.
   *
   * @param good including the tolerated
   */
  record RunResult(long good, long tolerated, long bad, double seconds) {}

  /** Starts it. */
  public LoadGenerator(Cores cores) throws IOException, InterruptedException {
    file = Files.createTempFile("bench", ".question");
    jvm = WorkerJvm.start(Generator.class, JVM_FLAGS, List.of());
    jvm.receive("ready");
    cores.moveToClient(jvm.pid());
  }

  /**
   * Another program takes part in every request on the same core; counts its processor time too.
   */
  public void shareCoreWith(RunningProgram program) {
    companions.add(program);
  }

  /** The processor time used on the clients' core so far. */
  long cpuMicros() throws IOException {
    long micros = RunningProgram.cpuMicros(jvm.pid());
    for (RunningProgram program : companions) {
      micros += program.cpuMicros();
    }
    return micros;
  }

  /** Sends requests for a while, in a closed loop. */
  RunResult run(int port, RequestTemplate requestTemplate, int millis) throws IOException {
    aim(port, requestTemplate);
    jvm.send("run", millis);
    ChildLine childLine = jvm.receive("run");
    warnOfBadResponses(childLine);
    return new RunResult(
        childLine.whole(0), childLine.whole(1), childLine.whole(2), childLine.whole(3) / 1e9);
  }

  /**
   * Sends requests for a while in an open loop; {@code bad} receives the number of bad responses.
   */
  Sample.Latency pace(
      int port, RequestTemplate requestTemplate, int millis, double perSecond, LongConsumer bad)
      throws IOException {
    aim(port, requestTemplate);
    jvm.send("pace", millis, perSecond);
    ChildLine childLine = jvm.receive("pace");
    warnOfBadResponses(childLine);
    bad.accept(childLine.whole(2));
    return new Sample.Latency(
        perSecond,
        childLine.number(5) / 1000,
        childLine.number(6) / 1000,
        childLine.number(7) / 1000,
        childLine.number(8) / 1000,
        childLine.number(9) / 1000);
  }

  private void aim(int port, RequestTemplate requestTemplate) throws IOException {
    Optional<Target> next = Optional.of(new Target(port, requestTemplate));
    if (!next.equals(target)) {
      requestTemplate.write(file);
      jvm.send("aim", port, file);
      jvm.receive("aimed");
      target = next;
    }
  }

  private static void warnOfBadResponses(ChildLine childLine) {
    if (childLine.whole(2) > 0) {
      System.err.println(
          "bad responses: " + childLine.whole(2) + "; the first: " + childLine.text(4));
    }
  }

  @Override
  public void close() throws IOException {
    jvm.close();
    Files.deleteIfExists(file);
  }
}
