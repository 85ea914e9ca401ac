package io.weir.bench.server;

import io.weir.bench.program.Cores;
import io.weir.bench.program.RedisServer;
import io.weir.bench.program.RunningProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A server under test.
 *
 * <p>A JVM starts on all cores and stays there until it is warm; then it is moved to the server's
 * core. Other programs start on that core: they compile nothing, and choose their number of threads
 * by the cores that they see.
 */
public final class ServerProcess implements AutoCloseable {
  private final RunningProgram runningProgram;
  private final int port;
  private final boolean isJvm;
  private final Optional<RedisServer> redis;
  private Optional<Path> flight = Optional.empty();
  private Optional<Allocation> allocation = Optional.empty();
  private boolean isPinned;
  private boolean isClosed;

  /** Waits until it listens. */
  ServerProcess(RunningProgram runningProgram, int port, boolean isJvm, Optional<RedisServer> redis)
      throws IOException {
    this.runningProgram = runningProgram;
    this.port = port;
    this.isJvm = isJvm;
    this.redis = redis;
    isPinned = !isJvm;
    try {
      runningProgram.awaitPort(port);
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /** Keeps its flight recording in {@code file}. */
  ServerProcess recorded(Optional<Path> file) {
    flight = file;
    return this;
  }

  int port() {
    return port;
  }

  boolean isJvm() {
    return isJvm;
  }

  /** Returns whether this call moved it. */
  boolean pin(Cores cores) throws IOException, InterruptedException {
    if (isPinned) {
      return false;
    }
    cores.moveToServer(runningProgram.pid());
    isPinned = true;
    return true;
  }

  /** The resources that it has used so far. */
  record Use(double cpuMicros, double storeMicros, double bytes) {
    Use since(Use before) {
      return new Use(
          cpuMicros - before.cpuMicros, storeMicros - before.storeMicros, bytes - before.bytes);
    }
  }

  /** Reads allocation first, so that reading the rest is not counted. */
  Use before() throws IOException {
    double bytes = bytes();
    double store = storeMicros();
    return new Use(runningProgram.cpuMicros(), store, bytes);
  }

  /** The same in the opposite order. */
  Use after() throws IOException {
    double micros = runningProgram.cpuMicros();
    double store = storeMicros();
    return new Use(micros, store, bytes());
  }

  private double storeMicros() throws IOException {
    return redis.isPresent() ? redis.get().cpuMicros() : Double.NaN;
  }

  private double bytes() throws IOException {
    if (!isJvm) {
      return Double.NaN;
    }
    if (allocation.isEmpty()) {
      allocation = Optional.of(Allocation.of(runningProgram.pid()));
    }
    return allocation.get().bytes();
  }

  /** A failure, with the output of the server. */
  IOException failure(IOException cause) throws IOException {
    IOException failure = runningProgram.failure("failed (" + cause.getMessage() + ")");
    failure.initCause(cause);
    return failure;
  }

  private void dump(Path file) throws IOException {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    try {
      new ProcessBuilder(jcmd.toString(), "" + runningProgram.pid(), "JFR.dump", "filename=" + file)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() throws IOException {
    if (isClosed) {
      return;
    }
    isClosed = true;
    if (flight.isPresent()) {
      dump(flight.get());
    }
    if (allocation.isPresent()) {
      allocation.get().close();
    }
    runningProgram.close();
    if (redis.isPresent()) {
      redis.get().close();
    }
  }
}
