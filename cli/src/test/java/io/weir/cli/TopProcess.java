package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.Await;
import io.weir.rig.ProcessReaper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * {@code weir top} in its own terminal. A shell around it records the terminal's settings before
 * the start, while stopped, and after the end.
 */
final class TopProcess implements AutoCloseable {
  static final String ENTER = "\u001b[?1049h";
  static final String LEAVE = "\u001b[?1049l";
  private static final Duration TIMEOUT = Duration.ofMinutes(2); // a machine may be very busy

  private final Path directory;
  private final Process process;
  private int before; // the last that was done to it

  TopProcess(Path directory, int adminPort) throws IOException {
    this.directory = directory;
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String path = System.getProperty("java.class.path");
    Files.writeString(
        directory.resolve("top"),
        "echo $$ > pid; exec '%s' -cp '%s' %s top --admin http://127.0.0.1:%d\n"
            .formatted(java, path, Main.class.getName(), adminPort));
    Files.writeString(
        directory.resolve("shell"),
        """
        set -m # programs can be stopped
        stty cols 100 rows 30
        tty > tty
        stty -g > before
        bash ./top
        code=$?
        while [ -n "$(jobs -s)" ]; do
          stty -g > stopped.part; mv stopped.part stopped
          until [ -e go ]; do sleep 0.05; done
          rm go
          fg > /dev/null
          code=$?
        done
        stty -g > after
        exit $code
        """);
    ProcessBuilder builder =
        new ProcessBuilder("script", "-qfec", "bash ./shell", "/dev/null")
            .directory(directory.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("WEIR_"));
    builder.environment().put("TERM", "xterm-256color");
    builder.environment().put("SHELL", "/bin/sh"); // which script would start
    process =
        builder
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("said").toFile())
            .start();
    ProcessReaper.born(process);
  }

  void press(String keys) throws IOException {
    before = output().length();
    process.getOutputStream().write(keys.getBytes(UTF_8));
    process.getOutputStream().flush();
  }

  String output() throws IOException {
    return new String(Files.readAllBytes(directory.resolve("said")), UTF_8);
  }

  /** Waits until it has shown {@code text}. */
  void shows(String text) {
    showsAfter(0, text);
  }

  /** Waits until it has shown {@code text} since something was done to it. */
  void showsNow(String text) {
    showsAfter(before, text);
  }

  private void showsAfter(int place, String text) {
    Await.holds(
        () -> "it shows '" + text + "': " + tail(),
        TIMEOUT,
        () -> output().indexOf(text, place) >= 0);
  }

  private String tail() {
    try {
      String output = output();
      return output.substring(Math.max(0, output.length() - 3000));
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** How the terminal was set, as soon as that is known. */
  String settings(String when) throws IOException {
    Await.holds(
        () -> "it is written down how it is set " + when,
        TIMEOUT,
        () -> !Files.readString(directory.resolve(when)).isBlank());
    return Files.readString(directory.resolve(when));
  }

  void signal(String name) throws Exception {
    run(List.of("kill", "-" + name, Files.readString(directory.resolve("pid")).strip()));
  }

  void resize(int width, int height) throws Exception {
    String tty = Files.readString(directory.resolve("tty")).strip();
    run(List.of("stty", "-F", tty, "cols", "" + width, "rows", "" + height));
  }

  /** Stopped, it is to go on. */
  void goOn() throws IOException {
    before = output().length();
    Files.createFile(directory.resolve("go"));
  }

  private static void run(List<String> command) throws Exception {
    Process process = new ProcessBuilder(command).inheritIO().start();
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).isZero();
  }

  int exitCode() throws InterruptedException {
    assertThat(process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).as("it ends").isTrue();
    ProcessReaper.died(process);
    return process.exitValue();
  }

  @Override
  public void close() throws Exception {
    if (process.isAlive()) {
      Path pid = directory.resolve("pid");
      if (Files.exists(pid)) {
        new ProcessBuilder("kill", "-KILL", Files.readString(pid).strip()).start().waitFor();
      }
      process.destroyForcibly();
    }
    ProcessReaper.died(process);
  }
}
