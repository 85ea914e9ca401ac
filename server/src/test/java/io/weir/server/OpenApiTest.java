package io.weir.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.weir.decision.DecisionEngine;
import io.weir.decision.RuleSource;
import io.weir.insight.Insights;
import io.weir.rig.Await;
import io.weir.rig.FaultyProxy;
import io.weir.rig.RedisProcess;
import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleFiles;
import io.weir.runtime.Node;
import io.weir.server.admin.AdminApi;
import io.weir.server.connection.LimitingTransport;
import io.weir.server.connection.MemoryBudget;
import io.weir.server.connection.ServerLimits;
import io.weir.server.http.Bodies;
import io.weir.server.http.Listener;
import io.weir.server.http.Router;
import io.weir.server.http.TokenAuth;
import io.weir.server.rls.RateLimitService;
import io.weir.server.service.ServiceApi;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.Socket;
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
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds {@code openapi.yaml} against a running server: neither says what the other does not. */
class OpenApiTest {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** What a test would have to wait or to work too long for. */
  private static final Set<String> NOT_SEEN = Set.of("408", "GET /health/ready 503");

  private static final String[] ORIGINAL = {
    "X-Forwarded-Uri", "/front", "X-Forwarded-Method", "GET"
  };

  private final OpenApiDescription openApiDescription = new OpenApiDescription();

  @TempDir private Path directory;

  private RuleSet rules(String onFailure) throws Exception {
    Path own =
        Files.writeString(
            directory.resolve("rules.yaml"),
            """
            rules:
              - name: user
                match: { path: /a }
                per: user
                on_failure: %s
                limit: { algorithm: fixed-window, rate: 2 per hour }
                overrides: [ { match: { tier: pro }, limit: 10 per second } ]
              - name: tokens
                per: user
                on_failure: %s
                limit: { algorithm: sliding-log, rate: 1000 per hour }
              - { name: front, match: { path: /front }, limit: 1 per hour, on_failure: %s }
            """
                .formatted(onFailure, onFailure, onFailure));
    Path envoy =
        Files.writeString(
            directory.resolve("envoy.yaml"),
            """
            domain: shop
            descriptors:
              - key: user
                on_failure: %s
                rate_limit: { unit: hour, requests_per_unit: 1 }
            """
                .formatted(onFailure));
    return RuleFiles.load(List.of(own, envoy));
  }

  @Test
  void eachRouteIsDescribedAndThereAreNoOthers() throws Exception {
    ServerSettings serverSettings = ServerSettings.DEMO;
    Insights insights = Insights.ofAllCallers();
    try (Node node = Node.builder(RuleSource.of(rules("allow"))).observer(insights).open()) {
      DecisionEngine decisionEngine = node.decisionEngine();
      Router service = new Router();
      Bodies bodies = new Bodies(new MemoryBudget());
      new ServiceApi(decisionEngine, serverSettings, bodies).addTo(service);
      new RateLimitService(decisionEngine, serverSettings, new TokenAuth(Optional.empty()), bodies)
          .addTo(service);
      Router admin = new Router();
      new AdminApi(node, insights, serverSettings, new ServerStatus(), 1).addTo(admin);

      assertThat(openApiDescription.operations("service")).isEqualTo(routes(service));
      assertThat(openApiDescription.operations("admin")).isEqualTo(routes(admin));
    }
  }

  private static Set<String> routes(Router router) {
    Set<String> all = new TreeSet<>();
    router
        .routes()
        .forEach(
            (path, methods) -> {
              Set<String> taken = methods.isEmpty() ? Set.of("GET") : methods;
              taken.forEach(method -> all.add(method + " " + path));
            });
    return all;
  }

  @Test
  void examplesAreGoodQuestions() throws Exception {
    try (Server server = Server.start(ServerSettings.DEMO.onFreePorts(), rules("allow"))) {
      Asked asked = new Asked(server);
      for (String operation : openApiDescription.operations("service")) {
        String[] parts = operation.split(" ", 2);
        JsonNode node =
            openApiDescription.root().get("paths").get(parts[1]).get(parts[0].toLowerCase());
        for (JsonNode example :
            node.path("requestBody").path("content").path("application/json").path("examples")) {
          String body = example.get("value").toString();
          assertThat(openApiDescription.takes(operation, body)).as(body).isTrue();
          int status = asked.service(operation, "", body).statusCode();
          assertThat(status).as(operation).isEqualTo(parts[1].equals("/v1/commit") ? 404 : 200);
        }
      }
    }
  }

