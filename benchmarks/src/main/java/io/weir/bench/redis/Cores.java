package io.weir.bench.redis;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Who runs where: the server on the first core, all who ask it on the second. */
final class Cores {
  private static final int SERVER = 0;
  private static final int CLIENT = 1;

  private final String taskset;

  Cores() {
    if (Runtime.getRuntime().availableProcessors() < 2) {
      throw new IllegalArgumentException("needs two processors: one for Redis, one for who asks");
    }
    taskset = Programs.taskset().toString();
  }

  /** A command that runs on the server's core. */
  List<String> atServer(List<String> command) {
    return pinned(SERVER, command);
  }

  /** A command that runs on the clients' core. */
  List<String> atClient(List<String> command) {
    return pinned(CLIENT, command);
  }

  private List<String> pinned(int core, List<String> command) {
    List<String> all = new ArrayList<>(List.of(taskset, "-c", "" + core));
    all.addAll(command);
    return all;
  }

  /**
   * Moves a running process and its threads to the clients' core. JVMs are warmed up on all cores
   * before: what compiles would otherwise compete with what is to be compiled.
   */
  void moveToClient(long pid) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(taskset, "-a", "-c", "-p", "" + CLIENT, "" + pid)
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes());
    if (process.waitFor() != 0) {
      throw new IOException("taskset failed: " + said.strip());
    }
  }
}
