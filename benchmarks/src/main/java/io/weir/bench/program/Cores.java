package io.weir.bench.program;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The assignment of processes to cores: the server on the first core, its clients on the second.
 */
public final class Cores {
  private static final int SERVER = 0;
  private static final int CLIENT = 1;
  private static final int STORE = Math.min(2, Runtime.getRuntime().availableProcessors() - 1);

  private final String taskset;

  /** Needs two processors. */
  public Cores() {
    if (Runtime.getRuntime().availableProcessors() < 2) {
      throw new IllegalArgumentException(
          "needs two processors: one for the server, one for the load generator");
    }
    taskset = Programs.taskset().toString();
  }

  /** A command that runs on the server's core. */
  public List<String> atServer(List<String> command) {
    return pinned(SERVER, command);
  }

  /** A command that runs on the clients' core. */
  public List<String> atClient(List<String> command) {
    return pinned(CLIENT, command);
  }

  /**
   * A command that runs on the store's core: a third core, or the clients' core if there is none.
   */
  public List<String> atStore(List<String> command) {
    return pinned(STORE, command);
  }

  private List<String> pinned(int core, List<String> command) {
    List<String> all = new ArrayList<>(List.of(taskset, "-c", "" + core));
    all.addAll(command);
    return all;
  }

  /**
   * Moves a running process and its threads to the clients' core. JVMs are warmed up on all cores
   * first, because the JIT threads would otherwise compete with the code to be compiled.
   */
  public void moveToClient(long pid) throws IOException, InterruptedException {
    move(CLIENT, pid);
  }

  /** The same to the server's core. */
  public void moveToServer(long pid) throws IOException, InterruptedException {
    move(SERVER, pid);
  }

  private void move(int core, long pid) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(taskset, "-a", "-c", "-p", "" + core, "" + pid)
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes());
    if (process.waitFor() != 0) {
      throw new IOException("taskset failed: " + output.strip());
    }
  }
}
