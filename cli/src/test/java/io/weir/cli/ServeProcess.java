package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.weir.rig.Await;
import io.weir.rig.ProcessReaper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code weir serve} in a process of its own, on free ports by default. */
public final class ServeProcess implements AutoCloseable {
  private static final Pattern READY =
      Pattern.compile("(?m)^ready gateway=(\\S+) service=(\\S+) admin=(\\S+?)(?: health=(\\S+))?$");
  private static final Pattern READY_LINE =
      Pattern.compile(
          "\"weir.gateway\":\"([^\"]+)\",\"weir.service\":\"([^\"]+)\",\"weir.admin\":\"([^\"]+)\"");
  private static final Duration TIMEOUT = Duration.ofMinutes(2); // a machine may be very busy

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Path directory = ProcessReaper.directory("serve");
  private final Process process;

  /** Starts it; it may not be ready yet, or have failed. */
  ServeProcess(Map<String, String> environment, String... arguments) throws IOException {
    this(List.of(), Main.class, environment, arguments);
  }

  /** Starts it by the main method of another class and with options for Java. */
  ServeProcess(
      List<String> options, Class<?> main, Map<String, String> environment, String... arguments)
      throws IOException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.add("--enable-native-access=ALL-UNNAMED"); // which weir.jar says in its manifest
    line.addAll(options);
    line.addAll(List.of("-cp", classPath(), main.getName()));
    line.add("serve");
    line.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(line);
    builder.environment().keySet().removeIf(name -> name.startsWith("WEIR_"));
    for (String port : List.of("GATEWAY", "SERVICE", "ADMIN")) {
      builder.environment().put("WEIR_" + port + "_PORT", "0");
    }
    builder.environment().putAll(environment);
    process =
        builder
            .redirectOutput(directory.resolve("out").toFile())
            .redirectError(directory.resolve("err").toFile())
            .start();
    ProcessReaper.born(process);
  }

  /** Without SLF4J, which libraries of tests bring along and weir.jar does not have. */
  private static String classPath() {
    String separator = System.getProperty("path.separator");
    return Stream.of(System.getProperty("java.class.path").split(Pattern.quote(separator)))
        .filter(each -> !each.contains("slf4j"))
        .collect(Collectors.joining(separator));
  }

  /** Starts it and waits until it is ready. */
  public static ServeProcess ready(Map<String, String> environment, String... arguments)
      throws IOException {
    return ready(new ServeProcess(environment, arguments));
  }

  /** Waits until it is ready. */
  static ServeProcess ready(ServeProcess serve) {
    try {
      Await.holds(
          () -> "it is ready:\n" + serve.out() + serve.err(),
          TIMEOUT,
          () -> serve.readiness().isPresent() || !serve.process.isAlive());
      if (!serve.process.isAlive()) {
        throw new AssertionError("it ended:\n" + serve.out() + serve.err());
      }
      return serve;
    } catch (AssertionError e) {
      serve.close();
      throw e;
    }
  }

  static ServeProcess ready(String... arguments) throws IOException {
    return ready(Map.of(), arguments);
  }

  URI gateway() {
    return address(1);
  }

  URI service() {
    return address(2);
  }

  public URI admin() {
    return address(3);
  }

  /** Only if it has such a port, and writes text. */
  URI health() {
    return address(4);
  }

  public long pid() {
    return process.pid();
  }

  /** SIGHUP. */
  public void hangUp() throws IOException, InterruptedException {
    assumeFalse(ignoresHangup(), "SIGHUP is ignored, as under nohup, and a JVM keeps it so");
    Process kill = new ProcessBuilder("kill", "-HUP", Long.toString(pid())).inheritIO().start();
    if (kill.waitFor() != 0) {
      throw new AssertionError("no signal could be sent");
    }
  }

  /** Whether this process, and so its children, ignore SIGHUP. */
  private static boolean ignoresHangup() throws IOException {
    Path status = Path.of("/proc/self/status");
    return Files.exists(status)
        && Files.readAllLines(status).stream()
            .filter(line -> line.startsWith("SigIgn:"))
            .map(line -> line.substring(line.length() - 1))
            .anyMatch(lowest -> Integer.parseInt(lowest, 16) % 2 == 1);
  }

  private URI address(int which) {
    MatchResult ready =
        readiness().orElseThrow(() -> new AssertionError("not ready: " + out() + err()));
    return URI.create(ready.group(which));
  }

  /** The last line of the start; as JSON in the log. */
  private Optional<MatchResult> readiness() {
    return Stream.of(READY.matcher(out()), READY_LINE.matcher(err()))
        .filter(Matcher::find)
        .map(Matcher::toMatchResult)
        .findFirst();
  }

  public HttpResponse<String> get(URI url) throws IOException, InterruptedException {
    return client.send(HttpRequest.newBuilder(url).build(), HttpResponse.BodyHandlers.ofString());
  }

  /** Sends a check for a user to the service. */
  HttpResponse<String> check(String user) throws IOException, InterruptedException {
    return get(service().resolve("/v1/check?user=" + user));
  }

  /** Writes to its standard input. */
  void type(String text) throws IOException {
    process.getOutputStream().write(text.getBytes(UTF_8));
    process.getOutputStream().flush();
  }

  /** SIGTERM. */
  public void terminate() {
    process.destroy();
  }

  /** Waits for its end; the exit code. */
  public int exitCode() throws InterruptedException {
    if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("it does not end:\n" + out() + err());
    }
    ProcessReaper.died(process);
    return process.exitValue();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  String out() {
    return read("out");
  }

  String err() {
    return read("err");
  }

  private String read(String name) {
    try {
      return Files.readString(directory.resolve(name), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    ProcessReaper.died(process);
  }
}
