package io.weir.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.CapturedLog;
import io.weir.rig.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules, keys and health, and access to them. */
class AdminTest {
  private static final String RULES =
      """
      attributes:
        client: { first_of: [api_key, ip] }
      rules:
        - { name: user, per: user, limit: { rate: 1 per second, burst: 3 } }
        - name: client
          per: client
          limits: [ 2 per hour, { algorithm: fixed-window, rate: 9 per day } ]
          overrides: [ { name: big, match: { tier: pro }, limit: 5 per hour } ]
          on_failure: deny
        - { name: everything, match: { path: /a }, mode: shadow, limit: 100 per second }
      """;

  private final Admin admin = new Admin(RULES);

  @AfterEach
  void close() {
    admin.close();
  }

  @Test
  void showsTheRules() {
    assertThat(Admin.body(admin.send("GET /v1/rules")))
        .startsWith(
            "{\"domains\":[{\"name\":\"default\",\"rules\":[{\"name\":\"user\",\"match\":null,"
                + "\"per\":[\"user\"],\"limits\":[{\"limit\":")
        .contains(
            "\"overrides\":[{\"name\":\"big\",\"match\":\"{tier: ",
            "\"mode\":\"enforce\",\"on_failure\":\"deny\",\"consistency\":\"exact\","
                + "\"place\":\"rules.yaml:5\"",
            "\"mode\":\"shadow\"")
        .endsWith("\"descriptors\":[]}]}");
  }

  /** An exemption or an override in the rules may contain a key that is a secret. */
  @Test
  void showsNoKeysOfRules() {
    String rules =
        "rules: [ { name: a, match: { api_key: [sk_live_abcdef, sk_live_ghijkl] }, limit: 1/s,"
            + " exempt: [ { api_key: sk_live_mnopqr } ],"
            + " overrides: [ { match: { api_key: sk_live_abcdef }, limit: 9/s } ] } ]";
    try (Admin other = new Admin(rules)) {
      assertThat(Admin.body(other.send("GET /v1/rules")))
          .contains("sk…ef", "sk…kl")
          .doesNotContain("sk_live");
    }
  }

  @Test
  void showsWhatTheNextRequestWouldGet() {
    for (int i = 0; i < 3; i++) {
      admin.decide(Map.of("user", "42"));
    }
    String page = Admin.body(admin.send("GET /v1/keys?rule=user&user=42"));

    assertThat(page)
        .startsWith(
            "{\"rule\":\"user\",\"domain\":\"default\",\"key\":\"42\",\"known\":true,\"buckets\":[{"
                + "\"override\":null,\"allowed\":false,\"remaining\":0,\"retry_after_ms\":1000,"
                + "\"limits\":[{\"limit\":")
        .endsWith(
            "\"capacity\":3,\"remaining\":0,\"retry_after_ms\":1000,\"reset_after_ms\":3000,"
                + "\"full_after_ms\":3000}]}]}");
    assertThat(Admin.body(admin.send("GET /v1/keys?rule=user&user=42")))
        .as("looking spends nothing")
        .isEqualTo(page);
  }

  @Test
  void showsTheLimitsThatHold() {
    String unknown = Admin.body(admin.send("GET /v1/keys?rule=client&api_key=k"));
    assertThat(unknown).contains("\"known\":false", "\"override\":null", "\"override\":\"big\"");
    String given = Admin.body(admin.send("GET /v1/keys?rule=client&api_key=k&tier=pro"));
    assertThat(given)
        .contains("\"known\":true", "\"override\":\"big\",\"allowed\":true,\"remaining\":5")
        .doesNotContain("\"override\":null");

    admin.decide(Map.of("api_key", "k"));
    String seen = Admin.body(admin.send("GET /v1/keys?rule=client&api_key=k"));
    assertThat(seen)
        .contains(
            "\"known\":true",
            "\"override\":null,\"allowed\":true,\"remaining\":1",
            "\"capacity\":2,\"remaining\":1",
            "\"capacity\":9,\"remaining\":8")
        .doesNotContain("\"override\":\"big\"");
  }

