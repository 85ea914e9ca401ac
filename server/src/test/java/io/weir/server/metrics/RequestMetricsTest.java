package io.weir.server.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.weir.rules.Domain;
import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleFiles;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import io.weir.server.rls.proto.descriptor.RateLimitDescriptor;
import io.weir.server.rls.proto.service.RateLimitRequest;
import io.weir.server.rls.proto.service.RateLimitServiceGrpc;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A request is counted once, at the port where it came in, whatever number of rules applied. */
class RequestMetricsTest {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The tight one refuses 50 of 100; four others allow, and two would refuse. */
  private static final String SIX =
      """
      rules:
        - { name: tight, match: { path: /a }, limit: 50 per hour }
        - { name: wide, match: { path: /a }, limit: 1000 per hour }
        - { name: wider, match: { path: /a }, per: method, limit: 2000 per hour }
        - { name: also, match: { path: /a }, limit: 50 per hour }
        - { name: tried, match: { path: /a }, mode: shadow, limit: 30 per hour }
        - { name: second, match: { path: /a }, mode: shadow, limit: 20 per hour }
        - name: slow
          match: { path: /slow }
          limit: { algorithm: leaky-bucket, rate: 1 per minute, queue: 2 }
      """;

  private static final String ENVOY =
      """
      domain: shop
      descriptors:
        - { key: wide, rate_limit: { unit: hour, requests_per_unit: 9 } }
        - { key: tight, rate_limit: { unit: hour, requests_per_unit: 1 } }
        - { key: tried, shadow_mode: true, rate_limit: { unit: hour, requests_per_unit: 0 } }
      """;

  @Test
  void halfIsHalfHoweverManyRulesApply() throws Exception {
    try (Server server = server(SIX)) {
      assertThat(requests(server))
          .as("from the start: to Prometheus the first value of a series is no increase")
          .containsExactlyInAnyOrder(
              "gateway allowed 0",
              "gateway denied 0",
              "gateway delayed 0",
              "gateway unmatched 0",
              "gateway error 0",
              "service allowed 0",
              "service denied 0",
              "service delayed 0",
              "service unmatched 0",
              "service error 0");
      for (int i = 0; i < 100; i++) {
        int status = get(server.gatewayPort(), "/a").statusCode();
        assertThat(status).isEqualTo(i < 50 ? 200 : 429);
      }
      get(server.gatewayPort(), "/elsewhere");
      get(server.gatewayPort(), "/%00"); // 400: nothing was decided

      assertThat(requests(server))
          .contains(
              "gateway allowed 50", "gateway denied 50", "gateway delayed 0", "gateway unmatched 1")
          .contains("service allowed 0", "service denied 0");
      Samples samples = scrape(server);
      assertThat(samples.value("weir_unmatched_total")).isEqualTo(1);
      assertThat(samples.value("weir_decision_seconds_count")).as("each is timed").isEqualTo(101);

      JsonNode overview = json(server, "/v1/overview");
      for (String part : List.of("/totals", "/minute")) {
        JsonNode counts = overview.at(part);
        assertThat(counts.get("requests").asLong()).as(part).isEqualTo(101);
        assertThat(counts.get("allowed").asLong()).isEqualTo(50);
        assertThat(counts.get("denied").asLong()).isEqualTo(50);
        assertThat(counts.get("unmatched").asLong()).isEqualTo(1);
        assertThat(counts.get("shadow_denied").asLong()).as("by one or by both").isEqualTo(30);
      }
      assertThat(overview.at("/decisions/count").asLong()).isEqualTo(101);
      JsonNode series = json(server, "/v1/series");
      assertThat(sum(series.get("allowed"))).isEqualTo(50);
      assertThat(sum(series.get("denied"))).isEqualTo(50);
      assertThat(sum(series.get("unmatched"))).isEqualTo(1);
      assertThat(sum(series.get("shadow_denied"))).isEqualTo(30);
      JsonNode rule = json(server, "/v1/series?rule=wide");
      assertThat(sum(rule.get("allowed"))).isEqualTo(50);
      assertThat(rule.has("unmatched")).isFalse();
      JsonNode parts = json(server, "/v1/series?by=rule&top=2").get("rules");
      long decisions = 0;
      for (JsonNode part : parts) {
        for (String outcome : List.of("allowed", "denied", "shadow_denied", "delayed")) {
          decisions += sum(part.get(outcome));
        }
      }
      assertThat(decisions).as("of each rule").isEqualTo(4 * 50 + 2 * 50 + 2 * 50);
    }
  }

