package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.TimeSource;
import io.weir.rules.file.RuleFiles;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code weir keys} against a node that runs. */
class KeysCommandTest {
  private static final String RULES =
      """
      rules:
        - { name: r, per: user, limit: { algorithm: fixed-window, rate: 3 per hour } }
        - { name: all, limit: 1000 per hour }
      """;
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private Server server;

  @BeforeEach
  void start() {
    server =
        Server.builder(
                ServerSettings.DEMO.onFreePorts().toBuilder()
                    .adminToken(new ServerSettings.Secret("secret"))
                    .build())
            .rules(RuleFiles.read("rules.yaml", RULES.getBytes(UTF_8)).rules().orElseThrow())
            .time(TimeSource.manual())
            .start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private int weir(String... args) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    Map<String, String> environment =
        Map.of(
            "WEIR_ADMIN", "http://127.0.0.1:" + server.adminPort(), "WEIR_ADMIN_TOKEN", "secret");
    return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), environment, args);
  }

  @Test
  void readsTheTokenFromItsFile(@TempDir Path dir) throws Exception {
    Path file = Files.writeString(dir.resolve("token"), "secret\n");
    String admin = "http://127.0.0.1:" + server.adminPort();
    Map<String, String> environment =
        Map.of("WEIR_ADMIN", admin, "WEIR_ADMIN_TOKEN_FILE", file.toString());
    String[] get = {"keys", "get", "--rule", "r", "user=ann"};
    PrintWriter writer = new PrintWriter(err, true);
    assertThat(Main.run(writer, writer, environment, get)).as(err.toString()).isZero();

    Files.writeString(file, "\n");
    assertThat(Main.run(writer, writer, environment, get)).isEqualTo(2);
    assertThat(err.toString()).contains("--admin-token-file '" + file + "' is empty");
  }

  private void check(String user, int times) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + server.servicePort() + "/v1/check?user=" + user);
    for (int i = 0; i < times; i++) {
      CLIENT.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.discarding());
    }
  }

  @Test
  void showsGrantsAndResetsKey() throws Exception {
    check("alice-0001", 5);
    assertThat(weir("keys", "get", "--rule", "r", "user=alice-0001")).isZero();
    assertThat(out)
        .hasToString(
            """
            rule r, domain default, key alice-0001
              refused, retry after 3600.0 s
                fixed-window 3 per hour: 0 of 3 left, full again in 3600.0 s
            """);
    assertThat(weir("keys", "grant", "--rule", "r", "user=alice-0001", "--permits", "2")).isZero();
    assertThat(out.toString()).contains("allowed, 2 left");
    assertThat(weir("keys", "reset", "--rule", "r", "user=alice-0001", "--json")).isZero();
    assertThat(out.toString()).startsWith("{\"rule\":\"r\"").contains("\"remaining\":3");
    assertThat(weir("keys", "get", "--rule", "all")).isZero();
    assertThat(out.toString()).contains("one bucket for all").contains("997 left");
  }

  @Test
  void findsRefusedCallersById() throws Exception {
    check("alice-0001", 5);
    HttpRequest top =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.adminPort() + "/v1/top"))
            .header("Authorization", "Bearer secret")
            .build();
    String body = CLIENT.send(top, HttpResponse.BodyHandlers.ofString()).body();
    String id = body.replaceAll(".*\"id\":\"([0-9a-f]{16})\".*", "$1");
    assertThat(weir("keys", "reset", "--rule", "r", "--id", id)).isZero();
    assertThat(out.toString()).contains("key al…01").contains("allowed, 3 left");
    assertThat(weir("keys", "get", "--rule", "r", "--id", "0123456789abcdef")).isEqualTo(1);
    assertThat(err.toString()).startsWith("weir keys get: no caller of this rule is known");
  }

  @ParameterizedTest
  @ValueSource(strings = {"keys", "keys get", "keys reset", "keys grant", "top"})
  void helpDocumentsExamplesTokenAndExitCodes(String command) {
    assertThat(weir((command + " --help").split(" "))).isZero();
    assertThat(out.toString())
        .contains("Examples:\n  weir " + command)
        .contains("put it into WEIR_ADMIN_TOKEN", "Exit codes: 0 good", " 3 the node")
        .doesNotContain("Default: 0", "Default: []");
    assertThat(out.toString().lines()).allMatch(line -> line.length() <= 80);
  }

  @Test
  void reportsMistakesInOneLine() {
    assertWrong(2, "get, reset or grant is missing", "keys");
    assertWrong(2, "--rule RULE is missing", "keys", "get", "user=1");
    assertWrong(2, "there is no rule 'rr'", "keys", "get", "--rule", "rr", "user=1");
    assertWrong(2, "'user' is no attribute; write user=42", "keys", "get", "--rule", "r", "user");
    assertWrong(2, "user", "keys", "get", "--rule", "r");
    assertWrong(2, "not by both", "keys", "get", "--rule", "r", "--id", "1", "user=1");
    assertWrong(2, "'permits' must be", "keys", "grant", "--rule", "r", "u=1", "--permits", "0");
    assertWrong(2, "--admin must be a URL", "keys", "get", "--rule", "r", "--admin", "localhost");
    assertWrong(3, "token", "keys", "get", "--rule", "r", "user=1", "--token", "wrong");
    assertWrong(
        3, "nothing listens at", "keys", "get", "--rule", "r", "--admin", "http://127.0.0.1:1");
  }

  private void assertWrong(int code, String message, String... args) {
    assertThat(weir(args)).as(String.join(" ", args)).isEqualTo(code);
    assertThat(err.toString()).startsWith("weir keys").contains(message).hasLineCount(1);
  }
}