  /** An override without a name is called by its match, which may have a key in it. */
  @Test
  void showsNoKeysInNamesOfOverrides() {
    String rules =
        "rules: [ { name: a, per: user, limit: 1 per hour,"
            + " overrides: [ { match: { api_key: sk_live_abcdef }, limit: 9 per hour } ] } ]";
    try (Admin other = new Admin(rules)) {
      other.decide(Map.of("user", "alice-0001", "api_key", "sk_live_abcdef"));
      for (String page :
          List.of("/v1/keys?rule=a&user=alice-0001", "/v1/overview", "/v1/top?kind=near")) {
        assertThat(Admin.body(other.send("GET " + page))).doesNotContain("sk_live");
      }
      assertThat(Admin.body(other.send("GET /v1/keys?rule=a&user=alice-0001")))
          .contains("\"override\":\"{api_key: \\\"sk…ef\\\"}\"");
    }
  }

  /** Until the newest entry of a log is over, not the oldest. */
  @Test
  void reportsWhenALogIsFullAgain() {
    String rules =
        "rules: [ { name: a, per: user, limit: { algorithm: sliding-log, rate: 2 per minute } } ]";
    try (Admin other = new Admin(rules)) {
      other.decide(Map.of("user", "1"));
      other.time.advance(Duration.ofSeconds(20));
      other.decide(Map.of("user", "1"));
      assertThat(Admin.body(other.send("GET /v1/keys?rule=a&user=1")))
          .contains("\"retry_after_ms\":40000,\"reset_after_ms\":40000,\"full_after_ms\":60000");
    }
  }

  /** The same on Redis, by its clock. */
  @Test
  void reportsWhenALogOnRedisIsFullAgain() throws Exception {
    String rules =
        "rules: [ { name: a, per: user, limit: { algorithm: sliding-log, rate: 2 per minute } } ]";
    try (RedisProcess redis = RedisProcess.start();
        Admin other =
            new Admin(rules, redis.url() + "?timeout=10s&connect_timeout=20s", Optional.empty())) {
      other.decide(Map.of("user", "1"));
      Thread.sleep(1500);
      other.decide(Map.of("user", "1"));
      String page = Admin.body(other.send("GET /v1/keys?rule=a&user=1"));
      long wait = number(page, "retry_after_ms");
      long full = number(page, "full_after_ms");
      assertThat(wait).as(page).isBetween(1L, 58_500L);
      assertThat(full).isBetween(wait + 1400, 60_000L);
    }
  }

  private static long number(String page, String name) {
    return Long.parseLong(page.replaceFirst("(?s).*\"" + name + "\":(\\d+).*", "$1"));
  }

