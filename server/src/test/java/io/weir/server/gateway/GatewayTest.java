package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.rig.Await;
import io.weir.rig.Ports;
import io.weir.server.EchoApi;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The gateway before a server, over real sockets. */
class GatewayTest {
  private static final String TWO = "rules: [ { name: two, per: ip, limit: 2 per hour } ]";
  private static final String MANY = "rules: [ { name: many, limit: 1000 per second } ]";

  private final List<HttpServerRequest> arrived = new CopyOnWriteArrayList<>();

  private void hello(HttpServerRequest request) {
    arrived.add(request);
    request
        .response()
        .putHeader("Date", "Sun, 15 Nov 2026 00:00:00 GMT")
        .putHeader("X-Of-Server", "yes")
        .end("hello");
  }

  @Test
  void forwardsUntilTheLimitAndReportsIt() throws Exception {
    try (GatewayFixture gatewayFixture = new GatewayFixture(TWO, this::hello)) {
      assertThat(gatewayFixture.get())
          .startsWith("HTTP/1.1 200 OK\r\n")
          .containsIgnoringCase("date: Sun, 15 Nov 2026 00:00:00 GMT\r\n")
          .containsIgnoringCase("x-of-server: yes\r\n")
          .containsIgnoringCase("x-ratelimit-limit: 2\r\n")
          .containsIgnoringCase("x-ratelimit-remaining: 1\r\n")
          .containsIgnoringCase("ratelimit: \"two\";r=1")
          .endsWith("\r\n\r\nhello");
      gatewayFixture.get();
      assertThat(gatewayFixture.get())
          .startsWith("HTTP/1.1 429 Too Many Requests\r\n")
          .containsIgnoringCase("\r\nretry-after: ")
          .contains("\"error\":\"rate_limit_exceeded\"")
          .doesNotContain("hello");
      assertThat(arrived).hasSize(2);
    }
  }

