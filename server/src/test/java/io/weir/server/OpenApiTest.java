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

/**
 * Compares {@code openapi.yaml} with a running server: both have the same operations and responses.
 */
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
  void examplesAreValidRequests() throws Exception {
    try (Server server = Server.start(ServerSettings.DEMO.onFreePorts(), rules("allow"))) {
      RequestSender requests = new RequestSender(server);
      for (String operation : openApiDescription.operations("service")) {
        String[] parts = operation.split(" ", 2);
        JsonNode node =
            openApiDescription.root().get("paths").get(parts[1]).get(parts[0].toLowerCase());
        for (JsonNode example :
            node.path("requestBody").path("content").path("application/json").path("examples")) {
          String body = example.get("value").toString();
          assertThat(openApiDescription.takes(operation, body)).as(body).isTrue();
          int status = requests.service(operation, "", body).statusCode();
          assertThat(status).as(operation).isEqualTo(parts[1].equals("/v1/commit") ? 404 : 200);
        }
      }
    }
  }

  @Test
  void everyResponseIsDescribed() throws Exception {
    try (Server server = Server.start(ServerSettings.DEMO.onFreePorts(), rules("allow"))) {
      sendAll(new RequestSender(server));
    }
    ServerSettings guarded =
        ServerSettings.DEMO.onFreePorts().toBuilder()
            .serviceToken(new ServerSettings.Secret("s"))
            .adminToken(new ServerSettings.Secret("a"))
            .build();
    try (Server server = Server.start(guarded, rules("allow"))) {
      sendWithoutToken(new RequestSender(server));
    }
    ServerSettings alone =
        ServerSettings.DEMO.onFreePorts().toBuilder().store("redis://127.0.0.1:1").build();
    try (Server server = Server.start(alone, rules("error"))) {
      sendWithoutStore(new RequestSender(server));
    }
    sendAfterTheStoreIsLost();
    sendWhileInsightsAreBusy();
    Set<String> missing = new TreeSet<>(openApiDescription.responses());
    missing.removeAll(openApiDescription.seen());
    missing.removeIf(name -> NOT_SEEN.stream().anyMatch(name::endsWith));
    assertThat(missing).as("described, but never seen").isEmpty();
  }

  @Test
  void responsesToUnknownOperationsAreDescribed() throws Exception {
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

  private void sendAll(RequestSender requests) throws Exception {
    String user = "{\"attributes\":{\"user\":\"1\",\"path\":\"/a\"}}";
    String tooLong = " ".repeat(1 << 20) + user;
    requests.service("POST /v1/check", "", user);
    requests.service("POST /v1/check", "", "[" + user + "," + user + ",{\"attributes\":{}}]");
    requests.service("POST /v1/check", "", user.replace("/a", "/%"));
    requests.service("POST /v1/check", "", "[" + user.replace("/a", "/%") + "]");
    requests.service("POST /v1/check", "", user);
    requests.service("POST /v1/check", "", "{}", "Accept", "application/problem+json");
    requests.service("GET /v1/check", "?other=1", "");
    requests.service("GET /v1/check", "?user=1&path=/a", "");
    requests.service("GET /v1/check", "?user=1&user=2", "");

    requests.service("GET /v1/auth", "", "", ORIGINAL);
    requests.service("GET /v1/auth", "", "", ORIGINAL);
    requests.service("GET /v1/auth", "?status=403", "", ORIGINAL);
    requests.service("GET /v1/auth", "", "");
    requests.service("POST /v1/check", "", "{\"attributes\":{\"user\":\"2\"},\"cost\":2000}");

    HttpResponse<String> reserved =
        requests.service("POST /v1/reserve", "", "{\"attributes\":{\"user\":\"3\"},\"cost\":9}");
    String id = reserved.body().replaceAll(".*\"reservation\":\"([^\"]*)\".*", "$1");
    requests.service("POST /v1/reserve", "", "{\"attributes\":{\"user\":\"3\"},\"cost\":1001}");
    requests.service("POST /v1/reserve", "", "[]");
    String commit = "{\"reservation\":\"" + id + "\",\"cost\":1}";
    requests.service("POST /v1/commit", "", commit);
    requests.service("POST /v1/commit", "", commit);
    requests.service("POST /v1/commit", "", "{\"reservation\":\"unknown\",\"cost\":1}");
    requests.service("POST /v1/commit", "", "");
    requests.service("POST /v1/refund", "", "{\"reservation\":\"" + id + "\"}");
    requests.service("POST /v1/refund", "", user);
    requests.service("POST /v1/refund", "", "null");
    String[] ofPage = {"Origin", "http://evil.example"};
    assertThat(requests.service("GET /v1/check", "?user=1", "", ofPage).statusCode())
        .isEqualTo(403);
    for (String path : List.of("check", "reserve", "commit", "refund")) {
      assertThat(requests.service("POST /v1/" + path, "", user, ofPage).statusCode())
          .isEqualTo(403);
    }
    for (String path : List.of("check", "reserve", "commit", "refund")) {
      assertThat(requests.service("POST /v1/" + path, "", tooLong).statusCode()).isEqualTo(413);
    }

    String descriptor =
        "{\"domain\":\"shop\",\"descriptors\":[{\"entries\":[{\"key\":\"user\",\"value\":\"1\"}]}]}";
    requests.service("POST /json", "", descriptor);
    requests.service("POST /json", "", descriptor);
    requests.service("POST /json", "", "{}");
    String back = descriptor.replace("]}]}", "],\"isNegativeHits\":true}]}");
    requests.service("POST /json", "", back, "Origin", "http://evil.example");
    requests.service("POST /json", "", "x".repeat(8 << 20));

    for (String page :
        List.of("/", "/openapi.yaml", "/metrics", "/health/live", "/health/ready", "/v1/rules")) {
      requests.admin("GET " + page, "");
      if (!page.startsWith("/health")) {
        requests.adminUnderAnotherName("GET " + page, "");
      }
    }
    readCallers(requests);
    for (String operation : List.of("GET /v1/keys", "DELETE /v1/keys", "POST /v1/keys/grant")) {
      String permits = operation.startsWith("POST") ? "&permits=1" : "";
      requests.admin(operation, "?rule=user&user=1" + permits);
      requests.admin(operation, "?rule=user&id=0123456789abcdef" + permits);
      requests.admin(operation, "?rule=usr&user=1" + permits);
      requests.adminUnderAnotherName(operation, "?rule=user&user=1" + permits);
    }
    readFiles(requests);
    for (String page : List.of("overview", "series", "changes")) {
      requests.admin("GET /v1/" + page, "");
      requests.adminUnderAnotherName("GET /v1/" + page, "");
    }
    requests.admin("GET /v1/series", "?by=rule");
    requests.admin("GET /v1/overview", "?limit=x");
    requests.admin("GET /v1/series", "?range=x");
    readEvents(requests);
  }

  private void readEvents(RequestSender requests) throws Exception {
    String events = "GET /v1/events";
    requests.adminUnderAnotherName(events, "");
    requests.admin(events, "?x=1");
    List<Socket> listening = new ArrayList<>();
    for (int status = 200; status == 200; ) {
      Socket socket = new Socket("127.0.0.1", requests.adminPort);
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

  private void readFiles(RequestSender requests) throws Exception {
    for (String operation : List.of("GET /", "GET /assets/{file}")) {
      HttpResponse<String> file = requests.admin(operation, "");
      String tag = file.headers().firstValue("ETag").orElseThrow();
      assertThat(requests.admin(operation, "", "If-None-Match", tag).statusCode()).isEqualTo(304);
    }
    requests.adminUnderAnotherName("GET /assets/{file}", "");
    assertThat(requests.admin("GET /assets/{file}", ".bak").statusCode()).isEqualTo(404);
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

  private static String idOfACaller(RequestSender requests) throws Exception {
    String top = requests.admin("GET /v1/top", "?rule=user").body();
    return top.replaceAll("(?s).*\"id\":\"([0-9a-f]{16})\".*", "$1");
  }

  private void readCallers(RequestSender requests) throws Exception {
    String id = idOfACaller(requests);
    requests.admin("GET /v1/top", "?kind=near&window=hour");
    requests.admin("GET /v1/top", "?kind=far");
    requests.adminUnderAnotherName("GET /v1/top", "");
    assertThat(requests.admin("GET /v1/callers", "?rule=user&id=" + id).statusCode())
        .isEqualTo(200);
    requests.admin("GET /v1/callers", "?rule=user&range=1h&id=" + id);
    requests.admin("GET /v1/callers", "?rule=user");
    requests.admin("GET /v1/callers", "?rule=user&id=0");
    requests.adminUnderAnotherName("GET /v1/callers", "?rule=user&id=" + id);
    requests.admin("GET /v1/what-if", "?rule=user&limit=5+per+hour");
    requests.admin("GET /v1/what-if", "?rule=user&limit=5");
    requests.adminUnderAnotherName("GET /v1/what-if", "?rule=user&limit=5+per+hour");
    requests.admin("GET /v1/keys", "?rule=user&id=" + id);
  }

  private void sendWithoutToken(RequestSender requests) throws Exception {
    for (String operation : openApiDescription.operations("service")) {
      assertThat(requests.service(operation, "", "").statusCode()).as(operation).isEqualTo(401);
    }
    for (String operation : openApiDescription.operations("admin")) {
      boolean isOpen = operation.matches("GET /(health/.*|assets/.*|)");
      assertThat(requests.admin(operation, "").statusCode()).isEqualTo(isOpen ? 200 : 401);
    }
  }

  private void sendWithoutStore(RequestSender requests) throws Exception {
    String user = "{\"attributes\":{\"user\":\"1\",\"path\":\"/a\"}}";
    requests.service("POST /v1/check", "", user);
    requests.service("GET /v1/check", "?user=1", "");
    requests.service("POST /v1/reserve", "", user);
    requests.service("GET /v1/auth", "", "", ORIGINAL);
    requests.service("POST /v1/refund", "", user);
    requests.service(
        "POST /json",
        "",
        "{\"domain\":\"shop\",\"descriptors\":[{\"entries\":[{\"key\":\"user\",\"value\":\"1\"}],"
            + "\"isNegativeHits\":true}]}");
    requests.service(
        "POST /json",
        "",
        "{\"domain\":\"shop\",\"descriptors\":[{\"entries\":[{\"key\":\"user\",\"value\":\"1\"}]}]}");
    for (String operation : List.of("GET /v1/keys", "DELETE /v1/keys", "POST /v1/keys/grant")) {
      requests.admin(
          operation,
          "?rule=tokens&user=1&permits=1"
              .replaceAll(operation.startsWith("POST") ? "#" : "&permits=1", ""));
    }
  }

  /** While something is reserved. */
  private void sendAfterTheStoreIsLost() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        FaultyProxy proxy = new FaultyProxy(redis.port())) {
      ServerSettings shared =
          ServerSettings.DEMO.onFreePorts().toBuilder().store(proxy.url() + "?timeout=2s").build();
      try (Server server = Server.start(shared, rules("error"))) {
        RequestSender requests = new RequestSender(server);
        String[] id = {""};
        Await.holds(
            "it is reserved",
            () -> {
              String body = reserve(requests);
              id[0] = body.replaceAll(".*\"reservation\":\"([^\"]*)\".*", "$1");
              return body.contains("\"origin\":\"store\"");
            });
        proxy.door(FaultyProxy.AcceptMode.SLAMMED);
        proxy.drop();
        Await.holds(
            "the store is lost", () -> reserve(requests).contains("\"origin\":\"failure\""));
        String commit = "{\"reservation\":\"" + id[0] + "\",\"cost\":1}";
        assertThat(requests.service("POST /v1/commit", "", commit).statusCode()).isEqualTo(503);
      }
    }
  }

  /** The background thread is closed, which looks like too many requests. */
  private void sendWhileInsightsAreBusy() throws Exception {
    Vertx vertx = LimitingTransport.vertx(new VertxOptions());
    Insights insights = Insights.ofAllCallers();
    try (Node node = Node.builder(RuleSource.of(rules("allow"))).observer(insights).open()) {
      node.backgroundThread().close();
      Router router = new Router();
      new AdminApi(node, insights, ServerSettings.DEMO, new ServerStatus(), 1).addTo(router);
      Listener listener =
          Listener.open(vertx, ServerLimits.PUBLIC.at("127.0.0.1", 0), 1, router)
              .toCompletionStage()
              .toCompletableFuture()
              .get(30, TimeUnit.SECONDS);
      RequestSender requests = new RequestSender(0, listener.port());
      String id = "?rule=user&id=0123456789abcdef";
      for (String line :
          List.of(
              "GET /v1/overview",
              "GET /v1/series",
              "GET /v1/top",
              "GET /v1/callers" + id,
              "GET /v1/what-if?rule=user&limit=5+per+hour",
              "GET /v1/keys" + id,
              "DELETE /v1/keys" + id,
              "POST /v1/keys/grant" + id + "&permits=1")) {
        String[] parts = line.split("[?]", 2);
        String query = parts.length == 1 ? "" : "?" + parts[1];
        HttpResponse<String> busy = requests.admin(parts[0], query);
        assertThat(busy.statusCode()).as(line).isEqualTo(503);
        assertThat(busy.body()).contains("\"error\":\"busy\"");
        assertThat(busy.headers().firstValue("Retry-After")).isPresent();
      }
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
  }

  private static String reserve(RequestSender requests) {
    try {
      String body = "{\"attributes\":{\"user\":\"3\"},\"cost\":2}";
      return requests.service("POST /v1/reserve", "", body).body();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** Sends requests to a server, and compares each response with the description. */
  private final class RequestSender {
    private final int servicePort;
    private final int adminPort;

    RequestSender(Server server) {
      this(server.servicePort(), server.adminPort());
    }

    RequestSender(int servicePort, int adminPort) {
      this.servicePort = servicePort;
      this.adminPort = adminPort;
    }

    HttpResponse<String> service(String operation, String query, String body, String... headers)
        throws Exception {
      return send(servicePort, operation, query, body, headers);
    }

    HttpResponse<String> admin(String operation, String query, String... headers) throws Exception {
      return send(adminPort, operation, query, "", headers);
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

    private HttpResponse<String> send(
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
