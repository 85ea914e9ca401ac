package io.weir.server.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.CapturedLog;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code /v1/auth}: requests of proxies, over real sockets. */
class ForwardAuthApiTest {
  private static final String RULES =
      """
      attributes:
        api_key: { header: X-API-Key }
        session: { cookie: sid }
        page: { query: page }
        login: { header: Authorization }
      rules:
        - { name: ip, match: { path: /ip }, per: ip, limit: 2 per hour }
        - name: post
          match: { method: POST, path: "/a/{id}", host: shop.example }
          per: id
          limit: 1 per hour
        - { name: key, match: { path: /key }, per: api_key, limit: 1 per hour }
        - { name: session, match: { path: /session }, per: session, limit: 1 per hour }
        - { name: page, match: { path: /page }, per: page, limit: 1 per hour }
        - { name: login, match: { path: /login }, per: login, limit: 1 per hour }
        - { name: never, match: { path: /never }, limit: 0 per hour }
      """;

  private Service service = Service.start(RULES);

  @AfterEach
  void close() {
    service.close();
  }

  private Service.Reply nginx(String method, String uri, String... more) {
    List<String> headers = new ArrayList<>(List.of("X-Original-Method", method));
    headers.addAll(List.of("X-Original-URI", uri));
    headers.addAll(List.of(more));
    return service.get("/v1/auth?status=403", headers.toArray(String[]::new));
  }

  private Service.Reply traefik(String method, String uri, String... more) {
    List<String> headers = new ArrayList<>(List.of("X-Forwarded-Method", method));
    headers.addAll(List.of("X-Forwarded-Uri", uri));
    headers.addAll(List.of(more));
    return service.get("/v1/auth", headers.toArray(String[]::new));
  }

