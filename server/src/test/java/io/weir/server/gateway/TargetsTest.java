package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.http.HttpServerRequest;
import io.weir.server.http.RawHttp2;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which request targets, hosts and methods the gateway accepts. */
class TargetsTest {
  private final List<HttpServerRequest> arrived = new CopyOnWriteArrayList<>();
  private final GatewayFixture gatewayFixture =
      new GatewayFixture(
          "rules: [ { name: many, limit: 1000 per second } ]",
          request -> {
            arrived.add(request);
            request.response().end("hello");
          });

  @AfterEach
  void close() throws IOException {
    assertThat(gatewayFixture.get()).as("others are served").startsWith("HTTP/1.1 200 ");
    gatewayFixture.close();
  }

  private String send(String line, String host) throws IOException {
    return gatewayFixture.raw(
        line + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/a\u0001",
        "/a\u007fb",
        "/a\u00fcb",
        "/a?\u00e9",
        "/a#b",
        "/a?b#c",
        "/a\\b",
        "a",
        "a/b",
        "?x"
      })
  void refusesInvalidTargets(String target) throws IOException {
    assertThat(send("GET " + target, "a")).startsWith("HTTP/1.1 400 ");
    try (RawHttp2 client = new RawHttp2(gatewayFixture.port())) {
      assertThat(client.outcome(client.get(target))).isIn("400", "reset");
    }
    assertThat(arrived).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a b", "/a?x y", "/a?\t", "/a\r\nX: y", "/\u0000"})
  void blanksAndControlsInAPathOfHttp2AreRefused(String target) throws IOException {
    try (RawHttp2 client = new RawHttp2(gatewayFixture.port())) {
      assertThat(client.outcome(client.get(target))).isIn("400", "reset", "goaway");
    }
    assertThat(arrived).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "http://shop.example/a?b,   shop.example,      /a?b",
    "HTTP://shop.example/a//b,  Shop.Example,      /a/b",
    "http://shop.example:80,    shop.example:80,   /",
    "https://shop.example?x,    shop.example,      /?x",
    "http://[::1]:8080/a,       [::1]:8080,        /a",
  })
  void usesPathOfAbsoluteTarget(String target, String host, String path) throws IOException {
    assertThat(send("GET " + target, host)).startsWith("HTTP/1.1 200 ");
    assertThat(arrived.get(0).uri()).isEqualTo(path);
    assertThat(arrived.get(0).getHeader("X-Forwarded-Host")).isEqualToIgnoringCase(host);
  }

  @ParameterizedTest
  @CsvSource({
    "http://shop.example/a,    other.example",
    "http://shop.example/a,    shop.example:81",
    "http://u@shop.example/a,  shop.example",
    "http:///a,                shop.example",
    "http://shop.example#a,    shop.example",
    "ftp://shop.example/a,     shop.example",
    "//shop.example:x@/../..,  shop.example",
  })
  void refusesTargetThatContradictsTheHost(String target, String host) throws IOException {
    assertThat(send("GET " + target, host)).startsWith("HTTP/1.1 400 ");
    assertThat(arrived).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a b", "a,b", "a@b", "a/b", "a\\b", "a?b", "a#b", "a{b", "a%41", "\u00fc", "a:b", "a:1:2",
        "a:99999", "[::1", "[a]", "[::1]x", ":80", "\"a\""
      })
  void refusesInvalidHosts(String host) throws IOException {
    assertThat(send("GET /", host)).startsWith("HTTP/1.1 400 ");
    assertThat(arrived).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"CONNECT a:443", "CONNECT /a", "TRACE /a", "get /a", "Get /a", "G=T /a"})
  void refusesInvalidMethods(String line) throws IOException {
    assertThat(send(line, "a")).startsWith("HTTP/1.").contains(" 400 ");
    assertThat(arrived).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "DELETE", "PURGE", "M-SEARCH", "VERSION-CONTROL"})
  void forwardsUncommonMethods(String method) throws IOException {
    assertThat(send(method + " /a", "a")).startsWith("HTTP/1.1 200 ");
    assertThat(arrived.get(0).method().name()).isEqualTo(method);
  }

  @ParameterizedTest
  @ValueSource(strings = {"get", "CONN ECT", "TRACE", "A\u0001"})
  void oddMethodsOfHttp2AreRefused(String method) throws IOException {
    try (RawHttp2 client = new RawHttp2(gatewayFixture.port())) {
      int id =
          client.open(true, ":method", method, ":scheme", "http", ":authority", "a", ":path", "/");
      assertThat(client.outcome(id)).isIn("400", "reset", "goaway", "closed");
    }
    assertThat(arrived).isEmpty();
  }

  @Test
  void refusesHttp2Connect() throws IOException {
    try (RawHttp2 client = new RawHttp2(gatewayFixture.port())) {
      int id = client.open(false, ":method", "CONNECT", ":authority", "a:443");
      assertThat(client.outcome(id)).isEqualTo("400");
    }
    assertThat(arrived).isEmpty();
  }

  @Test
  void respondsToOptionsAsterisk() throws IOException {
    assertThat(send("OPTIONS *", "a")).startsWith("HTTP/1.1 204 ");
    assertThat(arrived).isEmpty();
  }
}
