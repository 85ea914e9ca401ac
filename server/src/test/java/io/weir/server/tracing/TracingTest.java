package io.weir.server.tracing;

import static io.opentelemetry.api.common.AttributeKey.longKey;
import static io.opentelemetry.api.common.AttributeKey.stringKey;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.weir.rig.Await;
import io.weir.rig.Ports;
import io.weir.rig.RedisProcess;
import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleFiles;
import io.weir.server.Forwarding;
import io.weir.server.ForwardingBuilder;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import io.weir.server.ServerSettingsBuilder;
import io.weir.server.access.AccessFormat;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A request through a caller, the gateway and a server, as OpenTelemetry sees it. */
class TracingTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String CALLER = "b7ad6b7169203331";
  private static final String PARENT = "00-" + TRACE + "-" + CALLER + "-01";
  private static final String KEY = "a-key-that-nobody-sees";
  private static final AttributeKey<String> RULE = AttributeKey.stringKey("weir.rule");
  private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("weir.outcome");
  private static final AttributeKey<Long> STATUS =
      AttributeKey.longKey("http.response.status_code");

  private final InMemorySpanExporter spans = InMemorySpanExporter.create();
  private final OpenTelemetrySdk sdk =
      OpenTelemetrySdk.builder()
          .setTracerProvider(
              SdkTracerProvider.builder()
                  .addSpanProcessor(SimpleSpanProcessor.create(spans))
                  .build())
          .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
          .build();
  private final List<String> received = new CopyOnWriteArrayList<>();

  /** Keeps its connections: the first request of each takes another code path. */
  private final HttpClient client = HttpClient.newHttpClient();

  private HttpServer upstream;

  @BeforeEach
  void openUpstream() throws IOException {
    upstream = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    upstream.createContext(
        "/",
        exchange -> {
          received.add(
              String.join(
                  ",", exchange.getRequestHeaders().getOrDefault("Traceparent", List.of())));
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    upstream.start();
  }

  @AfterEach
  void close() {
    upstream.stop(0);
    sdk.close();
  }

  /** Over either version of HTTP. */
  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void gatewayPropagatesTheTrace(HttpClient.Version version) throws Exception {
    try (Server server = server(sdk)) {
      assertThat(get(server.gatewayPort(), version)).isEqualTo(200);
      assertThat(get(server.gatewayPort(), version)).isEqualTo(429);
      assertThat(get(server.gatewayPort(), version)).as("dispatched").isEqualTo(429);

      List<SpanData> requests = ended(SpanKind.SERVER, 3);
      SpanData attempt = ended(SpanKind.CLIENT, 1).get(0);
      List<SpanData> decisions = ended("weir.decide", 3);
      assertThat(requests)
          .allMatch(span -> span.getName().equals("GET"))
          .allMatch(span -> span.getTraceId().equals(TRACE))
          .allMatch(span -> span.getParentSpanId().equals(CALLER));
      assertThat(requests)
          .extracting(span -> span.getAttributes().get(STATUS))
          .containsExactly(200L, 429L, 429L);
      for (List<SpanData> each : List.of(requests, decisions)) {
        assertThat(each)
            .extracting(span -> span.getAttributes().get(OUTCOME))
            .containsExactly("allowed", "denied", "denied");
        assertThat(each).allMatch(span -> "calls".equals(span.getAttributes().get(RULE)));
      }
      assertThat(decisions)
          .extracting(SpanData::getParentSpanId)
          .containsExactlyElementsOf(requests.stream().map(SpanData::getSpanId).toList());
      assertThat(received)
          .as("the server behind goes on from the span of the call to it")
          .containsExactly("00-" + TRACE + "-" + attempt.getSpanId() + "-01");
      assertThat(attempt.getParentSpanId()).isEqualTo(requests.get(0).getSpanId());
      assertThat(attempt.getTraceId()).isEqualTo(TRACE);
      assertThat(spans.getFinishedSpanItems().toString()).doesNotContain(KEY);
    }
  }

  /** The same words as {@code weir_requests_total}, for requests and for descriptors. */
  @Test
  void spansHaveTheOutcomesOfTheMetric() throws Exception {
    String rules =
        """
        domain: shop
        rules:
          - { name: tried, match: { path: /tried }, mode: shadow, limit: 1 per hour }
          - { name: shown, match: { tried: "*" }, mode: shadow, limit: 1 per hour }
          - { name: slow, match: { slow: "*" }, limit: { algorithm: leaky-bucket, rate: 1 per hour, queue: 1 } }
        """;
    RuleSet read = RuleFiles.read("rules.yaml", rules.getBytes(UTF_8)).rules().orElseThrow();
    ServerSettings serverSettings = ServerSettings.DEMO.onFreePorts();
    try (Server server =
        Server.builder(serverSettings).rules(read).tracing(Tracing.by(sdk)).start()) {
      send(server.servicePort(), "/v1/check?path=/tried", HttpClient.Version.HTTP_1_1);
      send(server.servicePort(), "/v1/check?path=/tried", HttpClient.Version.HTTP_1_1);
      for (String key : List.of("none", "tried", "slow", "slow", "slow")) {
        describe(server.servicePort(), key);
      }
      assertThat(ended("weir.decide", 7))
          .extracting(
              span -> span.getAttributes().get(OUTCOME) + " " + span.getAttributes().get(RULE))
          .containsExactly(
              "allowed null",
              "allowed null",
              "unmatched null",
              "allowed null",
              "allowed slow",
              "delayed slow",
              "denied slow");
    }
  }

  @Test
  void storeFailureIsAnError() throws Exception {
    String rules = "rules: [ { name: safe, limit: 99 per hour, on_failure: error } ]";
    RuleSet read = RuleFiles.read("rules.yaml", rules.getBytes(UTF_8)).rules().orElseThrow();
    try (RedisProcess redis = RedisProcess.start()) {
      ServerSettings serverSettings =
          ServerSettings.DEMO.onFreePorts().toBuilder()
              .store(redis.url() + "?timeout=200ms")
              .build();
      try (Server server =
          Server.builder(serverSettings).rules(read).tracing(Tracing.by(sdk)).start()) {
        redis.kill();
        int status = send(server.servicePort(), "/v1/check?a=1", HttpClient.Version.HTTP_1_1);
        assertThat(status).isEqualTo(503);
        SpanData span = ended("weir.decide", 1).get(0);
        assertThat(span.getAttributes().get(OUTCOME)).isEqualTo("error");
        assertThat(span.getAttributes().get(RULE)).isEqualTo("safe");
      }
    }
  }

  /** The line of the access log leads to the trace, also where the client brings none along. */
  @Test
  void linesOfTheAccessLogHaveTheIdOfTheTrace(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("access.json");
    ServerSettings serverSettings =
        ServerSettings.DEMO.onFreePorts().toBuilder()
            .accessLog(true, Optional.of(file))
            .accessLogFormat(AccessFormat.JSON)
            .build();
    try (Server server = Server.builder(serverSettings).tracing(Tracing.by(sdk)).start()) {
      URI check = URI.create("http://127.0.0.1:" + server.servicePort() + "/v1/check?user=1");
      client.send(HttpRequest.newBuilder(check).build(), HttpResponse.BodyHandlers.discarding());
      send(server.servicePort(), "/v1/check?user=1", HttpClient.Version.HTTP_1_1);
      ended(SpanKind.SERVER, 2);
    }
    List<String> ids = of(SpanKind.SERVER).stream().map(SpanData::getTraceId).toList();
    assertThat(ids.get(0)).isNotEqualTo(TRACE);
    assertThat(ids.get(1)).isEqualTo(TRACE);
    assertThat(Files.readAllLines(file))
        .extracting(line -> line.replaceFirst(".*\"trace.id\":\"(\\w+)\".*", "$1"))
        .containsExactlyElementsOf(ids);
  }

  private void describe(int port, String key) throws Exception {
    String body =
        "{\"domain\":\"shop\",\"descriptors\":[{\"entries\":[{\"key\":\"%s\",\"value\":\"1\"}]}]}"
            .formatted(key);
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json"))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void tracesChecksButNotScrapes() throws Exception {
    try (Server server = server(sdk)) {
      send(server.adminPort(), "/metrics", HttpClient.Version.HTTP_1_1);
      send(server.servicePort(), "/v1/check?nobody=1", HttpClient.Version.HTTP_1_1);

      SpanData request = ended("GET /v1/check", 1).get(0);
      assertThat(request.getAttributes().get(stringKey("http.route"))).isEqualTo("/v1/check");
      assertThat(request.getAttributes().get(stringKey("url.path"))).isEqualTo("/v1/check");
      assertThat(request.getTraceId()).isEqualTo(TRACE);
      assertThat(request.getAttributes().get(OUTCOME)).isEqualTo("unmatched");
      assertThat(ended("weir.decide", 1).get(0).getAttributes().get(RULE)).isNull();
    }
  }

  /** By the stable semantic conventions, and nothing of the caller. */
  @Test
  void spansHaveTheAttributesOfTheConventions() throws Exception {
    int port = upstream.getAddress().getPort();
    Forwarding.Route route =
        new Forwarding.Route(
            Optional.empty(), "/api", List.of(URI.create("http://127.0.0.1:" + port + "/base")));
    try (Server server = server(sdk, 1, to -> to.routes(List.of(route)))) {
      int gateway = server.gatewayPort();
      assertThat(send(gateway, "/api/users?key=" + KEY, HttpClient.Version.HTTP_1_1))
          .isEqualTo(200);

      SpanData request = ended(SpanKind.SERVER, 1).get(0);
      assertThat(request.getName()).isEqualTo("GET /api");
      assertThat(request.getAttributes().asMap())
          .isEqualTo(
              Attributes.builder()
                  .put("http.request.method", "GET")
                  .put("url.path", "/api/users")
                  .put("url.scheme", "http")
                  .put("http.route", "/api")
                  .put("server.address", "127.0.0.1")
                  .put("server.port", gateway)
                  .put("http.response.status_code", 200)
                  .put("network.protocol.version", "1.1")
                  .put("weir.outcome", "allowed")
                  .put("weir.rule", "calls")
                  .build()
                  .asMap());
      SpanData attempt = ended(SpanKind.CLIENT, 1).get(0);
      assertThat(attempt.getName()).isEqualTo("GET");
      assertThat(attempt.getAttributes().asMap())
          .isEqualTo(
              Attributes.builder()
                  .put("http.request.method", "GET")
                  .put("server.address", "127.0.0.1")
                  .put("server.port", port)
                  .put("url.full", "http://127.0.0.1:" + port + "/base/api/users")
                  .put("http.response.status_code", 200)
                  .put("network.protocol.version", "1.1")
                  .build()
                  .asMap());
      assertThat(spans.getFinishedSpanItems().toString()).doesNotContain(KEY);
    }
  }

  /** A server that is not there: another one is tried, in a span of its own. */
  @Test
  void anotherAttemptIsAnotherSpan() throws Exception {
    int closedPort = Ports.free();
    URI good = URI.create("http://127.0.0.1:" + upstream.getAddress().getPort());
    URI bad = URI.create("http://127.0.0.1:" + closedPort);
    try (Server server = server(sdk, 100, to -> to.upstreams(List.of(bad, good)))) {
      // Each event loop begins with a server of its own choice.
      for (int i = 1; i <= 20 && attemptsAt(closedPort).isEmpty(); i++) {
        send(server.gatewayPort(), "/" + i, HttpClient.Version.HTTP_1_1);
        int count = i;
        Await.holds("each has an attempt", () -> of(SpanKind.CLIENT).size() >= count);
      }
      Await.holds(
          "both attempts have ended",
          () -> {
            String parent = attemptsAt(closedPort).get(0).getParentSpanId();
            return of(SpanKind.CLIENT).stream()
                    .filter(span -> span.getParentSpanId().equals(parent))
                    .count()
                == 2;
          });
    }
    List<SpanData> all = of(SpanKind.CLIENT);
    SpanData failed = attemptsAt(closedPort).get(0);
    assertThat(failed.getAttributes().get(stringKey("error.type"))).isEqualTo("refused");
    assertThat(failed.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(failed.getAttributes().get(longKey("http.request.resend_count"))).isNull();
    SpanData again =
        all.stream()
            .filter(span -> span.getParentSpanId().equals(failed.getParentSpanId()))
            .filter(span -> !span.getSpanId().equals(failed.getSpanId()))
            .findFirst()
            .orElseThrow();
    assertThat(again.getAttributes().get(longKey("http.request.resend_count"))).isEqualTo(1);
    assertThat(again.getAttributes().get(STATUS)).isEqualTo(200);
    assertThat(received).contains("00-" + TRACE + "-" + again.getSpanId() + "-01");
  }

  /** A server that was up and closes: both spans of the request name the error. */
  @Test
  void deadServerIsAnError() throws Exception {
    try (Server server = server(sdk)) {
      upstream.stop(0);
      assertThat(get(server.gatewayPort(), HttpClient.Version.HTTP_1_1)).isEqualTo(502);

      SpanData request = ended(SpanKind.SERVER, 1).get(0);
      assertThat(request.getAttributes().get(stringKey("error.type"))).isEqualTo("502");
      assertThat(request.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
      assertThat(ended(SpanKind.CLIENT, 1).get(0).getAttributes().get(stringKey("error.type")))
          .isEqualTo("refused");
    }
  }

  /** Clients can invent methods, and a span's name has few values. */
  @Test
  void anUnusualMethodIsNoName() throws Exception {
    try (Server server = server(sdk)) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.gatewayPort() + "/"))
              .method("PURGE", HttpRequest.BodyPublishers.noBody())
              .header("X-API-Key", KEY)
              .build();
      client.send(request, HttpResponse.BodyHandlers.ofString());

      SpanData span = ended(SpanKind.SERVER, 1).get(0);
      assertThat(span.getName()).isEqualTo("HTTP");
      assertThat(span.getAttributes().get(stringKey("http.request.method"))).isEqualTo("_OTHER");
      assertThat(span.getAttributes().get(stringKey("http.request.method_original")))
          .isEqualTo("PURGE");
    }
  }

  @Test
  void withoutTracingHeadersPassUnchanged() throws Exception {
    try (Server server = server(null)) {
      assertThat(get(server.gatewayPort(), HttpClient.Version.HTTP_1_1)).isEqualTo(200);
      assertThat(received).containsExactly(PARENT);
      assertThat(spans.getFinishedSpanItems()).isEmpty();
    }
  }

  @Test
  void tracerThatRecordsNothingBreaksNothing() throws Exception {
    try (Server server = server(OpenTelemetry.noop())) {
      assertThat(get(server.gatewayPort(), HttpClient.Version.HTTP_1_1)).isEqualTo(200);
      assertThat(received).containsExactly(PARENT);
    }
  }

  private Server server(OpenTelemetry telemetry) {
    URI to = URI.create("http://127.0.0.1:" + upstream.getAddress().getPort());
    return server(telemetry, 1, forwarding -> forwarding.upstreams(List.of(to)));
  }

  private static Server server(
      OpenTelemetry telemetry, int limit, Consumer<ForwardingBuilder> forwarding) {
    String rules =
        """
        attributes: { api_key: { header: X-API-Key } }
        rules: [ { name: calls, per: api_key, limit: %d per hour } ]
        """
            .formatted(limit);
    RuleSet read = RuleFiles.read("rules.yaml", rules.getBytes(UTF_8)).rules().orElseThrow();
    ServerSettingsBuilder settings = ServerSettings.DEMO.onFreePorts().toBuilder();
    forwarding.accept(settings.forwarding());
    Server.Builder builder = Server.builder(settings.build()).rules(read);
    return (telemetry == null ? builder : builder.tracing(Tracing.by(telemetry))).start();
  }

  private List<SpanData> attemptsAt(int port) {
    return of(SpanKind.CLIENT).stream()
        .filter(span -> span.getAttributes().get(longKey("server.port")) == port)
        .toList();
  }

  private List<SpanData> ended(String name, int count) {
    Await.holds(count + " spans " + name + " have ended", () -> named(name).size() == count);
    return named(name);
  }

  private List<SpanData> ended(SpanKind kind, int count) {
    Await.holds(count + " spans " + kind + " have ended", () -> of(kind).size() == count);
    return of(kind);
  }

  private List<SpanData> of(SpanKind kind) {
    return spans.getFinishedSpanItems().stream()
        .filter(span -> span.getKind() == kind)
        .sorted(Comparator.comparingLong(SpanData::getStartEpochNanos))
        .toList();
  }

  private List<SpanData> named(String name) {
    return spans.getFinishedSpanItems().stream()
        .filter(span -> span.getName().equals(name))
        .sorted(Comparator.comparingLong(SpanData::getStartEpochNanos))
        .toList();
  }

  private int get(int port, HttpClient.Version version) throws Exception {
    return send(port, "/hello", version);
  }

  private int send(int port, String target, HttpClient.Version version) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + target))
            .header("traceparent", PARENT)
            .header("X-API-Key", KEY)
            .version(version)
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
  }
}
