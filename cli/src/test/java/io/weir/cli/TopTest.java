package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.Program;
import io.weir.rig.Undertaker;
import io.weir.rig.Until;
import io.weir.server.Server;
import io.weir.server.Settings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code weir top}, in a pseudo-terminal and without one. */
class TopTest {
  private static final String ENTER = "\u001b[?1049h";
  private static final String LEAVE = "\u001b[?1049l";
  private static Server server;

  @TempDir private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void start() throws Exception {
    server = Server.start(Settings.DEMO.onFreePorts());
    HttpClient client = HttpClient.newHttpClient();
    URI api = URI.create("http://127.0.0.1:" + server.gatewayPort() + "/a");
    for (int i = 0; i < 25; i++) { // some of them are too many
      client.send(HttpRequest.newBuilder(api).build(), HttpResponse.BodyHandlers.discarding());
    }
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static String admin() {
    return "http://127.0.0.1:" + server.adminPort();
  }

  private int weir(Map<String, String> environment, String... arguments) {
    return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), environment, arguments);
  }

  @Test
  void saysOnceInPlainWords() {
    assertThat(weir(Map.of(), "top", "--once", "--admin", admin())).isZero();
    assertThat(out.toString())
        .startsWith("weir ")
        .contains("store memory ok", "allowed ", "RULE ", "client ", "login ", "█")
        .doesNotContain("\u001b");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void saysOnceInJson() {
    assertThat(weir(Map.of("WEIR_ADMIN", admin()), "top", "--once", "--json")).isZero();
    assertThat(out.toString())
        .startsWith("{\"time\":")
        .contains("\"totals\":{\"allowed\":", "\"rule\":\"client\"")
        .hasLineCount(1);
  }

  @Test
  void saysWhatIsWrong() throws Exception {
    assertThat(weir(Map.of(), "top", "--admin", "http://127.0.0.1:1")).isEqualTo(3);
    assertThat(err.toString())
        .startsWith("weir top: nothing listens at http://127.0.0.1:1/; start ./weir serve, or")
        .hasLineCount(1);
    err.getBuffer().setLength(0);
    assertThat(weir(Map.of(), "top", "--admin", "localhost:8082")).isEqualTo(2);
    assertThat(err.toString())
        .contains("--admin must be a URL such as http://127.0.0.1:8082, not 'localhost:8082'");
    err.getBuffer().setLength(0);
    assertThat(weir(Map.of(), "top", "--json")).isEqualTo(2);
    assertThat(err.toString()).contains("--json goes with --once");
    err.getBuffer().setLength(0);
    String gateway = "http://127.0.0.1:" + server.gatewayPort();
    assertThat(weir(Map.of(), "top", "--once", "--admin", gateway)).isEqualTo(3);
    assertThat(err.toString()).startsWith("weir top: " + gateway).hasLineCount(1);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void aRuleThatIsNotThereIsAMistakeOfWhoAsks() {
    String[] top = {"top", "--once", "--admin", admin(), "--rule", "clint"};
    assertThat(weir(Map.of(), top)).isEqualTo(2);
    assertThat(err.toString()).contains("there is no rule 'clint'; did you mean 'client'");
  }

  /** A node that is restarted is waited for. */
  @Test
  void goesOnWhenTheNodeDoesNotAnswer() throws Exception {
    Server gone = Server.start(Settings.DEMO.onFreePorts());
    String url = "http://127.0.0.1:" + gone.adminPort();
    StringWriter said = new StringWriter();
    Thread top =
        new Thread(
            () ->
                Main.run(
                    new PrintWriter(said, true),
                    new PrintWriter(err, true),
                    Map.of(),
                    new String[] {"top", "--admin", url}));
    top.setDaemon(true);
    top.start();
    try {
      Until.holds("it says something", () -> said.toString().contains("store ok"));
      gone.close();
      Until.holds(
          "it says so, and goes on",
          () -> said.toString().split("not answering: nothing listens", -1).length > 2);
    } finally {
      gone.close();
      top.interrupt();
      top.join(30_000);
    }
  }

  @Test
  void bringsTheToken() {
    Settings guarded =
        Settings.DEMO.onFreePorts().toBuilder().adminToken(new Settings.Secret("s3cret")).build();
    try (Server closed = Server.start(guarded)) {
      String url = "http://127.0.0.1:" + closed.adminPort();
      assertThat(weir(Map.of(), "top", "--once", "--admin", url)).isEqualTo(3);
      assertThat(err.toString()).contains("wants a token; give it by --token or WEIR_ADMIN_TOKEN");
      assertThat(weir(Map.of("WEIR_ADMIN_TOKEN", "no"), "top", "--once", "--admin", url))
          .isEqualTo(3);
      assertThat(err.toString()).contains("this one is wrong");
      assertThat(weir(Map.of("WEIR_ADMIN_TOKEN", "s3cret"), "top", "--once", "--admin", url))
          .isZero();
    }
  }

  @Test
  void withoutATerminalItSaysALineEachSecondUntilNobodyReads() throws Exception {
    Process piped = start(List.of("sh", "-c", command() + " | head -n 2"));
    assertThat(end(piped)).isZero();
    assertThat(said())
        .containsPattern("(?m)^[0-9:]{8}  allowed/s \\S+  denied/s \\S+ .* store ok$")
        .doesNotContain("\u001b");
  }

  @Test
  void drawsAndObeys() throws Exception {
    Process top = inTerminal();
    await("q quit  s sort: denied");
    assertThat(said()).contains(ENTER, "RULE ", "client", "MOST THROTTLED");
    press(top, "s");
    await("sort: allowed");
    press(top, "\u001b[C");
    await("all rules, last 1h");
    press(top, "\u001b[B");
    press(top, "r");
    await("login, last 1h");
    press(top, "q");
    assertThat(end(top)).isZero();
    assertThat(said()).contains(LEAVE);
    assertGivenBack();
  }

  @Test
  void anInterruptGivesTheTerminalBack() throws Exception {
    Process top = inTerminal();
    await("q quit");
    press(top, "\u0003");
    assertThat(end(top)).isEqualTo(130);
    assertThat(said()).contains(LEAVE);
    assertGivenBack();
  }

  private void assertGivenBack() throws IOException {
    assertThat(Files.readString(directory.resolve("after")))
        .isNotBlank()
        .isEqualTo(Files.readString(directory.resolve("before")));
  }

  private static String command() {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String path = System.getProperty("java.class.path");
    return "'" + java + "' -cp '" + path + "' " + Main.class.getName() + " top --admin " + admin();
  }

  /** In a terminal of its own, which is left as it was found or not. */
  private Process inTerminal() throws IOException {
    Assumptions.assumeTrue(Program.find("script").isPresent(), "script(1) is not installed");
    Path lines =
        Files.writeString(
            directory.resolve("run"),
            "stty cols 100 rows 30; stty -g > before; "
                + command()
                + "; code=$?; stty -g > after; exit $code\n");
    // An interrupt is for the program, not for the shell around it.
    return start(List.of("script", "-qfec", "bash -c 'trap : INT; . " + lines + "'", "/dev/null"));
  }

  private Process start(List<String> command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("WEIR_"));
    builder.environment().put("TERM", "xterm-256color");
    Process process =
        builder
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("said").toFile())
            .start();
    Undertaker.born(process);
    return process;
  }

  private static void press(Process top, String keys) throws IOException {
    top.getOutputStream().write(keys.getBytes(UTF_8));
    top.getOutputStream().flush();
  }

  private String said() throws IOException {
    return new String(Files.readAllBytes(directory.resolve("said")), UTF_8);
  }

  private void await(String text) {
    Until.holds(
        () -> "it shows '" + text + "'", Duration.ofMinutes(2), () -> said().contains(text));
  }

  private static int end(Process process) throws InterruptedException {
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("it ends").isTrue();
    Undertaker.died(process);
    return process.exitValue();
  }
}