  @Test
  void resetsAndGrants() {
    try (CapturedLog audit = new CapturedLog("io.weir.audit")) {
      for (int i = 0; i < 3; i++) {
        admin.decide(Map.of("user", "a-rather-long-name"));
      }
      String key = "rule=user&user=a-rather-long-name";
      assertThat(admin.send("POST /v1/keys/grant?" + key + "&permits=2"))
          .startsWith("HTTP/1.1 200 ")
          .contains("\"remaining\":2");
      assertThat(admin.send("DELETE /v1/keys?" + key))
          .startsWith("HTTP/1.1 200 ")
          .contains("\"remaining\":3");

      assertThat(audit.lines())
          .hasSize(2)
          .allMatch(
              line ->
                  line.matches(
                      ".*: rule user, domain default, key a-…me, id [0-9a-f]{16}, by 127.0.0.1:.*"))
          .noneMatch(line -> line.contains("rather"));
      assertThat(audit.lines().get(0)).startsWith("INFO grant of 2: ");
      assertThat(audit.lines().get(1)).startsWith("INFO reset: ");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          GET /v1/keys                                   | 'rule' is missing
          GET /v1/keys?rule=usr&user=1                   | there is no rule 'usr'; did you mean 'user'?
          GET /v1/keys?rule=user&domain=defalt&user=1    | there is no domain 'defalt'; did you mean 'default'?
          GET /v1/keys?rule=user                         | user
          GET /v1/keys?rule=user&user=1&user=2           | sent twice
          DELETE /v1/keys?rule=user                      | user
          POST /v1/keys/grant?rule=user&user=1           | 'permits' is missing
          POST /v1/keys/grant?rule=user&user=1&permits=x | 'permits' must be a whole number
          POST /v1/keys/grant?rule=user&user=1&permits=0 | 'permits' must be from 1 to
          """)
  void reportsInvalidRequests(String line, String message) {
    assertThat(admin.send(line)).startsWith("HTTP/1.1 400 ").contains(message);
  }

  @Test
  void aNameInTwoDomainsNeedsItsDomain() {
    String one = "rules: [ { name: same, per: user, limit: 1 per hour } ]";
    io.weir.rules.RuleSet both =
        io.weir.rules.RuleSet.of(
            List.of(
                Admin.rules(one).domains().get(0),
                Admin.rules("{ domain: shop, " + one + " }").domains().get(0)));
    admin.feed.replace(both);

    assertThat(admin.send("GET /v1/keys?rule=same&user=1"))
        .startsWith("HTTP/1.1 400 ")
        .contains("choose one with 'domain', one of: default, shop");
    assertThat(admin.send("GET /v1/keys?rule=same&domain=shop&user=1"))
        .startsWith("HTTP/1.1 200 ")
        .contains("\"domain\":\"shop\"");
    admin.decide(Map.of("user", "1"));
    assertThat(admin.send("GET /metrics"))
        .contains(
            "weir_decisions_total{outcome=\"allowed\",rule=\"same\"} 1.0",
            "weir_decisions_total{outcome=\"allowed\",rule=\"shop/same\"} 1.0");
  }

  @Test
  void isLiveAndReportsWhyNotReady() {
    assertThat(admin.send("GET /health/live")).startsWith("HTTP/1.1 200 ");
    assertThat(admin.send("GET /health/ready"))
        .startsWith("HTTP/1.1 503 ")
        .endsWith(
            "{\"status\":\"unready\",\"reasons\":[\"starting or draining\"],\"store\":\"up\"}");
  }

  @Test
  void servesOnlyExistingPaths() {
    assertThat(admin.send("GET /v2/rules")).startsWith("HTTP/1.1 404 ");
    assertThat(admin.send("POST /v1/rules")).startsWith("HTTP/1.1 405 ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "LOCALHOST:8082", "127.0.0.1:1", "127.5.5.5", "[::1]:8082"})
  void servesNamesOfThisMachine(String host) {
    assertThat(admin.sendTo(host, "GET /v1/rules")).startsWith("HTTP/1.1 200 ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example",
        "evil.example:8082",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "10.0.0.1",
        "0.0.0.0",
        "[::2]",
        "a{b.evil.example",
        "evil.example:x",
        "localhost/evil.example",
      })
  void refusesOtherNames(String host) {
    for (String line :
        List.of("GET /", "GET /metrics", "GET /v1/rules", "DELETE /v1/keys?rule=user&user=1")) {
      assertThat(admin.sendTo(host, line)).startsWith("HTTP/1.1 403 ");
    }
    assertThat(admin.sendTo(host, "GET /health/live")).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void twoNamesAreNoRequest() {
    assertThat(admin.sendTo("localhost\r\nHost: evil.example", "GET /"))
        .startsWith("HTTP/1.1 400 ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Origin: http://evil.example",
        "Origin: null",
        "Origin: http://localhost:1",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: ",
        "Sec-Fetch-Site: same-site"
      })
  void letsNoOtherSiteChangeAnything(String header) {
    admin.decide(Map.of("user", "1"));
    assertThat(admin.send("DELETE /v1/keys?rule=user&user=1", header)).startsWith("HTTP/1.1 403 ");
    assertThat(admin.send("POST /v1/keys/grant?rule=user&user=1&permits=1", header))
        .startsWith("HTTP/1.1 403 ");
    assertThat(admin.send("GET /v1/keys?rule=user&user=1")).contains("\"remaining\":2");
  }

  /** Neither by a script, nor as a picture, nor in a frame; only a link to the page is followed. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          Sec-Fetch-Site: cross-site | no-cors  | empty    | 403
          Sec-Fetch-Site: same-site  | no-cors  | empty    | 403
          Sec-Fetch-Site: cross-site | no-cors  | script   | 403
          Sec-Fetch-Site: cross-site | no-cors  | image    | 403
          Sec-Fetch-Site: same-site  | cors     | empty    | 403
          Sec-Fetch-Site: cross-site | navigate | iframe   | 403
          Sec-Fetch-Site: cross-site | navigate | document | 403
          Origin: http://evil.example | cors    | empty    | 403
          Origin: null               | cors     | empty    | 403
          Sec-Fetch-Site: same-origin | cors    | empty    | 200
          Sec-Fetch-Site: none       | navigate | document | 200
          """)
  void letsNoOtherSiteReadAnything(String site, String mode, String dest, int status) {
    for (String path :
        List.of(
            "/v1/overview",
            "/v1/rules",
            "/v1/series?range=5m",
            "/v1/top",
            "/v1/changes",
            "/metrics",
            "/openapi.yaml",
            "/assets/js/main.js")) {
      assertThat(
              admin.send("GET " + path, site, "Sec-Fetch-Mode: " + mode, "Sec-Fetch-Dest: " + dest))
          .as(path)
          .startsWith("HTTP/1.1 " + status + " ");
    }
  }

  @Test
  void aLinkToThePageIsFollowed() {
    String[] link = {
      "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"
    };
    assertThat(admin.send("GET /", link)).startsWith("HTTP/1.1 200 ");
    link[2] = "Sec-Fetch-Dest: iframe";
    assertThat(admin.send("GET /", link)).startsWith("HTTP/1.1 403 ");
    link[1] = "Sec-Fetch-Mode: no-cors";
    assertThat(admin.send("GET /", link)).startsWith("HTTP/1.1 403 ");
  }

  /** Browsers withhold every response from pages of other origins. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /",
        "GET /assets/js/main.js",
        "GET /assets/none.js",
        "GET /health/live",
        "GET /health/ready",
        "GET /metrics",
        "GET /openapi.yaml",
        "GET /v1/rules",
        "GET /v1/overview",
        "GET /v1/top?limit=x",
        "GET /v1/none",
        "PUT /v1/rules",
        "HEAD /v1/rules",
        "OPTIONS /v1/rules"
      })
  void sendsNoCrossOriginHeaders(String line) {
    String head = admin.send(line).split("\r\n\r\n", 2)[0].toLowerCase(Locale.ROOT);
    assertThat(head.split("\r\n"))
        .containsOnlyOnce(
            "cross-origin-resource-policy: same-origin", "x-content-type-options: nosniff")
        .noneMatch(header -> header.startsWith("access-control-"));
  }

  @Test
  void letsItsOwnPagesChangeSomething() {
    String line = "DELETE /v1/keys?rule=user&user=1";
    assertThat(admin.send(line, "Origin: " + admin.origin(), "Sec-Fetch-Site: same-origin"))
        .startsWith("HTTP/1.1 200 ");
    assertThat(admin.send(line, "Sec-Fetch-Site: none")).startsWith("HTTP/1.1 200 ");
    assertThat(admin.send(line, "Origin: https://weir.example", "Sec-Fetch-Site: same-origin"))
        .as("behind a proxy that speaks TLS")
        .startsWith("HTTP/1.1 200 ");
    assertThat(admin.send(line, "Origin: " + admin.origin())).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void requiresTheConfiguredToken() {
    try (Admin guarded = new Admin(RULES, "memory", Optional.of("s3cret"))) {
      for (String line : List.of("GET /metrics", "GET /v1/rules", "GET /v1/keys?rule=user")) {
        assertThat(guarded.send(line))
            .startsWith("HTTP/1.1 401 ")
            .containsIgnoringCase("www-authenticate: Bearer");
      }
      assertThat(guarded.send("GET /v1/rules", "Authorization: Bearer wrong"))
          .startsWith("HTTP/1.1 401 ");
      assertThat(guarded.sendTo("any.example", "GET /v1/rules", "Authorization: Bearer s3cret"))
          .startsWith("HTTP/1.1 200 ");
      assertThat(guarded.send("GET /health/live")).as("for probes").startsWith("HTTP/1.1 200 ");
    }
  }
}
