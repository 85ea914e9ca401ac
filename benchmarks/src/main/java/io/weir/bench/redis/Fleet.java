package io.weir.bench.redis;

import io.weir.bench.fork.ChildLine;
import io.weir.bench.fork.WorkerJvm;
import io.weir.bench.program.Cores;
import io.weir.bench.program.RedisServer;
import io.weir.bench.redis.node.Allowance;
import io.weir.bench.redis.node.Client;
import io.weir.bench.redis.node.Node;
import io.weir.bench.rounds.MeasuredCase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Several JVMs with the same client library, which check the same keys in the same Redis. */
final class Fleet implements MeasuredCase<Sample> {
  private static final List<String> JVM_FLAGS = List.of("-Xms512m", "-Xmx512m", "-XX:+UseG1GC");
  private static final long TOGETHER_NANOS = 50_000_000;
  private static final int AFTER_PINNING_MILLIS = 500;
  private static final int WARM_UP_STEP_MILLIS = 1000;
  private static final double WARM_SHARE = 0.5;
  private static final double MAX_WARM_UP = 5;

  private final Client client;
  private final RedisServer server;
  private final Cores cores;
  private final String label;
  private final List<WorkerJvm> nodes = new ArrayList<>();
  private int starters = 1;

  Fleet(
      Client client,
      RedisServer server,
      int size,
      Cores cores,
      String settings,
      String label,
      Optional<Path> flights)
      throws IOException {
    this.client = client;
    this.server = server;
    this.cores = cores;
    this.label = label;
    for (int i = 0; i < size; i++) {
      List<String> flags = new ArrayList<>(JVM_FLAGS);
      if (flights.isPresent()) {
        Path file = flights.get().resolve(client.id() + "-" + server.port() + "-" + i + ".jfr");
        flags.add("-XX:StartFlightRecording:settings=profile,filename=" + file.toAbsolutePath());
      }
      nodes.add(
          WorkerJvm.start(Node.class, flags, List.of(client.id(), "" + server.port(), settings)));
    }
    for (WorkerJvm node : nodes) {
      node.receive("ready");
    }
  }

  RedisServer server() {
    return server;
  }

  /** Opens the limiter for further checks. */
  Fleet open(String name, int keys, Allowance allowance) throws IOException {
    for (WorkerJvm node : nodes) {
      node.send("open", name, keys, String.join(" ", allowance.words()));
      node.receive("opened");
    }
    return this;
  }

  /** The same with a sliding log of an hour, which only Weir has. */
  void openLog(String name, int keys, long permits) throws IOException {
    for (WorkerJvm node : nodes) {
      node.send("log", name, keys, permits);
      node.receive("opened");
    }
  }

  /** The number of threads that start callers: more than one if responses come at once. */
  Fleet startedBy(int threads) {
    starters = threads;
    return this;
  }

  void pin() throws IOException, InterruptedException {
    for (WorkerJvm node : nodes) {
      cores.moveToClient(node.pid());
    }
  }

  @Override
  public String label() {
    return label;
  }

  Client client() {
    return client;
  }

  @Override
  public void warmUp(int millis) throws IOException, InterruptedException {
    long start = System.nanoTime();
    double busyMillis = 0;
    double elapsed = 0;
    // By processor time, not by the clock alone: nodes share the cores with each other and maybe
    // with other processes.
    while (elapsed < millis
        || busyMillis < WARM_SHARE * millis * nodes.size() && elapsed < MAX_WARM_UP * millis) {
      busyMillis += closed(Math.min(millis, WARM_UP_STEP_MILLIS)).clientMicros() / 1000;
      elapsed = (System.nanoTime() - start) / 1e6;
    }
    pin();
    measure(AFTER_PINNING_MILLIS);
  }

  @Override
  public Sample measure(int millis) throws IOException, InterruptedException {
    return sample(closed(millis));
  }

  /** The counts of the nodes, and what Redis saw of them. */
  record Counts(
      long allowed,
      long refused,
      long failed,
      double seconds,
      double clientMicros,
      double serverMicros,
      long calls) {
    long decided() {
      return allowed + refused;
    }
  }

  /** Checks in a closed loop for a while, on all nodes together. */
  Counts closed(int millis) throws IOException {
    return counts(
        "closed", "closed " + (System.nanoTime() + TOGETHER_NANOS) + " " + millis + " " + starters);
  }

  /** Each node makes {@code total} checks, one key after the other. */
  Counts count(long total) throws IOException {
    return counts("count", "count " + total);
  }

  private Counts counts(String subject, String line) throws IOException {
    double cpu = server.cpuMicros();
    RedisServer.ScriptCalls calls = server.scriptCalls();
    for (WorkerJvm node : nodes) {
      node.send(line);
    }
    long[] sums = new long[3];
    double seconds = 0;
    double clientMicros = 0;
    for (WorkerJvm node : nodes) {
      ChildLine childLine = node.receive(subject);
      for (int i = 0; i < sums.length; i++) {
        sums[i] += childLine.whole(i);
      }
      seconds = Math.max(seconds, childLine.whole(3) / 1e9);
      clientMicros += childLine.whole(4) / 1e3;
    }
    return new Counts(
        sums[0],
        sums[1],
        sums[2],
        seconds,
        clientMicros,
        server.cpuMicros() - cpu,
        server.scriptCalls().since(calls).calls());
  }

  private static Sample sample(Counts counts) {
    double decided = Math.max(1, counts.decided());
    return new Sample(
        counts.decided() / counts.seconds,
        counts.clientMicros / decided,
        counts.serverMicros / decided,
        counts.calls / counts.seconds,
        counts.failed);
  }

  /** Sends one command to a fleet of one node. */
  ChildLine request(String subject, Object... words) throws IOException {
    send(words);
    return receive(subject);
  }

  void send(Object... words) throws IOException {
    nodes.get(0).send(words);
  }

  ChildLine receive(String subject) throws IOException {
    return nodes.get(0).receive(subject);
  }

  @Override
  public void close() throws IOException {
    nodes.forEach(WorkerJvm::close);
    server.close();
  }
}