  @Test
  void everyAnswerIsDescribed() throws Exception {
    try (Server server = Server.start(ServerSettings.DEMO.onFreePorts(), rules("allow"))) {
      askAll(new Asked(server));
    }
    ServerSettings guarded =
        ServerSettings.DEMO.onFreePorts().toBuilder()
            .serviceToken(new ServerSettings.Secret("s"))
            .adminToken(new ServerSettings.Secret("a"))
            .build();
    try (Server server = Server.start(guarded, rules("allow"))) {
      askWithoutToken(new Asked(server));
    }
    ServerSettings alone =
        ServerSettings.DEMO.onFreePorts().toBuilder().store("redis://127.0.0.1:1").build();
    try (Server server = Server.start(alone, rules("error"))) {
      askWithoutStore(new Asked(server));
    }
    askWhoseStoreIsLost();
    askWhereNobodyAnswers();
    Set<String> missing = new TreeSet<>(openApiDescription.answers());
    missing.removeAll(openApiDescription.seen());
    missing.removeIf(answer -> NOT_SEEN.stream().anyMatch(answer::endsWith));
    assertThat(missing).as("described, but never seen").isEmpty();
  }

  @Test
  void whatIsForNoOperationIsDescribedToo() throws Exception {
    String rest = " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
    Map<Integer, String> requests =
        Map.of(
            400, "GET /%zz" + rest + "Host: twice\r\n\r\n",
            404, "GET /v2" + rest + "\r\n",
            405, "PATCH /v1/check" + rest + "\r\n",
            414, "GET /" + "a".repeat(9000) + rest + "\r\n",
            415, "POST /a/B" + rest + "Content-Type: application/grpc\r\n\r\n",
            431, "GET /v1/check" + rest + "A: " + "a".repeat(17_000) + "\r\n\r\n",
            505, "GET /v1/check HTTP/3.0\r\nHost: localhost\r\n\r\n");
    try (Server server = Server.start(ServerSettings.DEMO.onFreePorts(), rules("allow"))) {
      for (Map.Entry<Integer, String> each : requests.entrySet()) {
        try (Socket socket = new Socket("127.0.0.1", server.servicePort())) {
          socket.setSoTimeout(30_000);
          socket.getOutputStream().write(each.getValue().getBytes(UTF_8));
          String reply = new String(socket.getInputStream().readAllBytes(), UTF_8);
          assertThat(reply).startsWith("HTTP/1.1 " + each.getKey() + " ");
          openApiDescription.checkAnywhere(
              each.getKey(), reply.substring(reply.indexOf("\r\n\r\n") + 4));
        }
      }
    }
  }

