package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.weir.cli.node.JsonValue;
import io.weir.rig.Await;
import io.weir.rig.Ports;
import io.weir.rig.ProcessReaper;
import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleFiles;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code weir top} without a terminal. */
@Tag("slow")
class TopCommandTest {
  private static Server server;

  @TempDir private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void start() {
    server = Server.start(ServerSettings.DEMO.onFreePorts());
  }

  /** For each of them: the numbers are those of the last minute. */
  @BeforeEach
  void sendRequests() throws Exception {
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
  void printsOnceAsText() {
    assertThat(weir(Map.of(), "top", "--once", "--admin", admin())).isZero();
    assertThat(out.toString())
        .startsWith("weir ")
        .contains(
            "store memory OK",
            "allowed ",
            "RULE ",
            "client ",
            "login ",
            "█",
            "shadow: fixed-window 5 per minute\n")
        .doesNotContain("\u001b");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void printsOnceAsJson() {
    assertThat(weir(Map.of("WEIR_ADMIN", admin()), "top", "--once", "--json")).isZero();
    assertThat(out.toString())
        .startsWith("{\"time\":")
        .contains("\"totals\":{\"requests\":", "\"rule\":\"client\"")
        .hasLineCount(1);
    JsonValue output = JsonValue.of(out.toString());
    assertThat(output.at("rule").isNothing()).isTrue();
    assertThat(output.at("rates.allowed").decimal()).isPositive();
    assertThat(output.at("rates.denied").decimal()).isPositive();
    assertThat(output.at("rates.unmatched").isNothing()).isFalse();
    assertThat(output.at("series.denied").numbers()).hasSize(300);
    assertThat(names(output.at("rules.items"))).contains("client", "login", "search");
    assertThat(output.at("keys.window").text()).isEqualTo("minute");
    JsonValue refused = output.at("keys.refused").items().get(0);
    assertThat(refused.at("rule").text()).isEqualTo("client");
    assertThat(refused.at("key").text()).isEqualTo("127.0.0.1");
    assertThat(refused.at("id").text()).matches("[0-9a-f]{16}");
    assertThat(refused.at("count").number()).isPositive();
    assertThat(output.at("keys.near").isNothing()).isFalse();
    assertThat(output.at("keys.would_be_refused").isNothing()).isFalse();
  }

  /** To the last request, in JSON and in words. */
  @Test
  void theNumbersAreThoseOfTheTraffic() throws Exception {
    String yaml = "rules: [ { name: r, per: ip, limit: 5 per hour } ]";
    RuleSet rules = RuleFiles.read("rules.yaml", yaml.getBytes(UTF_8)).rules().orElseThrow();
    try (Server own = Server.start(ServerSettings.DEMO.onFreePorts(), rules)) {
      HttpClient client = HttpClient.newHttpClient();
      URI api = URI.create("http://127.0.0.1:" + own.gatewayPort() + "/a");
      for (int i = 0; i < 12; i++) {
        client.send(HttpRequest.newBuilder(api).build(), HttpResponse.BodyHandlers.discarding());
      }
      String admin = "http://127.0.0.1:" + own.adminPort();
      assertThat(weir(Map.of(), "top", "--once", "--json", "--admin", admin)).isZero();
      JsonValue output = JsonValue.of(out.toString());
      assertThat(output.at("totals.allowed").number()).isEqualTo(5);
      assertThat(output.at("totals.denied").number()).isEqualTo(7);
      assertThat(output.at("minute.denied").number()).isEqualTo(7);
      assertThat(sum(output.at("series.allowed"))).isEqualTo(5);
      assertThat(sum(output.at("series.denied"))).isEqualTo(7);
      double seconds = output.at("rates.seconds").decimal();
      assertThat(output.at("rates.allowed").decimal() * seconds).isCloseTo(5, within(0.1));
      assertThat(output.at("rates.denied").decimal() * seconds).isCloseTo(7, within(0.1));
      assertThat(output.at("keys.refused").items().get(0).at("count").number()).isEqualTo(7);

      out.getBuffer().setLength(0);
      assertThat(weir(Map.of(), "top", "--once", "--admin", admin)).isZero();
      assertThat(out.toString())
          .containsPattern("(?m)^r  .* 58\\.3%  .* 1  5 per hour$")
          .containsPattern("(?m)^r .* [0-9a-f]{16} +7$");
    }
  }

  private static long sum(JsonValue slots) {
    return LongStream.of(slots.numbers()).filter(slot -> slot > 0).sum(); // -1: not running yet
  }

  private static List<String> names(JsonValue items) {
    return items.items().stream().map(each -> each.at("rule").text()).toList();
  }

  @Test
  void showsOneRuleAlone() {
    String[] client = {"top", "--once", "--json", "--admin", admin(), "--rule", "client"};
    assertThat(weir(Map.of(), client)).isZero();
    JsonValue busy = JsonValue.of(out.toString());
    assertThat(busy.at("rule").text()).isEqualTo("client");
    assertThat(names(busy.at("rules.items"))).containsExactly("client");
    assertThat(busy.at("rates.denied").decimal()).isPositive();
    assertThat(names(busy.at("keys.refused"))).containsOnly("client");
    out.getBuffer().setLength(0);
    String[] login = {"top", "--once", "--json", "--admin", admin(), "--rule", "login"};
    assertThat(weir(Map.of(), login)).isZero();
    JsonValue idle = JsonValue.of(out.toString());
    assertThat(idle.at("rates.denied").decimal()).isZero();
    assertThat(idle.at("series.denied").numbers()).doesNotContain(1, 2, 3, 4, 5);
    assertThat(idle.at("keys.refused").items()).isEmpty();
    out.getBuffer().setLength(0);
    assertThat(weir(Map.of(), "top", "--once", "--admin", admin(), "--rule", "client")).isZero();
    assertThat(out.toString())
        .contains("client, last 5m", "127.0.0.1", "MOST REFUSED")
        .doesNotContain("login", "search", "allowed 0/s", "unmatched");
    out.getBuffer().setLength(0);
    assertThat(weir(Map.of(), "top", "--once", "--admin", admin(), "--rule", "login")).isZero();
    assertThat(out.toString()).contains("allowed 0/s  refused 0/s", "none in the last minute");
  }

  @Test
  void reportsErrorsInOneLine() throws Exception {
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
  void unknownRuleIsAUsageError() {
    for (String how : List.of("", "--once", "--once --json")) { // the first: a line each second
      List<String> top = new ArrayList<>(List.of("top", "--admin", admin(), "--rule", "clint"));
      Stream.of(how.split(" ")).filter(option -> !option.isEmpty()).forEach(top::add);
      assertThat(weir(Map.of(), top.toArray(String[]::new))).isEqualTo(2);
      assertThat(err.toString())
          .isEqualTo("weir top: there is no rule 'clint'; did you mean 'client'?\n");
      err.getBuffer().setLength(0);
    }
    assertThat(out.toString()).isEmpty();
  }

  /** A node that is restarted is waited for. */
  @Test
  void continuesWhenTheNodeDoesNotRespond() throws Exception {
    int port = Ports.free();
    ServerSettings serverSettings =
        ServerSettings.DEMO.onFreePorts().toBuilder().adminPort(port).build();
    Server server = Server.start(serverSettings);
    String url = "http://127.0.0.1:" + port;
    StringWriter output = new StringWriter();
    Thread top =
        new Thread(
            () ->
                Main.run(
                    new PrintWriter(output, true),
                    new PrintWriter(err, true),
                    Map.of(),
                    new String[] {"top", "--admin", url}));
    top.setDaemon(true);
    top.start();
    try {
      Await.holds("it says something", () -> output.toString().contains("store ok"));
      server.close();
      Await.holds(
          "it says so, and goes on",
          () -> output.toString().split("not answering: nothing listens", -1).length > 2);
      int before = output.toString().length();
      server = Server.start(serverSettings);
      Await.holds("it is back", () -> output.toString().substring(before).contains("store ok"));
    } finally {
      server.close();
      top.interrupt();
      top.join(30_000);
    }
  }

  @Test
  void sendsTheToken() {
    ServerSettings guarded =
        ServerSettings.DEMO.onFreePorts().toBuilder()
            .adminToken(new ServerSettings.Secret("s3cret"))
            .build();
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
  void printsALineEachSecondWithoutTerminalUntilOutputIsClosed() throws Exception {
    Process piped = start(List.of("sh", "-c", command() + " | head -n 2"));
    assertThat(end(piped)).isZero();
    assertThat(output())
        .containsPattern("(?m)^[0-9:]{8}  allowed/s \\S+  refused/s \\S+ .* store ok$")
        .doesNotContain("\u001b");
  }

  private static String command() {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String path = System.getProperty("java.class.path");
    return "'" + java + "' -cp '" + path + "' " + Main.class.getName() + " top --admin " + admin();
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
    ProcessReaper.born(process);
    return process;
  }

  private String output() throws IOException {
    return new String(Files.readAllBytes(directory.resolve("said")), UTF_8);
  }

  private static int end(Process process) throws InterruptedException {
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("it ends").isTrue();
    ProcessReaper.died(process);
    return process.exitValue();
  }
}