  @Test
  void refusesInTheAcceptedFormat() throws Exception {
    try (GatewayFixture gatewayFixture =
        new GatewayFixture("rules: [ { name: no, limit: 0 per hour } ]", this::hello)) {
      assertThat(gatewayFixture.get("Accept: application/problem+json"))
          .startsWith("HTTP/1.1 429 ")
          .containsIgnoringCase("content-type: application/problem+json\r\n")
          .contains("#quota-exceeded");
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = HttpVersion.class,
      names = {"HTTP_1_1", "HTTP_2"})
  void refusesBeforeTheBodyIsSent(HttpVersion version) {
    try (GatewayFixture gatewayFixture =
        new GatewayFixture("rules: [ { name: no, limit: 0 per hour } ]", this::hello)) {
      HttpClientRequest request =
          GatewayFixture.await(gatewayFixture.client(version).request(HttpMethod.POST, "/"));
      request.putHeader("Content-Length", "1000000").sendHead();

      assertThat(GatewayFixture.await(request.response()).statusCode()).isEqualTo(429);
    }
  }

  @Test
  void keepsConnectionAfterARefusal() throws Exception {
    try (GatewayFixture gatewayFixture =
        new GatewayFixture("rules: [ { name: no, limit: 0 per hour } ]", this::hello)) {
      String post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";
      String response =
          gatewayFixture.raw(post + post + post.replace("Host", "Connection: close\r\nHost"));

      assertThat(response.split("HTTP/1.1 429 ", -1)).hasSize(4);
    }
  }

  @Test
  void closesConnectionRatherThanDrainALargeBody() throws Exception {
    try (GatewayFixture gatewayFixture =
            new GatewayFixture("rules: [ { name: no, limit: 0 per hour } ]", this::hello);
        Socket client = gatewayFixture.connect()) {
      client
          .getOutputStream()
          .write(
              "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n"
                  .getBytes(US_ASCII));
      long sent = 0;
      try {
        while (sent < 1_000_000_000) {
          client.getOutputStream().write(new byte[100_000]);
          sent += 100_000;
        }
      } catch (IOException closed) {
        // as it should be
      }
      assertThat(sent).isLessThan(100_000_000);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET http://other.example/a HTTP/1.1|Host: a",
        "GET /a#b HTTP/1.1|Host: a",
        "GET * HTTP/1.1|Host: a",
        "GET /a HTTP/1.1|Host: a|Connection: close, Content-Length",
        "GET /a HTTP/1.1|Host: a|Connection: close|Connection: host",
        "GET /a HTTP/1.1|Host: a|Connection: close, Transfer-Encoding",
        "GET /a HTTP/1.1|Host: a|X-Forwarded-For: 1.1.1.1|Connection: X-Forwarded-For",
        "CONNECT a:443 HTTP/1.1|Host: a",
        "GET /a HTTP/1.1|Host: a|Host: b",
        "GET /a HTTP/1.1|X: y",
        "GET /a/%2e%2e/%2e%2e/b HTTP/1.1|Host: a",
        "GET /a%2fb HTTP/1.1|Host: a",
        "GET /a%00 HTTP/1.1|Host: a",
        "GET /a HTTP/1.1|Host: a|X-User: 1|X-User: 2",
      })
  void refusesAmbiguousRequests(String lines) throws Exception {
    String rules =
        "{ attributes: { user: { header: X-User } },"
            + " rules: [ { name: r, match: { path: /a }, per: user, limit: 100 per second } ] }";
    try (GatewayFixture gatewayFixture = new GatewayFixture(rules, this::hello)) {
      assertThat(gatewayFixture.raw(lines.replace("|", "\r\n") + "\r\nConnection: close\r\n\r\n"))
          .startsWith("HTTP/1.1 400 ")
          .contains("\"error\":\"bad_request\"");
      assertThat(arrived).isEmpty();
    }
  }

  @Test
  void forwardsPathAndQueryUnchangedExceptDotsAndSlashes() throws Exception {
    try (GatewayFixture gatewayFixture = new GatewayFixture(MANY, this::hello)) {
      gatewayFixture.raw(
          "PURGE /a//b/./c%20d?e=%2F&f HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");

      assertThat(arrived.get(0).method().name()).isEqualTo("PURGE");
      assertThat(arrived.get(0).uri()).isEqualTo("/a/b/c%20d?e=%2F&f");
    }
  }

  @Test
  void dropsHopByHopHeaders() throws Exception {
    try (GatewayFixture gatewayFixture =
        new GatewayFixture(
            MANY,
            request -> {
              arrived.add(request);
              request
                  .response()
                  .putHeader("Connection", "X-Secret")
                  .putHeader("X-Secret", "s")
                  .putHeader("Keep-Alive", "timeout=5")
                  .putHeader("Proxy-Authenticate", "Basic")
                  .putHeader("X-Kept", "k")
                  .end();
            })) {
      String response =
          gatewayFixture.raw(
              "GET / HTTP/1.1\r\nHost: a\r\nConnection: X-Private, Keep-Alive\r\nConnection: close\r\nX-Private: p\r\n"
                  + "Keep-Alive: 5\r\nTE: trailers\r\nProxy-Authorization: Basic eA==\r\n"
                  + "Upgrade: websocket\r\nX-Public: q\r\n\r\n");

      assertThat(arrived.get(0).headers().names())
          .extracting(name -> name.toLowerCase(java.util.Locale.ROOT))
          .contains("x-public")
          .doesNotContain(
              "x-private", "keep-alive", "te", "proxy-authorization", "upgrade", "connection");
      assertThat(response)
          .containsIgnoringCase("x-kept: k")
          .doesNotContainIgnoringCase("x-secret")
          .doesNotContainIgnoringCase("keep-alive:")
          .doesNotContainIgnoringCase("proxy-authenticate");
    }
  }

  @Test
  void addsForwardingHeaders() throws Exception {
    try (GatewayFixture gatewayFixture = new GatewayFixture(MANY, this::hello)) {
      gatewayFixture.get(
          "X-Forwarded-For: 6.6.6.6", "X-Real-IP: 6.6.6.6", "X-Forwarded-Proto: gopher");

      HttpServerRequest request = arrived.get(0);
      assertThat(request.headers().getAll("X-Forwarded-For")).containsExactly("127.0.0.1");
      assertThat(request.getHeader("X-Forwarded-Host")).isEqualTo("shop.example");
      assertThat(request.getHeader("X-Forwarded-Proto")).isEqualTo("http");
      assertThat(request.getHeader("X-Real-IP")).as("no header of an untrusted client").isNull();
    }
  }

  @Test
  void keepsForwardingHeadersOfTrustedProxies() throws Exception {
    try (GatewayFixture gatewayFixture = new GatewayFixture(MANY, this::hello, "127.0.0.0/8")) {
      gatewayFixture.get("X-Forwarded-For: 203.0.113.7", "X-Forwarded-Proto: https");

      HttpServerRequest request = arrived.get(0);
      assertThat(request.headers().getAll("X-Forwarded-For"))
          .containsExactly("203.0.113.7, 127.0.0.1");
      assertThat(request.getHeader("X-Forwarded-Proto")).isEqualTo("https");
    }
  }

  @Test
  void ignoresForwardedAddressesByDefault() throws Exception {
    String forged = "X-Forwarded-For: 203.0.113.";
    try (GatewayFixture gatewayFixture = new GatewayFixture(TWO, this::hello)) {
      gatewayFixture.get(forged + 1);
      gatewayFixture.get(forged + 2);
      assertThat(gatewayFixture.get(forged + 3)).startsWith("HTTP/1.1 429 ");
    }
    try (GatewayFixture gatewayFixture = new GatewayFixture(TWO, this::hello, "127.0.0.1")) {
      gatewayFixture.get(forged + 1);
      gatewayFixture.get(forged + 1);
      assertThat(gatewayFixture.get(forged + 2)).startsWith("HTTP/1.1 200 ");
      assertThat(gatewayFixture.get("X-Forwarded-For: 6.6.6.6, 203.0.113.1"))
          .startsWith("HTTP/1.1 429 ");
    }
  }

  @Test
  void aServerThatIsDownIs502() throws Exception {
    int port = Ports.free();
    try (GatewayFixture gatewayFixture =
        new GatewayFixture(MANY, URI.create("http://127.0.0.1:" + port))) {
      assertThat(gatewayFixture.get())
          .startsWith("HTTP/1.1 502 ")
          .contains("\"error\":\"bad_gateway\"")
          .doesNotContain(Integer.toString(port));
    }
  }

  @Test
  void serverThatClosesTheConnectionIs502() throws Exception {
    try (GatewayFixture gatewayFixture =
        new GatewayFixture(MANY, request -> request.connection().close())) {
      assertThat(gatewayFixture.get()).startsWith("HTTP/1.1 502 ");
    }
  }

  @Test
  void aServerThatIsSlowIs504() throws Exception {
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(MANY)
            .server("http", arrived::add)
            .settings(to -> to.forwarding().responseTimeout(Duration.ofMillis(700)))
            .build()) {
      assertThat(gatewayFixture.get())
          .startsWith("HTTP/1.1 504 ")
          .contains("\"error\":\"gateway_timeout\"");
      Await.holds("it was received", () -> arrived.size() == 1);
    }
  }

