package io.weir.server.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.weir.decision.RuleSource;
import io.weir.rig.Program;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import io.weir.server.ServerSettingsBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** A server with rules in a file, and its callers. */
final class DashboardServer implements AutoCloseable {
  static final String RULES =
      """
      rules:
        - name: api
          match: { path: /api/** }
          per: user
          limit: { rate: 5 per hour, burst: 5 }
        - name: search
          match: { path: /search/** }
          per: user
          limit: { algorithm: sliding-log, rate: 3 per hour }
          mode: shadow
        - name: export
          match: { path: /export }
          per: user
          limit: { algorithm: leaky-bucket, rate: 1 per minute, queue: 3 }
        - name: idle
          match: { path: /nobody/asks }
          limit: 10 per second
      """;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient client = HttpClient.newHttpClient();
  private final Path file = Program.directory("dashboard").resolve("rules.yaml");
  private Server server;
  final AtomicInteger allowed = new AtomicInteger();
  final AtomicInteger refused = new AtomicInteger();

  DashboardServer() {
    this(RULES, settings -> settings);
  }

  DashboardServer(String rules, UnaryOperator<ServerSettingsBuilder> settings) {
    write(rules);
    server = start(settings.apply(ServerSettings.DEMO.onFreePorts().toBuilder()).build());
  }

  private Server start(ServerSettings serverSettings) {
    return Server.builder(serverSettings).rules(RuleSource.of(List.of(file))).start();
  }

  int gatewayPort() {
    return server.gatewayPort();
  }

  int adminPort() {
    return server.adminPort();
  }

  /** Other rules from now on. */
  void write(String rules) {
    try {
      Files.writeString(file, rules);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends the requests of one user one after the other, and counts the outcomes. */
  void call(String user, String path, int times) {
    call(Map.of("user", user, "path", path, "method", "GET"), times);
  }

  /** One request after the other with these attributes. */
  void call(Map<String, String> attributes, int times) {
    try {
      List<Map<String, Map<String, String>>> checks = new ArrayList<>();
      for (int i = 0; i < times; i++) {
        checks.add(Map.of("attributes", attributes));
      }
      URI check = URI.create("http://127.0.0.1:" + server.servicePort() + "/v1/check");
      HttpRequest request =
          HttpRequest.newBuilder(check)
              .header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(checks), UTF_8))
              .build();
      String body = client.send(request, HttpResponse.BodyHandlers.ofString(UTF_8)).body();
      for (JsonNode response : JSON.readTree(body)) {
        (response.get("allowed").asBoolean() ? allowed : refused).incrementAndGet();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  /** Many users at once. */
  void rush(int users, String path, int timesEach) {
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < users; i++) {
      String user = "user-%03d".formatted(i);
      all.add(CompletableFuture.runAsync(() -> call(user, path, timesEach)));
    }
    all.forEach(CompletableFuture::join);
  }

  /** The server goes; what comes back listens on the same ports. */
  ServerSettings leave() {
    ServerSettings same =
        ServerSettings.DEMO.toBuilder()
            .gatewayPort(server.gatewayPort())
            .servicePort(server.servicePort())
            .adminPort(server.adminPort())
            .build();
    server.close();
    return same;
  }

  /** It comes back. */
  void comeBack(ServerSettings serverSettings) {
    server = start(serverSettings);
  }

  @Override
  public void close() {
    server.close();
  }
}