  @Test
  void nginxGetsWhatItUnderstands() {
    Service.Reply allowed = nginx("GET", "/key?x", "X-API-Key", "k");
    assertThat(allowed.status()).isEqualTo(200);
    assertThat(allowed.body()).isEmpty();
    assertThat(allowed.header("X-RateLimit-Remaining")).isEqualTo("0");
    assertThat(allowed.header("RateLimit")).isEqualTo("\"key\";r=0;t=3600");
    assertThat(allowed.header("Cache-Control")).isEqualTo("no-store");

    Service.Reply refused = nginx("GET", "/key", "X-API-Key", "k");
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.header("Retry-After")).isEqualTo("3600");
    assertThat(refused.header("X-RateLimit-Limit")).isEqualTo("1");
    assertThat(refused.body())
        .isEqualTo(
            "{\"error\":\"rate_limit_exceeded\",\"message\":\"Too many requests. Please retry after"
                + " 3600 seconds.\",\"retry_after_seconds\":3600,\"rule\":\"key\"}");
    assertThat(nginx("GET", "/key", "X-API-Key", "other").status()).isEqualTo(200);
    assertThat(nginx("GET", "/never").header("Retry-After")).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void traefikAndCaddyForwardTheResponse(HttpClient.Version version) {
    HttpRequest.Builder request =
        service
            .request(version, "/v1/auth")
            .header("X-Forwarded-Method", "POST")
            .header("X-Forwarded-Proto", "https")
            .header("X-Forwarded-Host", "Shop.Example:443")
            .header("X-Forwarded-Uri", "/a/" + version + "?q=1")
            .header("X-Forwarded-For", "203.0.113.9");

    assertThat(service.send(request).status()).isEqualTo(200);
    Service.Reply refused = service.send(request);
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.header("Retry-After")).isEqualTo("3600");
    assertThat(refused.body()).contains("\"rule\":\"post\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "X-Original-URI: /n\u00c3\u00a9ver",
        "X-Original-URI: /never?\u00fc",
        "X-Original-URI: /a b",
        "X-Original-URI: /a\u007f",
        "X-Original-URI: /a?key=b#1",
        "X-Original-URL: http://a/\u00fc",
      })
  void rawBytesInATargetAreRefused(String header) throws java.io.IOException {
    assertThat(
            service.raw(
                "GET /v1/auth HTTP/1.1\r\n"
                    + "Host: a\r\n"
                    + "X-Original-Method: GET\r\n"
                    + "Connection: close\r\n"
                    + header
                    + "\r\n\r\n"))
        .startsWith("HTTP/1.1 400 ");
  }

  @Test
  void readsHostFromIngressUrl() {
    String[] headers = {
      "X-Original-URL", "https://shop.example/a/7?x", "X-Original-Method", "POST"
    };

    assertThat(service.get("/v1/auth", headers).status()).isEqualTo(200);
    assertThat(service.get("/v1/auth", headers).body()).contains("\"rule\":\"post\"");
  }

  @Test
  void decidesByHeadersOfTheOriginalRequest() {
    assertThat(nginx("GET", "/session", "Cookie", "a=1; sid=s").status()).isEqualTo(200);
    assertThat(nginx("GET", "/session", "Cookie", "sid=s; b=2").status()).isEqualTo(403);
    assertThat(nginx("GET", "/page?page=1").status()).isEqualTo(200);
    assertThat(nginx("GET", "/page?x&page=1").status()).isEqualTo(403);
    assertThat(nginx("GET", "/page?page=2").status()).isEqualTo(200);
    assertThat(nginx("GET", "/login", "Authorization", "Bearer a").status()).isEqualTo(200);
    assertThat(nginx("GET", "/login", "Authorization", "Bearer a").status()).isEqualTo(403);
    assertThat(nginx("GET", "/login", "Authorization", "Bearer b").status()).isEqualTo(200);
  }

  @Test
  void theClientIsFoundThroughTrustedProxies() {
    assertThat(nginx("GET", "/ip", "X-Forwarded-For", "1.1.1.1, 203.0.113.1").status())
        .isEqualTo(200);
    assertThat(nginx("GET", "/ip", "X-Forwarded-For", "2.2.2.2, 203.0.113.1").status())
        .isEqualTo(200);
    assertThat(nginx("GET", "/ip", "X-Forwarded-For", "3.3.3.3, 203.0.113.1, ::1").status())
        .isEqualTo(403);
    assertThat(nginx("GET", "/ip", "X-Forwarded-For", "203.0.113.2").status()).isEqualTo(200);
  }

  @Test
  void withoutAnAddressAllAreTheProxy() {
    assertThat(nginx("GET", "/ip").status()).isEqualTo(200);
    assertThat(nginx("GET", "/ip", "X-Forwarded-For", "unknown").status()).isEqualTo(200);
    assertThat(nginx("GET", "/ip", "X-Real-IP", "9.9.9.9", "Forwarded", "for=9.9.9.9").status())
        .isEqualTo(403);
  }

  @Test
  void trustsAnAdditionalProxy() {
    service.close();
    service = Service.builder(RULES).trusting("198.51.100.0/24").start();

    for (int i = 0; i < 2; i++) {
      String chain = i + ".1.1.1, 203.0.113.1, 198.51.100." + i;
      assertThat(nginx("GET", "/ip", "X-Forwarded-For", chain).status()).isEqualTo(200);
    }
    assertThat(nginx("GET", "/ip", "X-Forwarded-For", "203.0.113.1").status()).isEqualTo(403);
  }

  /**
   * Values that the client adds to the proxy's are not trusted; the refusal has the requested
   * status.
   */
  @Test
  void refusesContradictoryHeaderFamilies() {
    Service.Reply reply = nginx("GET", "/never", "X-Forwarded-Uri", "/cheap");
    assertThat(reply.status()).isEqualTo(403);
    assertThat(reply.body()).contains("X-Original-URI and X-Forwarded-Uri disagree");
    reply = traefik("GET", "/never", "X-Original-URI", "/cheap");
    assertThat(reply.status()).isEqualTo(400);
    reply = nginx("POST", "/a/1", "X-Forwarded-Method", "GET");
    assertThat(reply.status()).isEqualTo(403);
    assertThat(reply.body()).contains("disagree about the method");
    reply =
        traefik("GET", "/never", "X-Original-URL", "http://a/cheap", "X-Original-Method", "GET");
    assertThat(reply.status()).isEqualTo(400);

    reply = nginx("GET", "/never", "X-Forwarded-Uri", "/never", "X-Forwarded-Method", "GET");
    assertThat(reply.status()).isEqualTo(403);
  }

  @Test
  void headerFamiliesAreNotMixed() {
    Service.Reply reply =
        service.get("/v1/auth", "X-Original-URI", "/a", "X-Forwarded-Method", "GET");
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.body()).contains("the proxy must send the method: X-Original-Method");
    reply = service.get("/v1/auth", "X-Forwarded-Uri", "/a");
    assertThat(reply.body()).contains("the proxy must send the method: X-Forwarded-Method");
    reply = service.get("/v1/auth", "X-Forwarded-Method", "GET");
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.body()).contains("the proxy must send the target: X-Original-URI");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "X-Original-URI",
        "X-Original-Method",
        "X-Forwarded-Uri",
        "X-Forwarded-Method",
        "X-Forwarded-Host",
        "X-Original-URL"
      })
  void repeatedForwardingHeadersAreNotTrusted(String name) {
    String value = name.endsWith("URL") ? "http://a/a" : name.endsWith("od") ? "GET" : "/a";
    HttpRequest.Builder request =
        service
            .request(HttpClient.Version.HTTP_1_1, "/v1/auth")
            .setHeader("X-Original-URI", "/a")
            .setHeader("X-Original-Method", "GET")
            .setHeader(name, value)
            .header(name, value);

    Service.Reply reply = service.send(request);
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.body()).contains(name + " is there twice");
  }

  /** Errors of the proxy keep their status; errors of the client get the requested status. */
  @ParameterizedTest
  @CsvSource({
    "/a/%00, 403",
    "/a/%2f, 403",
    "/../x, 403",
    "/a/%, 403",
    "'/page?page=1&page=2', 403",
  })
  void refusesRequestsThatCannotBeDecided(String uri, int status) {
    Service.Reply reply = nginx("POST", uri, "X-Forwarded-Host", "shop.example");

    assertThat(reply.status()).isEqualTo(status);
    assertThat(reply.body()).startsWith("{\"error\":\"bad_request\"");
    assertThat(traefik("POST", uri, "X-Forwarded-Host", "shop.example").status()).isEqualTo(400);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"status=200", "status=x", "status=600", "status=-403", "cost=0", "state=403"})
  void parametersThatMakeNoSense(String query) {
    Service.Reply reply =
        service.get("/v1/auth?" + query, "X-Original-URI", "/a", "X-Original-Method", "GET");
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.body()).contains("\"error\":\"bad_request\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND", "TRACE"})
  void anyMethodWillDo(String method) throws Exception {
    String reply =
        service.raw(
            method
                + " /v1/auth HTTP/1.1\r\nHost: a\r\nX-Forwarded-Uri: /never\r\n"
                + "X-Forwarded-Method: GET\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello");

    assertThat(reply).startsWith("HTTP/1.1 429 ").contains("\"rule\":\"never\"");
  }

  @Test
  void sendsRefusalsAsProblemDetailsIfAccepted() {
    Service.Reply reply = traefik("GET", "/never", "Accept", "application/problem+json");

    assertThat(reply.header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(reply.body()).contains("#quota-exceeded");
  }

  /** Clients may spread a list over several lines. */
  @Test
  void acceptMayBeSpreadOverSeveralLines() {
    Service.Reply reply =
        nginx("GET", "/never", "Accept", "application/problem+json", "Accept", "text/html");

    assertThat(reply.status()).isEqualTo(403);
    assertThat(reply.body()).contains("#quota-exceeded");
  }

  @Test
  void refusesUntrustedPeers() {
    service.close();
    service = Service.builder(RULES).far().start();
    try (CapturedLog log = new CapturedLog("io.weir.server")) {
      Service.Reply reply = traefik("GET", "/cheap");
      assertThat(reply.status()).isEqualTo(403);
      assertThat(reply.body()).contains("\"error\":\"untrusted_peer\"");
      traefik("GET", "/cheap");
      assertThat(log.warnings())
          .as("a proxy cannot tell it from a refusal: it is logged, rarely")
          .hasSize(1)
          .first(InstanceOfAssertFactories.STRING)
          .contains("127.0.0.1", "auth_trusted_peers");
    }

    service.close();
    service = Service.builder(RULES).far().trusting("127.0.0.1").start();
    assertThat(traefik("GET", "/cheap").status()).isEqualTo(200);
  }
}