  @ParameterizedTest
  @CsvSource({"HEAD, 200", "GET, 204", "GET, 304"})
  void responsesWithoutABodyHaveNone(String method, int status) throws Exception {
    try (GatewayFixture gatewayFixture =
        new GatewayFixture(
            MANY,
            request -> {
              request.response().setStatusCode(status).putHeader("X-Of-Server", "yes");
              if (request.method().equals(HttpMethod.HEAD)) {
                request.response().putHeader("Content-Length", "5");
              }
              request.response().end();
            })) {
      String response =
          gatewayFixture.raw(method + " / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");

      assertThat(response)
          .startsWith("HTTP/1.1 " + status + " ")
          .containsIgnoringCase("x-of-server: yes")
          .doesNotContainIgnoringCase("transfer-encoding")
          .endsWith("\r\n\r\n");
      if (status == 200) {
        assertThat(response).containsIgnoringCase("content-length: 5");
      }
    }
  }

  @Test
  void sendsContinueOnlyIfTheRequestIsForwarded() throws Exception {
    String head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n";
    String one = "rules: [ { name: one, limit: 1 per hour } ]";
    try (GatewayFixture gatewayFixture =
            new GatewayFixture(one, request -> request.body().onSuccess(b -> hello(request)));
        Socket client = gatewayFixture.connect()) {
      client.getOutputStream().write(head.getBytes(US_ASCII));
      byte[] first = client.getInputStream().readNBytes("HTTP/1.1 100 Continue\r\n\r\n".length());
      assertThat(new String(first, US_ASCII)).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
      client.getOutputStream().write("hi".getBytes(US_ASCII));
      byte[] second = client.getInputStream().readNBytes(12);
      assertThat(new String(second, US_ASCII)).isEqualTo("HTTP/1.1 200");

      try (Socket other = gatewayFixture.connect()) {
        other.getOutputStream().write(head.getBytes(US_ASCII));
        // The connection is closed, because the body could be mistaken for the next request.
        assertThat(new String(other.getInputStream().readAllBytes(), US_ASCII))
            .startsWith("HTTP/1.1 429 ")
            .contains("\r\nConnection: close\r\n");
      }
    }
  }

