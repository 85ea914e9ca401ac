package io.weir.bench.fork;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.runner.CompilerHints;

/** Starts JVMs of the same kind as this one, one at a time, and collects their output. */
public final class ChildJvm {
  private static final long TIMEOUT_MINUTES = 15;

  private final List<String> flags;
  private final MachineLoad machineLoad;

  /** Starts all of them with {@code flags}. */
  public ChildJvm(List<String> flags) {
    this(flags, new MachineLoad());
  }

  /**
   * Starts all of them with {@code flags}.
   *
   * @param machineLoad monitors the machine meanwhile
   */
  public ChildJvm(List<String> flags, MachineLoad machineLoad) {
    this.flags = List.copyOf(flags);
    this.machineLoad = machineLoad;
  }

  /** How busy the machine was with other work while the children ran. */
  public MachineLoad machineLoad() {
    return machineLoad;
  }

  /**
   * Runs {@code main} and waits for it.
   *
   * @throws Failed if it fails; the message contains its standard error
   */
  public List<ChildLine> run(Class<?> main, List<String> moreFlags, List<String> args)
      throws InterruptedException, Failed {
    List<String> command = new ArrayList<>(command(flags, moreFlags));
    CompilerHints.addCompilerHints(command);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(args);
    try {
      Path errors = Files.createTempFile("bench", ".err");
      try {
        return run(command, errors);
      } finally {
        Files.delete(errors);
      }
    } catch (IOException e) {
      throw new Failed(main.getSimpleName() + " " + args + ": " + e);
    }
  }

  private List<ChildLine> run(List<String> command, Path errors)
      throws IOException, InterruptedException, Failed {
    MachineLoad.Before before = machineLoad.before();
    Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    Thread killer = new Thread(process::destroyForcibly);
    Runtime.getRuntime().addShutdownHook(killer);
    CompletableFuture.delayedExecutor(TIMEOUT_MINUTES, TimeUnit.MINUTES)
        .execute(process::destroyForcibly);
    List<ChildLine> childLines = new ArrayList<>();
    long cpuNanos = 0;
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.startsWith(ChildOutput.MARK)) {
          continue;
        }
        ChildLine childLine =
            new ChildLine(List.of(line.substring(ChildOutput.MARK.length()).split("\t", -1)));
        if (childLine.subject().equals(ChildOutput.CPU)) {
          cpuNanos = childLine.whole(0);
        } else {
          childLines.add(childLine);
        }
      }
    }
    int exit = process.waitFor();
    Runtime.getRuntime().removeShutdownHook(killer);
    if (exit != 0) {
      throw new Failed("exit " + exit + ": " + Files.readString(errors).strip());
    }
    machineLoad.after(before, cpuNanos);
    return childLines;
  }

  /** The command of a JVM like this one, without a main class. */
  static List<String> command(List<String> flags, List<String> moreFlags) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(commonFlags());
    command.addAll(flags);
    command.addAll(moreFlags);
    return command;
  }

  private static List<String> commonFlags() {
    List<String> common =
        new ArrayList<>(
            List.of(
                "-Djmh.ignoreLock=true",
                "-XX:+EnableDynamicAgentLoading",
                "--enable-native-access=ALL-UNNAMED"));
    if (Runtime.version().feature() >= 23) {
      common.add("--sun-misc-unsafe-memory-access=allow");
    }
    return common;
  }

  /** A child that failed. */
  public static final class Failed extends Exception {
    private static final long serialVersionUID = 1;

    Failed(String message) {
      super(message);
    }
  }
}
