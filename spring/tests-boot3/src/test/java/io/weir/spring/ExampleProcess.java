package io.weir.spring;

import io.weir.rig.Await;
import io.weir.rig.Program;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** An example in a process of its own. */
final class ExampleProcess implements AutoCloseable {
  private static final Duration START = Duration.ofMinutes(2);
  private static final Pattern PORT = Pattern.compile("(?:Tomcat|Netty) started on port (\\d+)");

  private final Program program;

  private ExampleProcess(Program program) {
    this.program = program;
  }

  /** Begins to start one; {@link #browser} waits for it. */
  static ExampleProcess start(String main, String kind, String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                classPath(),
                main,
                "--server.port=0",
                "--spring.main.web-application-type=" + kind));
    command.addAll(List.of(arguments));
    return new ExampleProcess(Program.start(Program.directory("spring"), command, () -> true));
  }

  /** Both web stacks are here, and Spring Security, which the examples do without. */
  private static String classPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> !entry.contains("security") && !entry.endsWith("test-classes"))
        .collect(Collectors.joining(File.pathSeparator));
  }

  TestHttpClient testHttpClient() {
    Await.holds(
        () -> "it listens; it said:\n" + program.log(),
        START,
        () -> !program.isRunning() || PORT.matcher(program.log()).find());
    Matcher port = PORT.matcher(program.log());
    if (!port.find()) {
      throw new AssertionError("it did not start:\n" + program.log());
    }
    return new TestHttpClient(Integer.parseInt(port.group(1)));
  }

  String log() {
    return program.log();
  }

  @Override
  public void close() {
    program.close();
  }
}