  @Test
  void delaysRequestUntilItsTurn() throws Exception {
    List<Long> times = new CopyOnWriteArrayList<>();
    String rules =
        "rules: [ { name: slowly, limit: { algorithm: leaky-bucket, rate: 4 per second } } ]";
    try (GatewayFixture gatewayFixture =
        new GatewayFixture(
            rules,
            request -> {
              times.add(System.nanoTime());
              request.response().end();
            })) {
      var client = gatewayFixture.client(HttpVersion.HTTP_2);
      long before = System.nanoTime(); // the first may be slow to arrive
      var first = client.request(HttpMethod.GET, "/").compose(HttpClientRequest::send);
      var second = client.request(HttpMethod.GET, "/").compose(HttpClientRequest::send);

      assertThat(GatewayFixture.await(first).statusCode()).isEqualTo(200);
      assertThat(GatewayFixture.await(second).statusCode()).isEqualTo(200);
      assertThat(times.get(1) - before).isGreaterThan(200_000_000L);
    }
  }

  @Test
  void echoRespondsToEveryRequest() throws Exception {
    try (GatewayFixture gatewayFixture =
        new GatewayFixture(MANY, URI.create("http://127.0.0.1:1"))) {
      var echo = GatewayFixture.await(EchoApi.open(gatewayFixture.vertx));
      try (GatewayFixture before =
          new GatewayFixture(MANY, URI.create("http://127.0.0.1:" + echo.port()))) {
        assertThat(before.get("X-Mine: m"))
            .startsWith("HTTP/1.1 200 ")
            .contains("\"method\":\"GET\",\"path\":\"/a\",\"query\":\"b=c\",\"body_bytes\":0")
            .contains("\"X-Mine\":\"m\"")
            .contains("\"X-Forwarded-For\":\"127.0.0.1\"");
        assertThat(
                before.raw(
                    "PATCH /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc"))
            .contains("\"method\":\"PATCH\",\"path\":\"/x\",\"query\":null,\"body_bytes\":3");
        String head = before.raw("HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        assertThat(head).containsIgnoringCase("content-length: ").endsWith("\r\n\r\n");
        var big =
            before
                .client(HttpVersion.HTTP_2)
                .request(HttpMethod.PUT, "/big")
                .compose(request -> request.send("b".repeat(100_000)))
                .compose(HttpClientResponse::body);
        assertThat(GatewayFixture.await(big).toString()).contains("\"body_bytes\":100000");
      }
    }
  }
}