  private void askAll(Asked asked) throws Exception {
    String user = "{\"attributes\":{\"user\":\"1\",\"path\":\"/a\"}}";
    String tooLong = " ".repeat(1 << 20) + user;
    asked.service("POST /v1/check", "", user);
    asked.service("POST /v1/check", "", "[" + user + "," + user + ",{\"attributes\":{}}]");
    asked.service("POST /v1/check", "", user.replace("/a", "/%"));
    asked.service("POST /v1/check", "", "[" + user.replace("/a", "/%") + "]");
    asked.service("POST /v1/check", "", user);
    asked.service("POST /v1/check", "", "{}", "Accept", "application/problem+json");
    asked.service("GET /v1/check", "?other=1", "");
    asked.service("GET /v1/check", "?user=1&path=/a", "");
    asked.service("GET /v1/check", "?user=1&user=2", "");

    asked.service("GET /v1/auth", "", "", ORIGINAL);
    asked.service("GET /v1/auth", "", "", ORIGINAL);
    asked.service("GET /v1/auth", "?status=403", "", ORIGINAL);
    asked.service("GET /v1/auth", "", "");
    asked.service("POST /v1/check", "", "{\"attributes\":{\"user\":\"2\"},\"cost\":2000}");

    HttpResponse<String> reserved =
        asked.service("POST /v1/reserve", "", "{\"attributes\":{\"user\":\"3\"},\"cost\":9}");
    String id = reserved.body().replaceAll(".*\"reservation\":\"([^\"]*)\".*", "$1");
    asked.service("POST /v1/reserve", "", "{\"attributes\":{\"user\":\"3\"},\"cost\":1001}");
    asked.service("POST /v1/reserve", "", "[]");
    String commit = "{\"reservation\":\"" + id + "\",\"cost\":1}";
    asked.service("POST /v1/commit", "", commit);
    asked.service("POST /v1/commit", "", commit);
    asked.service("POST /v1/commit", "", "{\"reservation\":\"unknown\",\"cost\":1}");
    asked.service("POST /v1/commit", "", "");
    asked.service("POST /v1/refund", "", "{\"reservation\":\"" + id + "\"}");
    asked.service("POST /v1/refund", "", user);
    asked.service("POST /v1/refund", "", "null");
    String[] ofPage = {"Origin", "http://evil.example"};
    assertThat(asked.service("GET /v1/check", "?user=1", "", ofPage).statusCode()).isEqualTo(403);
    for (String path : List.of("check", "reserve", "commit", "refund")) {
      assertThat(asked.service("POST /v1/" + path, "", user, ofPage).statusCode()).isEqualTo(403);
    }
    for (String path : List.of("check", "reserve", "commit", "refund")) {
      assertThat(asked.service("POST /v1/" + path, "", tooLong).statusCode()).isEqualTo(413);
    }

    String descriptor =
        "{\"domain\":\"shop\",\"descriptors\":[{\"entries\":[{\"key\":\"user\",\"value\":\"1\"}]}]}";
    asked.service("POST /json", "", descriptor);
    asked.service("POST /json", "", descriptor);
    asked.service("POST /json", "", "{}");
    String back = descriptor.replace("]}]}", "],\"isNegativeHits\":true}]}");
    asked.service("POST /json", "", back, "Origin", "http://evil.example");
    asked.service("POST /json", "", "x".repeat(8 << 20));

    for (String page :
        List.of("/", "/openapi.yaml", "/metrics", "/health/live", "/health/ready", "/v1/rules")) {
      asked.admin("GET " + page, "");
      if (!page.startsWith("/health")) {
        asked.adminUnderAnotherName("GET " + page, "");
      }
    }
    askAboutCallers(asked);
    for (String operation : List.of("GET /v1/keys", "DELETE /v1/keys", "POST /v1/keys/grant")) {
      String permits = operation.startsWith("POST") ? "&permits=1" : "";
      asked.admin(operation, "?rule=user&user=1" + permits);
      asked.admin(operation, "?rule=user&id=0123456789abcdef" + permits);
      asked.admin(operation, "?rule=usr&user=1" + permits);
      asked.adminUnderAnotherName(operation, "?rule=user&user=1" + permits);
    }
    askForFiles(asked);
    for (String page : List.of("overview", "series", "changes")) {
      asked.admin("GET /v1/" + page, "");
      asked.adminUnderAnotherName("GET /v1/" + page, "");
    }
    asked.admin("GET /v1/series", "?by=rule");
    asked.admin("GET /v1/overview", "?limit=x");
    asked.admin("GET /v1/series", "?range=x");
    askForEvents(asked);
  }

