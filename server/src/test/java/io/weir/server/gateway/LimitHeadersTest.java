package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.http.Header;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The limit headers that clients receive if the server sends its own, and what pages may read. */
class LimitHeadersTest {
  private static final String TEN = "rules: [ { name: ten, limit: 10 per hour } ]";

  private static GatewayFixture before(String rules, String... headers) {
    return new GatewayFixture.Builder(rules)
        .server(
            "http",
            request -> {
              for (String header : headers) {
                request
                    .response()
                    .headers()
                    .add(
                        header.substring(0, header.indexOf(':')),
                        header.substring(header.indexOf(':') + 2));
              }
              request.response().end();
            })
        .build();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "ten";r=9;t=2          | "server";r=5;t=1          | "ten";r=9;t=2, "server";r=5;t=1
          "ten";r=9;t=2          | "ten";r=5;t=1             | "ten";r=5;t=1
          "ten";r=9;t=2          | "ten";r=50;t=1            | "ten";r=9;t=2
          "ten";r=9, "b";r=1     | "b";r=0, "c";r=7          | "ten";r=9, "b";r=0, "c";r=7
          "ten";r=9              | "a, \\"b\\"";r=5          | "ten";r=9, "a, \\"b\\"";r=5
          "ten";r=9              | "a";r=5;x="y,z", "d";r=1  | "ten";r=9, "a";r=5;x="y,z", "d";r=1
          "ten";r=9              | limit=100, remaining=50   | "ten";r=9
          "ten";r=9              | 100;w=60                  | "ten";r=9
          "ten";r=9              | "unclosed;r=1             | "ten";r=9
          "ten";r=9              | "ten"; r=0                | "ten";r=0
          "ten";r=9              | "ten";r=5;r=50            | "ten";r=9
          "ten";r=9              | "ten";pk=:Zg==:;r=0       | "ten";pk=:Zg==:;r=0
          "ten";r=9              | "ten";x=";r=1"            | "ten";r=9
          "ten";r=9              | "ten";r=-5                | "ten";r=9
          "ten";r=9              | "ten";r=1,                | "ten";r=9
          "ten";r=9              | ("ten");r=1               | "ten";r=9
          "ten";r=9              | "a";r=99999999999999999999 | "ten";r=9
          """)
  void joinsListsAndKeepsTheLowerItem(String ours, String theirs, String expected) {
    LimitHeaderMerger limitHeaderMerger =
        new LimitHeaderMerger(List.of(new Header("RateLimit", ours)));
    limitHeaderMerger.take(HeaderKind.RATE_LIMIT, "ratelimit", theirs);
    assertThat(limitHeaderMerger.headers()).containsExactly(new Header("RateLimit", expected));
  }

  @Test
  void sendsXRateLimitHeadersWithLessRemaining() throws Exception {
    try (GatewayFixture gatewayFixture =
        before(TEN, "X-RateLimit-Limit: 5", "x-ratelimit-remaining: 3", "X-RateLimit-Reset: 77")) {
      String response = gatewayFixture.get();
      assertThat(values(response, "X-RateLimit-Limit")).containsExactly("5");
      assertThat(values(response, "X-RateLimit-Remaining")).containsExactly("3");
      assertThat(values(response, "X-RateLimit-Reset")).containsExactly("77");
      assertThat(values(response, "RateLimit"))
          .hasSize(1)
          .first()
          .asString()
          .startsWith("\"ten\";r=9");
    }
    try (GatewayFixture gatewayFixture =
        before(
            TEN, "X-RateLimit-Limit: 500", "X-RateLimit-Remaining: 30", "X-RateLimit-Reset: 7")) {
      String response = gatewayFixture.get();
      assertThat(values(response, "X-RateLimit-Limit")).containsExactly("10");
      assertThat(values(response, "X-RateLimit-Remaining")).containsExactly("9");
      assertThat(values(response, "X-RateLimit-Reset")).hasSize(1).doesNotContain("7");
    }
  }

  @Test
  void keepsRetryAfterOfTheServer() throws Exception {
    try (GatewayFixture gatewayFixture =
        before(TEN, "Retry-After: 7", "X-RateLimit-Retry-After: 7")) {
      String response = gatewayFixture.get();
      assertThat(values(response, "Retry-After")).containsExactly("7");
      assertThat(values(response, "X-RateLimit-Retry-After")).containsExactly("7");
    }
  }

  @Test
  void keepsServerHeadersIfNoRuleApplies() throws Exception {
    String none = "rules: [ { name: no, match: { path: /other }, limit: 1 per hour } ]";
    try (GatewayFixture gatewayFixture =
        before(none, "RateLimit: limit=1", "X-RateLimit-Limit: 5")) {
      String response = gatewayFixture.get();
      assertThat(values(response, "RateLimit")).containsExactly("limit=1");
      assertThat(values(response, "X-RateLimit-Limit")).containsExactly("5");
    }
  }

  // Pages of other origins.

  @Test
  void exposesLimitHeadersOfReadableResponses() throws Exception {
    try (GatewayFixture gatewayFixture =
        before(
            TEN,
            "Access-Control-Allow-Origin: *",
            "Access-Control-Expose-Headers: X-Mine, ratelimit")) {
      assertThat(
              values(
                  gatewayFixture.get("Origin: https://shop.example"),
                  "Access-Control-Expose-Headers"))
          .containsExactly(
              "X-Mine, ratelimit, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset,"
                  + " RateLimit-Policy");
    }
    try (GatewayFixture gatewayFixture = before(TEN)) {
      assertThat(
              values(
                  gatewayFixture.get("Origin: https://shop.example"),
                  "Access-Control-Expose-Headers"))
          .isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "*, https://shop.example, *",
    "https://shop.example, https://shop.example, https://shop.example",
    "https://shop.example, https://evil.example, ",
    ", https://shop.example, ",
    "*, , ",
  })
  void configuredOriginsMayReadRefusals(String allowed, String origin, String allowedOrigin)
      throws Exception {
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder("rules: [ { name: no, limit: 0 per hour } ]")
            .server("http", request -> request.response().end())
            .settings(
                to -> to.forwarding().corsOrigins(allowed == null ? List.of() : List.of(allowed)))
            .build()) {
      String response =
          origin == null ? gatewayFixture.get() : gatewayFixture.get("Origin: " + origin);
      assertThat(response).startsWith("HTTP/1.1 429 ");
      assertThat(values(response, "Access-Control-Allow-Origin"))
          .isEqualTo(allowedOrigin == null ? List.of() : List.of(allowedOrigin));
      if (allowedOrigin != null) {
        assertThat(values(response, "Access-Control-Expose-Headers").get(0))
            .contains("X-RateLimit-Remaining", "RateLimit-Policy");
        assertThat(values(response, "Vary")).hasSize(allowedOrigin.equals("*") ? 0 : 1);
      }
    }
  }

  private static List<String> values(String response, String name) {
    return Arrays.stream(response.substring(0, response.indexOf("\r\n\r\n")).split("\r\n"))
        .filter(line -> line.regionMatches(true, 0, name + ":", 0, name.length() + 1))
        .map(line -> line.substring(name.length() + 1).strip())
        .toList();
  }
}
