package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which headers are forwarded. */
class HeadersTest {
  private static final String MANY = "rules: [ { name: many, limit: 100000 per second } ]";

  private final List<MultiMap> arrived = new CopyOnWriteArrayList<>();

  private void take(HttpServerRequest request) {
    arrived.add(request.headers());
    request
        .body()
        .onSuccess(
            body -> request.response().putHeader("Via", "1.1 other").end("got " + body.length()));
  }

  /** If Content-Length were treated as hop-by-hop, the body would be lost. */
  @ParameterizedTest
  @CsvSource({
    "content-length, 400",
    "'Content-Length, close', 400",
    "Host, 400",
    "transfer-encoding, 400",
    "X-Other, 200",
  })
  void neverStripsFramingHeaders(String named, int status) throws Exception {
    try (GatewayFixture gatewayFixture = new GatewayFixture(MANY, this::take)) {
      assertThat(
              gatewayFixture.raw(
                  "POST / HTTP/1.1\r\nHost: a\r\nConnection: "
                      + named
                      + "\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello"))
          .startsWith("HTTP/1.1 " + status + " ");
      assertThat(arrived.stream().map(headers -> headers.get("Content-Length")).toList())
          .isEqualTo(status == 200 ? List.of("5") : List.of());
    }
  }

  @Test
  void replacesForwardingHeadersOfUntrustedClients() throws Exception {
    try (GatewayFixture gatewayFixture = new GatewayFixture(MANY, this::take)) {
      gatewayFixture.get(
          "Forwarded: for=6.6.6.6;proto=https",
          "X-Forwarded-For: 6.6.6.6",
          "X-Forwarded-Host: evil.example",
          "X-Forwarded-Proto: https",
          "X-Forwarded-Port: 1",
          "X-Forwarded-Prefix: /evil",
          "X-Real-IP: 6.6.6.6",
          "X-Original-URL: /admin",
          "Via: 1.0 fred");
      MultiMap headers = arrived.get(0);
      assertThat(headers.getAll("Forwarded"))
          .containsExactly("for=127.0.0.1;host=\"shop.example\";proto=http");
      assertThat(headers.getAll("X-Forwarded-For")).containsExactly("127.0.0.1");
      assertThat(headers.getAll("X-Forwarded-Host")).containsExactly("shop.example");
      assertThat(headers.getAll("X-Forwarded-Proto")).containsExactly("http");
      assertThat(headers.getAll("Via")).containsExactly("1.0 fred, 1.1 weir");
      assertThat(headers.names())
          .extracting(name -> name.toLowerCase(Locale.ROOT))
          .doesNotContain("x-forwarded-port", "x-forwarded-prefix", "x-real-ip", "x-original-url");
    }
  }

  @Test
  void appendsToForwardingHeadersOfTrustedProxies() throws Exception {
    try (GatewayFixture gatewayFixture = new GatewayFixture(MANY, this::take, "127.0.0.0/8")) {
      gatewayFixture.get(
          "Forwarded: for=203.0.113.7",
          "Forwarded: for=10.0.0.1",
          "X-Forwarded-For: 203.0.113.7",
          "X-Forwarded-Host: www.example",
          "X-Forwarded-Proto: https",
          "X-Forwarded-Port: 443");
      MultiMap headers = arrived.get(0);
      assertThat(headers.getAll("Forwarded"))
          .containsExactly(
              "for=203.0.113.7, for=10.0.0.1, for=127.0.0.1;host=\"shop.example\";proto=http");
      assertThat(headers.getAll("X-Forwarded-For")).containsExactly("203.0.113.7, 127.0.0.1");
      assertThat(headers.getAll("X-Forwarded-Host")).containsExactly("www.example");
      assertThat(headers.getAll("X-Forwarded-Proto")).containsExactly("https");
      assertThat(headers.getAll("X-Forwarded-Port")).containsExactly("443");
    }
  }

  @Test
  void addsViaToResponses() throws Exception {
    try (GatewayFixture gatewayFixture = new GatewayFixture(MANY, this::take)) {
      assertThat(gatewayFixture.get()).containsIgnoringCase("\r\nvia: 1.1 other, 1.1 weir\r\n");
    }
  }

  @ParameterizedTest
  @CsvSource({"true, http, shop.example", "false, http, 127.0.0.1", "true, h2c, shop.example"})
  void sendsConfiguredHost(boolean preserved, String out, String expected) throws Exception {
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(MANY)
            .server(out, request -> request.response().end(request.authority().host()))
            .settings(to -> to.forwarding().preserveHost(preserved))
            .build()) {
      assertThat(gatewayFixture.get()).endsWith("\r\n\r\n" + expected);
    }
  }

  @ParameterizedTest
  @CsvSource({"h2c, trailers", "http, "})
  void requestsTrailersWhereSupported(String out, String expected) {
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(MANY)
            .server(out, request -> request.response().end("" + request.getHeader("te")))
            .build()) {
      var response =
          gatewayFixture
              .client(HttpVersion.HTTP_2)
              .request(HttpMethod.GET, "/")
              .compose(request -> GatewayFixture.sent(request.putHeader("te", "trailers")));
      assertThat(GatewayFixture.await(response).body()).isEqualTo("" + expected);
    }
  }

  /** HTTP/2 accepts them; HTTP/1.1 does not, and the library throws where it cannot be caught. */
  @ParameterizedTest
  @ValueSource(strings = {"/a?x y", "/a\tb", "/\u00e9"})
  void aTargetThatCannotBeSentIs400AndSticksNowhere(String target) throws Exception {
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(MANY)
            .server("http", this::take)
            .settings(to -> to.forwarding().connections(1))
            .build()) {
      for (int i = 0; i < 3; i++) {
        HttpClientRequest request =
            GatewayFixture.await(
                gatewayFixture.client(HttpVersion.HTTP_2).request(HttpMethod.GET, target));
        assertThat(GatewayFixture.await(request.send()).statusCode()).isEqualTo(400);
        assertThat(gatewayFixture.get()).startsWith("HTTP/1.1 200 ");
      }
    }
  }
}
