package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.Await;
import io.weir.rig.RedisProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server logs in a life with everything in it, and what it never shows. */
@Tag("slow")
class LogsTest {
  /** Every one of them is somewhere in the settings, in a request or in the rules' callers. */
  private static final String ADMIN_TOKEN = "adm1n-t0ken-s3cret";

  private static final String SERVICE_TOKEN = "serv1ce-t0ken-s3cret";
  private static final String PASSWORD = "red1s-passw0rd-s3cret";
  private static final String API_KEY = "ap1-key-of-a-caller-s3cret";

  @TempDir Path directory;

  @Test
  void everyLineIsJsonAndNoneShowsASecret() throws Exception {
    Path rules = directory.resolve("rules.yaml");
    Files.writeString(rules, rules("1 per hour"), UTF_8);
    try (RedisProcess redis = RedisProcess.start()) {
      redis.call("CONFIG", "SET", "requirepass", PASSWORD);
      live(redis, rules);
    }
  }

  private static void live(RedisProcess redis, Path rules) throws Exception {
    Map<String, String> environment =
        Map.of(
            "WEIR_ADMIN_TOKEN",
            ADMIN_TOKEN,
            "WEIR_SERVICE_TOKEN",
            SERVICE_TOKEN,
            "WEIR_STORE",
            "redis://:"
                + PASSWORD
                + "@127.0.0.1:"
                + redis.port()
                + "?timeout=10s&connect_timeout=20s",
            "WEIR_LOG_FORMAT",
            "json");
    try (ServeProcess serve = ServeProcess.ready(environment, "--rules", rules.toString())) {
      for (int i = 0; i < 50; i++) {
        send(serve.gateway().resolve("/?token=" + API_KEY), "GET", "X-API-Key", API_KEY);
      }
      URI key = serve.admin().resolve("/v1/keys?rule=calls&api_key=" + API_KEY);
      assertThat(send(key, "DELETE", "Authorization", "Bearer " + ADMIN_TOKEN)).isEqualTo(200);
      assertThat(send(key, "DELETE", "Authorization", "Bearer not-" + ADMIN_TOKEN)).isEqualTo(401);
      Files.writeString(rules, rules("2 per hour"), UTF_8);
      Await.holds("reloaded", () -> serve.err().contains("rules reloaded"));
      Files.writeString(rules, "rules: [ { name: calls, limt: 1 per hour } ]", UTF_8);
      Await.holds("rejected", () -> serve.err().contains("rules rejected"));
      Await.holds("a summary", () -> serve.err().contains("rule calls refused "));
      redis.kill();
      Await.holds(
          "the store is missed",
          () -> {
            send(serve.gateway().resolve("/"), "GET", "X-API-Key", API_KEY);
            return serve.err().contains("cannot be reached");
          });
      serve.terminate();
      assertThat(serve.exitCode()).isZero();

      assertThat(serve.out()).isEmpty();
      List<String> lines = serve.err().lines().toList();
      assertThat(lines)
          .allMatch(
              line ->
                  line.matches(
                      "\\{\"@timestamp\":\"[^\"]+Z\",\"log\\.level\":\"(INFO|WARN|ERROR)\",\"message\":\".*\"log\\.logger\":\"io\\.weir\\.[^\"]+\".*\\}"))
          .anyMatch(
              line -> line.contains("\"service.version\":") && line.contains("\"weir.rules\":2"))
          .anyMatch(
              line ->
                  line.contains("\"weir.changed\":[\"calls\"]")
                      && line.contains(
                          "\"weir.changes\":[{\"rule\":\"calls\",\"before\":\"token-bucket 1 per 1h"))
          .anyMatch(
              line ->
                  line.contains("\"event.action\":\"reset\"") && line.contains("\"weir.id\":\""))
          .anyMatch(line -> line.contains("\"weir.problems\":[\""))
          .anyMatch(
              line ->
                  line.contains("rule calls refused ")
                      && line.contains("of 1 caller at least, e.g. ap…et"))
          .as("an address is no secret")
          .anyMatch(
              line ->
                  line.contains("rule everyone refused ")
                      && line.contains("of 1 caller at least, e.g. 127.0.0.1"))
          .anyMatch(line -> line.contains("\"weir.signal\":\"SIGTERM\""));
      assertThat(lines.stream().filter(line -> line.contains(" refused ")).count())
          .as("a line in ten seconds, not one for each")
          .isBetween(1L, 10L);
      for (String secret : List.of(ADMIN_TOKEN, SERVICE_TOKEN, PASSWORD, API_KEY, "s3cret")) {
        assertThat(serve.out() + serve.err()).doesNotContain(secret);
      }
    }
  }

  /** An error that prevents the start is in the log too. */
  @ParameterizedTest
  @ValueSource(strings = {"--gateway-port=many", "--rules=none.yaml", "--rules=bad.yaml"})
  void mistakesAreJsonToo(String mistake) throws Exception {
    Files.writeString(directory.resolve("bad.yaml"), "rules: [ { name: a, limt: 1 per hour } ]");
    String argument = mistake.replace("--rules=", "--rules=" + directory + "/");
    try (ServeProcess serve = new ServeProcess(Map.of(), "--log-format", "json", argument)) {
      assertThat(serve.exitCode()).isNotZero();
      assertThat(serve.out()).isEmpty();
      assertThat(serve.err().lines())
          .isNotEmpty()
          .allMatch(line -> line.startsWith("{\"@timestamp\":") && line.endsWith("}"))
          .anyMatch(line -> line.contains("\"log.level\":\"ERROR\""));
    }
  }

  private static String rules(String limit) {
    return """
    attributes: { api_key: { header: X-API-Key } }
    rules:
      - { name: calls, per: api_key, limit: %s }
      - { name: everyone, per: ip, limit: 1 per hour }
    """
        .formatted(limit);
  }

  private static int send(URI url, String method, String... headers) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(url)
            .method(method, HttpRequest.BodyPublishers.noBody())
            .headers(headers)
            .build();
    return HttpClient.newHttpClient()
        .send(request, HttpResponse.BodyHandlers.ofString())
        .statusCode();
  }
}
