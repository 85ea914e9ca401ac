package io.weir.bench.fork;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * A JVM of the same kind as this one that runs commands, line by line. It ends when it is closed,
 * and when this JVM dies.
 */
public final class WorkerJvm implements AutoCloseable {
  private static final int MAX_FRAMES = 20;

  private final String name;
  private final Process process;
  private final Path errors;
  private final BufferedReader in;
  private final BufferedWriter out;
  private final Thread killer;

  private WorkerJvm(String name, Process process, Path errors) {
    this.name = name;
    this.process = process;
    this.errors = errors;
    in = process.inputReader(StandardCharsets.UTF_8);
    out = process.outputWriter(StandardCharsets.UTF_8);
    killer = new Thread(process::destroyForcibly);
    Runtime.getRuntime().addShutdownHook(killer);
  }

  /** Starts {@code main}. */
  public static WorkerJvm start(Class<?> main, List<String> flags, List<String> args)
      throws IOException {
    List<String> command = new ArrayList<>(ChildJvm.command(flags, List.of()));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(args);
    Path errors = Files.createTempFile("bench", ".err");
    Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    return new WorkerJvm(main.getSimpleName() + " " + args, process, errors);
  }

  /** The process id. */
  public long pid() {
    return process.pid();
  }

  /** Sends it a command. */
  public void send(Object... words) throws IOException {
    StringBuilder line = new StringBuilder();
    for (Object word : words) {
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    out.write(line.append('\n').toString());
    out.flush();
  }

  /** Waits for its next output, which must begin with {@code subject}. */
  public ChildLine receive(String subject) throws IOException {
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      if (line.startsWith(ChildOutput.MARK)) {
        ChildLine childLine =
            new ChildLine(List.of(line.substring(ChildOutput.MARK.length()).split("\t", -1)));
        if (childLine.subject().equals(ChildOutput.CPU)) {
          continue; // the last line: it is about to end
        }
        if (!childLine.subject().equals(subject)) {
          throw new IOException(
              name + " said " + childLine + " where " + subject + " was expected");
        }
        return childLine;
      }
    }
    throw new IOException(name + " has ended:\n" + errors());
  }

  /** Its standard error, without the middle of long stack traces. */
  private String errors() throws IOException {
    List<String> lines = Files.readAllLines(errors);
    List<String> shown = new ArrayList<>();
    int frames = 0;
    for (String line : lines) {
      frames = line.startsWith("\tat ") ? frames + 1 : 0;
      if (frames < MAX_FRAMES) {
        shown.add(line);
      }
    }
    return String.join("\n", shown);
  }

  @Override
  public void close() {
    try {
      out.close();
      process.onExit().orTimeout(10, TimeUnit.SECONDS).join();
    } catch (IOException | CompletionException e) {
      // It no longer reads commands.
    }
    process.destroyForcibly();
    Runtime.getRuntime().removeShutdownHook(killer);
    try {
      Files.deleteIfExists(errors);
    } catch (IOException e) {
      // The operating system ends it.
    }
  }
}
