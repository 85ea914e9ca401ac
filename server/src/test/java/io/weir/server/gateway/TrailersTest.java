package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Trailers. */
class TrailersTest {
  @ParameterizedTest
  @MethodSource(ProtocolCombinations.ALL)
  void forwardsResponseTrailers(HttpVersion in, String out) {
    try (GatewayFixture gatewayFixture =
        ProtocolCombinations.before(
            out,
            request -> {
              HttpServerResponse response = request.response().setChunked(true);
              response.putHeader("Trailer", "X-Sum");
              response.write("body");
              response.putTrailer("X-Sum", "42").putTrailer("Content-Length", "7").end();
            })) {
      GatewayFixture.Whole whole =
          GatewayFixture.await(
              gatewayFixture.client(in).request(HttpMethod.GET, "/").compose(GatewayFixture::sent));
      assertThat(whole.body()).isEqualTo("body");
      assertThat(whole.response().getTrailer("X-Sum")).isEqualTo("42");
      assertThat(whole.response().getTrailer("Content-Length")).isNull();
    }
  }

  // Of requests: by HTTP/1.1 in, and HTTP/1.1 in clear out.

  @Test
  void forwardsRequestTrailers() throws Exception {
    try (RawUpstream server = new RawUpstream();
        GatewayFixture gatewayFixture =
            new GatewayFixture(ProtocolCombinations.UNLIMITED, server.url())) {
      for (String chunks : List.of("", "4\r\nbody\r\n")) {
        assertThat(gatewayFixture.raw(chunked("", chunks, "X-Sum: 42", "X-Sum: 43", "Via: me")))
            .startsWith("HTTP/1.1 200 ");
      }
      assertThat(server.heads()).hasSize(2);
      assertThat(server.bytes())
          .contains("\r\n\r\n0\r\nX-Sum: 42\r\nX-Sum: 43\r\n\r\n")
          .endsWith("\r\n\r\n4\r\nbody\r\n0\r\nX-Sum: 42\r\nX-Sum: 43\r\n\r\n");
    }
  }

  /** The next request over both connections has none. */
  @Test
  void doesNotMixTrailersOfRequests() throws Exception {
    String get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    String plain = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n";
    try (RawUpstream server = new RawUpstream();
        GatewayFixture gatewayFixture =
            new GatewayFixture(ProtocolCombinations.UNLIMITED, server.url())) {
      String first = plain + "\r\n1\r\nx\r\n0\r\nX-Sum: 1\r\n\r\n";
      String last = plain + "Connection: close\r\n\r\n1\r\ny\r\n0\r\n\r\n";
      assertThat(gatewayFixture.raw(first + get + last).split("HTTP/1.1 200 ", -1)).hasSize(4);
      assertThat(server.heads()).hasSize(3);
      assertThat(server.bytes())
          .containsOnlyOnce("X-Sum")
          .contains("x\r\n0\r\nX-Sum: 1\r\n\r\n")
          .endsWith("y\r\n0\r\n\r\n");
    }
  }

  /** Servers may merge them into the headers, which are all that the gateway has checked. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Connection: close",
        "Host: evil",
        "TE: trailers",
        "Upgrade: websocket",
        "X-Forwarded-For: 1.2.3.4",
        "X_Forwarded_For: 1.2.3.4",
        "Forwarded: for=1.2.3.4",
        "X-Real-IP: 1.2.3.4",
        "Content-Length: 7",
        "Transfer-Encoding: chunked",
        "Content-Type: text/html",
        "Authorization: Basic eDp5",
        "Cookie: a=b",
        "If-Match: x",
        "X-Api-Key: other",
        "X-Named: one",
      })
  void dropsTrailersThatBelongToTheHead(String trailer) throws Exception {
    try (RawUpstream server = new RawUpstream();
        GatewayFixture gatewayFixture =
            new GatewayFixture(ProtocolCombinations.UNLIMITED, server.url())) {
      String lines = "X-Api-Key: mine\r\nConnection: X-Named\r\n";
      assertThat(gatewayFixture.raw(chunked(lines, "1\r\nx\r\n", trailer, "X-Sum: 1")))
          .startsWith("HTTP/1.1 200 ");
      assertThat(server.bytes()).endsWith("x\r\n0\r\nX-Sum: 1\r\n\r\n");
    }
  }

  /** A server that merges it into the headers would see another caller than the rules. */
  @ParameterizedTest
  @ValueSource(strings = {"X-Api-Key: other", "x-api-key: other", "X_API_Key: other"})
  void dropsTrailersThatRulesRead(String trailer) throws Exception {
    String rules =
        "attributes: { api_key: { header: X-Api-Key } }\n"
            + "rules: [ { name: r, per: api_key, limit: 1000 per second } ]";
    try (RawUpstream server = new RawUpstream();
        GatewayFixture gatewayFixture = new GatewayFixture(rules, server.url())) {
      assertThat(gatewayFixture.raw(chunked("", "1\r\nx\r\n", trailer, "X-Sum: 1")))
          .startsWith("HTTP/1.1 200 ");
      assertThat(server.bytes()).endsWith("x\r\n0\r\nX-Sum: 1\r\n\r\n");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"X-A: \0", "X A: b", "X-A: b\rX-B: c", "X\0: b", ": b"})
  void refusesInvalidTrailers(String trailer) throws Exception {
    try (RawUpstream server = new RawUpstream();
        GatewayFixture gatewayFixture =
            new GatewayFixture(ProtocolCombinations.UNLIMITED, server.url())) {
      assertThat(gatewayFixture.raw(chunked("", "1\r\nx\r\n", trailer)))
          .startsWith("HTTP/1.1 400 ");
      assertThat(server.bytes()).doesNotContain("X-A", "X A", "0\r\n");
    }
  }

  @Test
  void refusesTrailersLargerThanAHead() throws Exception {
    try (RawUpstream server = new RawUpstream();
        GatewayFixture gatewayFixture =
            new GatewayFixture(ProtocolCombinations.UNLIMITED, server.url())) {
      String large = "X-A: " + "a".repeat(200_000);
      assertThat(gatewayFixture.raw(chunked("", "1\r\nx\r\n", large))).startsWith("HTTP/1.1 400 ");
      assertThat(server.bytes()).doesNotContain("X-A");
    }
  }

  /** Over other protocols they are dropped, and the body is complete. */
  @ParameterizedTest
  @ValueSource(strings = {"h2c", ProtocolCombinations.HTTPS_1, ProtocolCombinations.HTTPS_2})
  void forwardsBodyWithoutUnsupportedTrailers(String out) throws Exception {
    try (GatewayFixture gatewayFixture =
        ProtocolCombinations.before(
            out, request -> request.body().onSuccess(request.response()::end))) {
      assertThat(gatewayFixture.raw(chunked("", "4\r\nbody\r\n", "X-Sum: 42")))
          .startsWith("HTTP/1.1 200 ")
          .containsSubsequence("\r\n\r\n", "body");
    }
  }

  private static String chunked(String lines, String chunks, String... trailers) {
    return "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
        + lines
        + "Connection: close\r\n\r\n"
        + chunks
        + "0\r\n"
        + String.join("\r\n", trailers)
        + "\r\n\r\n";
  }
}
