package io.weir.server.tracing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.weir.rig.Until;
import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleFiles;
import io.weir.server.Server;
import io.weir.server.Settings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
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
  private final List<String> heard = new CopyOnWriteArrayList<>();

  /** Keeps its connections: the first request of one is answered in another place than others. */
  private final HttpClient client = HttpClient.newHttpClient();

  private HttpServer upstream;

  @BeforeEach
  void openUpstream() throws IOException {
    upstream = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    upstream.createContext(
        "/",
        exchange -> {
          heard.add(
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
  void aTraceGoesThroughTheGateway(HttpClient.Version version) throws Exception {
    try (Server server = server(sdk)) {
      assertThat(get(server.gatewayPort(), version)).isEqualTo(200);
      assertThat(get(server.gatewayPort(), version)).isEqualTo(429);
      assertThat(get(server.gatewayPort(), version)).as("not at the door").isEqualTo(429);

      List<SpanData> requests = ended("GET", 3);
      List<SpanData> decisions = ended("weir.decide", 3);
      assertThat(requests)
          .allMatch(span -> span.getKind() == SpanKind.SERVER)
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
      assertThat(heard)
          .as("the server behind goes on from the gateway's span")
          .containsExactly("00-" + TRACE + "-" + requests.get(0).getSpanId() + "-01");
      assertThat(spans.getFinishedSpanItems().toString()).doesNotContain(KEY);
    }
  }

  @Test
  void aCheckIsFollowedAndAScrapeIsNot() throws Exception {
    try (Server server = server(sdk)) {
      ask(server.adminPort(), "/metrics", HttpClient.Version.HTTP_1_1);
      ask(server.servicePort(), "/v1/check?nobody=1", HttpClient.Version.HTTP_1_1);

      SpanData request = ended("GET", 1).get(0);
      assertThat(request.getTraceId()).isEqualTo(TRACE);
      assertThat(request.getAttributes().get(OUTCOME)).isEqualTo("unmatched");
      assertThat(ended("weir.decide", 1).get(0).getAttributes().get(RULE)).isNull();
    }
  }

  @Test
  void withoutAnybodyWhoFollowsHeadersPassAsTheyAre() throws Exception {
    try (Server server = server(null)) {
      assertThat(get(server.gatewayPort(), HttpClient.Version.HTTP_1_1)).isEqualTo(200);
      assertThat(heard).containsExactly(PARENT);
      assertThat(spans.getFinishedSpanItems()).isEmpty();
    }
  }

  @Test
  void whoFollowsNothingBreaksNothing() throws Exception {
    try (Server server = server(OpenTelemetry.noop())) {
      assertThat(get(server.gatewayPort(), HttpClient.Version.HTTP_1_1)).isEqualTo(200);
      assertThat(heard).containsExactly(PARENT);
    }
  }

  private Server server(OpenTelemetry telemetry) {
    String rules =
        """
        attributes: { api_key: { header: X-API-Key } }
        rules: [ { name: calls, per: api_key, limit: 1 per hour } ]
        """;
    RuleSet read = RuleFiles.read("rules.yaml", rules.getBytes(UTF_8)).rules().orElseThrow();
    URI to = URI.create("http://127.0.0.1:" + upstream.getAddress().getPort());
    Settings settings = Settings.DEMO.onFreePorts().toBuilder().upstream(to).build();
    Server.Builder builder = Server.builder(settings).rules(read);
    return (telemetry == null ? builder : builder.tracing(Tracing.by(telemetry))).start();
  }

  private List<SpanData> ended(String name, int count) {
    Until.holds(count + " spans " + name + " have ended", () -> named(name).size() == count);
    return named(name);
  }

  private List<SpanData> named(String name) {
    return spans.getFinishedSpanItems().stream()
        .filter(span -> span.getName().equals(name))
        .sorted(Comparator.comparingLong(SpanData::getStartEpochNanos))
        .toList();
  }

  private int get(int port, HttpClient.Version version) throws Exception {
    return ask(port, "/hello", version);
  }

  private int ask(int port, String target, HttpClient.Version version) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + target))
            .header("traceparent", PARENT)
            .header("X-API-Key", KEY)
            .version(version)
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
  }
}