  @Test
  void servicePortCountsEachCheckOnce() throws Exception {
    try (Server server = server(SIX)) {
      int port = server.servicePort();
      get(port, "/v1/check?path=/a");
      post(port, "/v1/check", "{\"attributes\":{\"path\":\"/a\"}}");
      String one = "{\"attributes\":{\"path\":\"/a\"},\"cost\":16}"; // three of four fit
      String four = IntStream.range(0, 4).mapToObj(i -> one).collect(Collectors.joining(","));
      post(
          port,
          "/v1/check",
          "[" + four + ",{\"attributes\":{\"path\":\"/%2f\"}},{\"attributes\":{\"path\":\"/b\"}}]");
      post(port, "/v1/check", "{\"attributes\":3}"); // 400
      assertThat(requests(server))
          .contains("service allowed 5", "service denied 1", "service unmatched 1")
          .contains("gateway allowed 0");

      CLIENT.send(
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/auth"))
              .headers("X-Original-Method", "GET", "X-Original-URL", "http://shop/slow")
              .build(),
          HttpResponse.BodyHandlers.discarding());
      String slow = "{\"attributes\":{\"path\":\"/slow\"}}";
      String reserved = post(port, "/v1/reserve", slow).body(); // allowed, with a delay
      post(
          port,
          "/v1/commit",
          "{\"reservation\":"
              + JSON.readTree(reserved).get("reservation")
              + ",\"cost\":1}"); // no other
      assertThat(requests(server))
          .contains("service allowed 6", "service denied 1", "service delayed 1");
    }
  }

  @Test
  void aCallOfEnvoyIsOneRequestHoweverManyDescriptorsItHas() throws Exception {
    try (Server server = server(ENVOY)) {
      ManagedChannel channel =
          NettyChannelBuilder.forAddress("127.0.0.1", server.servicePort()).usePlaintext().build();
      try {
        call(channel, "wide", "tight", "none"); // allowed
        call(channel, "wide", "tight"); // refused by one
        call(channel, "none", "nothing"); // nothing is for it
        call(channel, "wide", "tried"); // would be refused
      } finally {
        channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
      }
      post(
          server.servicePort(),
          "/json",
          "{\"domain\":\"shop\",\"descriptors\":[{\"entries\":[{\"key\":\"wide\",\"value\":\"a\"}]},"
              + "{\"entries\":[{\"key\":\"tight\",\"value\":\"a\"}]}]}"); // refused
      assertThat(requests(server))
          .contains(
              "service allowed 2", "service denied 2", "service unmatched 1", "service delayed 0");
      assertThat(json(server, "/v1/overview").at("/totals/shadow_denied").asLong()).isEqualTo(1);
      assertThat(scrape(server).value("weir_unmatched_total")).isEqualTo(1);
    }
  }

  private static void call(ManagedChannel channel, String... keys) {
    RateLimitRequest.Builder request = RateLimitRequest.newBuilder().setDomain("shop");
    for (String key : keys) {
      request.addDescriptors(
          RateLimitDescriptor.newBuilder()
              .addEntries(RateLimitDescriptor.Entry.newBuilder().setKey(key).setValue("a")));
    }
    RateLimitServiceGrpc.newBlockingStub(channel).shouldRateLimit(request.build());
  }

  private static Server server(String... files) {
    List<Domain> domains = new ArrayList<>();
    for (String file : files) {
      domains.addAll(
          RuleFiles.read("rules.yaml", file.getBytes(UTF_8)).rules().orElseThrow().domains());
    }
    return Server.start(ServerSettings.DEMO.onFreePorts(), RuleSet.of(domains));
  }

  /** {@code gateway allowed 3} and so on. */
  private static List<String> requests(Server server) throws Exception {
    return scrape(server)
        .named("weir_requests_total")
        .map(
            sample ->
                "%s %s %d"
                    .formatted(
                        sample.labels().get("port"),
                        sample.labels().get("outcome"),
                        (long) sample.value()))
        .toList();
  }

  private static Samples scrape(Server server) throws Exception {
    return Samples.of(get(server.adminPort(), "/metrics").body());
  }

  private static JsonNode json(Server server, String target) throws Exception {
    return JSON.readTree(get(server.adminPort(), target).body());
  }

  private static long sum(JsonNode slots) {
    long sum = 0;
    for (JsonNode each : slots) {
      sum += each.asLong(); // 0 where it is null
    }
    return sum;
  }

  private static HttpResponse<String> get(int port, String target) throws Exception {
    return CLIENT.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + target)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static HttpResponse<String> post(int port, String target, String body) throws Exception {
    return CLIENT.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + target))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }
}