  private void askForEvents(Asked asked) throws Exception {
    String events = "GET /v1/events";
    asked.adminUnderAnotherName(events, "");
    asked.admin(events, "?x=1");
    List<Socket> listening = new ArrayList<>();
    for (int status = 200; status == 200; ) {
      Socket socket = new Socket("127.0.0.1", asked.adminPort);
      listening.add(socket);
      socket.setSoTimeout(30_000);
      socket
          .getOutputStream()
          .write((events + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(UTF_8));
      String line =
          new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8)).readLine();
      status = Integer.parseInt(line.split(" ")[1]);
      openApiDescription.check(events, status, "text/event-stream", "");
    }
    for (Socket socket : listening) {
      socket.close();
    }
  }

  private void askForFiles(Asked asked) throws Exception {
    for (String operation : List.of("GET /", "GET /assets/{file}")) {
      HttpResponse<String> file = asked.admin(operation, "");
      String tag = file.headers().firstValue("ETag").orElseThrow();
      assertThat(asked.admin(operation, "", "If-None-Match", tag).statusCode()).isEqualTo(304);
    }
    asked.adminUnderAnotherName("GET /assets/{file}", "");
    assertThat(asked.admin("GET /assets/{file}", ".bak").statusCode()).isEqualTo(404);
  }

  /** Such as it is asked for. */
  private static String path(String described) throws Exception {
    try (InputStream list = OpenApiTest.class.getResourceAsStream("dashboard/files.txt")) {
      String style =
          new String(list.readAllBytes(), UTF_8)
              .lines()
              .filter(name -> name.endsWith(".css"))
              .findFirst()
              .orElseThrow();
      return described.replace("{file}", style);
    }
  }

  private static String nameOfSomebody(Asked asked) throws Exception {
    String top = asked.admin("GET /v1/top", "?rule=user").body();
    return top.replaceAll("(?s).*\"id\":\"([0-9a-f]{16})\".*", "$1");
  }

  private void askAboutCallers(Asked asked) throws Exception {
    String id = nameOfSomebody(asked);
    asked.admin("GET /v1/top", "?kind=near&window=hour");
    asked.admin("GET /v1/top", "?kind=far");
    asked.adminUnderAnotherName("GET /v1/top", "");
    assertThat(asked.admin("GET /v1/callers", "?rule=user&id=" + id).statusCode()).isEqualTo(200);
    asked.admin("GET /v1/callers", "?rule=user&range=1h&id=" + id);
    asked.admin("GET /v1/callers", "?rule=user");
    asked.admin("GET /v1/callers", "?rule=user&id=0");
    asked.adminUnderAnotherName("GET /v1/callers", "?rule=user&id=" + id);
    asked.admin("GET /v1/what-if", "?rule=user&limit=5+per+hour");
    asked.admin("GET /v1/what-if", "?rule=user&limit=5");
    asked.adminUnderAnotherName("GET /v1/what-if", "?rule=user&limit=5+per+hour");
    asked.admin("GET /v1/keys", "?rule=user&id=" + id);
  }

  private void askWithoutToken(Asked asked) throws Exception {
    for (String operation : openApiDescription.operations("service")) {
      assertThat(asked.service(operation, "", "").statusCode()).as(operation).isEqualTo(401);
    }
    for (String operation : openApiDescription.operations("admin")) {
      boolean isOpen = operation.matches("GET /(health/.*|assets/.*|)");
      assertThat(asked.admin(operation, "").statusCode()).isEqualTo(isOpen ? 200 : 401);
    }
  }

  private void askWithoutStore(Asked asked) throws Exception {
    String user = "{\"attributes\":{\"user\":\"1\",\"path\":\"/a\"}}";
    asked.service("POST /v1/check", "", user);
    asked.service("GET /v1/check", "?user=1", "");
    asked.service("POST /v1/reserve", "", user);
    asked.service("GET /v1/auth", "", "", ORIGINAL);
    asked.service("POST /v1/refund", "", user);
    asked.service(
        "POST /json",
        "",
        "{\"domain\":\"shop\",\"descriptors\":[{\"entries\":[{\"key\":\"user\",\"value\":\"1\"}],"
            + "\"isNegativeHits\":true}]}");
    asked.service(
        "POST /json",
        "",
        "{\"domain\":\"shop\",\"descriptors\":[{\"entries\":[{\"key\":\"user\",\"value\":\"1\"}]}]}");
    for (String operation : List.of("GET /v1/keys", "DELETE /v1/keys", "POST /v1/keys/grant")) {
      asked.admin(
          operation,
          "?rule=tokens&user=1&permits=1"
              .replaceAll(operation.startsWith("POST") ? "#" : "&permits=1", ""));
    }
  }

  /** While something is reserved. */
  private void askWhoseStoreIsLost() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        FaultyProxy proxy = new FaultyProxy(redis.port())) {
      ServerSettings shared =
          ServerSettings.DEMO.onFreePorts().toBuilder().store(proxy.url() + "?timeout=2s").build();
      try (Server server = Server.start(shared, rules("error"))) {
        Asked asked = new Asked(server);
        String[] id = {""};
        Await.holds(
            "it is reserved",
            () -> {
              String body = reserve(asked);
              id[0] = body.replaceAll(".*\"reservation\":\"([^\"]*)\".*", "$1");
              return body.contains("\"origin\":\"store\"");
            });
        proxy.door(FaultyProxy.AcceptMode.SLAMMED);
        proxy.drop();
        Await.holds("the store is lost", () -> reserve(asked).contains("\"origin\":\"failure\""));
        String commit = "{\"reservation\":\"" + id[0] + "\",\"cost\":1}";
        assertThat(asked.service("POST /v1/commit", "", commit).statusCode()).isEqualTo(503);
      }
    }
  }

  /** The background thread is closed, which looks like too many requests. */
  private void askWhereNobodyAnswers() throws Exception {
    Vertx vertx = LimitingTransport.vertx(new VertxOptions());
    Insights insights = Insights.ofAllCallers();
    try (Node node = Node.builder(RuleSource.of(rules("allow"))).observer(insights).open()) {
      node.backgroundThread().close();
      Router router = new Router();
      new AdminApi(node, insights, ServerSettings.DEMO, new ServerStatus(), 1).addTo(router);
      Listener listener =
          Listener.open(vertx, ServerLimits.STRANGERS.at("127.0.0.1", 0), 1, router)
              .toCompletionStage()
              .toCompletableFuture()
              .get(30, TimeUnit.SECONDS);
      Asked asked = new Asked(0, listener.port());
      String id = "?rule=user&id=0123456789abcdef";
      for (String question :
          List.of(
              "GET /v1/overview",
              "GET /v1/series",
              "GET /v1/top",
              "GET /v1/callers" + id,
              "GET /v1/what-if?rule=user&limit=5+per+hour",
              "GET /v1/keys" + id,
              "DELETE /v1/keys" + id,
              "POST /v1/keys/grant" + id + "&permits=1")) {
        String[] parts = question.split("[?]", 2);
        String query = parts.length == 1 ? "" : "?" + parts[1];
        HttpResponse<String> answer = asked.admin(parts[0], query);
        assertThat(answer.statusCode()).as(question).isEqualTo(503);
        assertThat(answer.body()).contains("\"error\":\"busy\"");
        assertThat(answer.headers().firstValue("Retry-After")).isPresent();
      }
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
  }

  private static String reserve(Asked asked) {
    try {
      String question = "{\"attributes\":{\"user\":\"3\"},\"cost\":2}";
      return asked.service("POST /v1/reserve", "", question).body();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** Asks a server, and holds each answer against the description. */
  private final class Asked {
    private final int servicePort;
    private final int adminPort;

    Asked(Server server) {
      this(server.servicePort(), server.adminPort());
    }

    Asked(int servicePort, int adminPort) {
      this.servicePort = servicePort;
      this.adminPort = adminPort;
    }

    HttpResponse<String> service(String operation, String query, String body, String... headers)
        throws Exception {
      return ask(servicePort, operation, query, body, headers);
    }

    HttpResponse<String> admin(String operation, String query, String... headers) throws Exception {
      return ask(adminPort, operation, query, "", headers);
    }

    /** Like a web page under a name that resolves to this machine. */
    void adminUnderAnotherName(String operation, String query) throws Exception {
      try (Socket socket = new Socket("127.0.0.1", adminPort)) {
        socket.setSoTimeout(30_000);
        String head = " HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
        socket.getOutputStream().write((path(operation) + query + head).getBytes(UTF_8));
        String reply = new String(socket.getInputStream().readAllBytes(), UTF_8);
        assertThat(reply).startsWith("HTTP/1.1 403 ");
        String body = reply.substring(reply.indexOf("\r\n\r\n") + 4);
        openApiDescription.check(operation, 403, "application/json", body);
      }
    }

    private HttpResponse<String> ask(
        int port, String operation, String query, String body, String... headers) throws Exception {
      String[] parts = operation.split(" ", 2);
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path(parts[1]) + query))
              .timeout(Duration.ofSeconds(30))
              .method(parts[0], HttpRequest.BodyPublishers.ofString(body));
      for (int i = 0; i < headers.length; i += 2) {
        request.header(headers[i], headers[i + 1]);
      }
      HttpResponse<String> response =
          CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString(UTF_8));
      String type = response.headers().firstValue("Content-Type").orElse("");
      openApiDescription.check(operation, response.statusCode(), type, response.body());
      return response;
    }
  }
}
