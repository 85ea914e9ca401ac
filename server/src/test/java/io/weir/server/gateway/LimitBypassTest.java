package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.http.HttpServerRequest;
import io.weir.rig.Await;
import io.weir.server.connection.ForwardingHeaders;
import io.weir.server.http.RawHttp2;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Attempts to bypass limits through the gateway, byte by byte. */
class LimitBypassTest {
  private static final String TWO = "rules: [ { name: two, per: ip, limit: 2 per hour } ]";

  private final List<HttpServerRequest> arrived = new CopyOnWriteArrayList<>();

  private void hello(HttpServerRequest request) {
    arrived.add(request);
    request.response().end("hello");
  }

  private GatewayFixture before(String rules, String... trusted) {
    return new GatewayFixture(rules, this::hello, trusted);
  }

  private static String status(String response) {
    return response.substring(9, 12);
  }

  private static String send(GatewayFixture gatewayFixture, String line, String... headers)
      throws IOException {
    StringBuilder request =
        new StringBuilder(line + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n");
    for (String header : headers) {
      request.append(header).append("\r\n");
    }
    return status(gatewayFixture.raw(request.append("\r\n").toString()));
  }

  /** Two requests pass and the third does not, whatever their headers: they count as one client. */
  private void oneClient(GatewayFixture gatewayFixture, String first, String second, String third)
      throws IOException {
    assertThat(send(gatewayFixture, "GET /", first.split("\\|"))).isEqualTo("200");
    assertThat(send(gatewayFixture, "GET /", second.split("\\|"))).isEqualTo("200");
    assertThat(send(gatewayFixture, "GET /", third.split("\\|"))).isEqualTo("429");
  }

  /** The identity of the client. */
  @Nested
  class Identity {
    @ParameterizedTest(name = "{0}")
    @CsvSource(
        delimiter = '!',
        quoteCharacter = '`',
        value = {
          "1 the leftmost address is made up ! 6.6.6.1, 203.0.113.1 ! 6.6.6.2, 203.0.113.1 ! 6.6.6.3,203.0.113.1",
          "2 the header comes in two lines ! 6.6.6.1|X-Forwarded-For: 203.0.113.1 ! 6.6.6.2|X-Forwarded-For: 203.0.113.1 ! 203.0.113.1",
          "3 Forwarded says something else ! 203.0.113.1|Forwarded: for=6.6.6.1 ! 203.0.113.1|Forwarded: for=6.6.6.2 ! 203.0.113.1|X-Real-IP: 6.6.6.3",
          "5 fewer addresses than proxies ! 127.0.0.1 ! 127.0.0.1, 127.0.0.1 ! 127.0.0.1",
          "6 nothing, commas, blanks ! `` ! , ! ` \t , `",
          "7 ports ! 203.0.113.1:1 ! 203.0.113.1:65535 ! 203.0.113.1",
          "7 ports of IPv6 and zones ! [2001:db8::1]:1 ! 2001:db8::1%eth0 ! [2001:db8::1%1]:2",
          "8 IPv4 in IPv6 ! ::ffff:203.0.113.1 ! ::FFFF:CB00:7101 ! 203.0.113.1",
          "9 octal, short and decimal forms ! 0177.0.0.1 ! 127.1 ! 2130706433",
          "9 hexadecimal forms ! 0x7f.0.0.1 ! 0x7f000001 ! 1.2.3.4.5",
          "10 nobody ! unknown ! _hidden ! _SEVKISEK",
          "12 addresses of one network ! 2001:db8::1 ! 2001:db8::ffff:1 ! 2001:db8:0:0:9::",
          "14 a trusted address made up ! 6.6.6.1, 127.0.0.1, 203.0.113.1 ! 6.6.6.2, 127.0.0.1, 203.0.113.1 ! 127.0.0.1, 203.0.113.1",
          "15 names ! localhost ! example.org ! 1.2.3.4.example.org",
          "16 a private address made up ! 10.0.0.1, 203.0.113.1 ! 192.168.0.1, 203.0.113.1 ! ::1, 203.0.113.1",
        })
    void behindATrustedProxy(String name, String first, String second, String third)
        throws IOException {
      try (GatewayFixture gatewayFixture = before(TWO, "127.0.0.1")) {
        String header = "X-Forwarded-For: ";
        oneClient(
            gatewayFixture,
            header + (first == null ? "" : first),
            header + (second == null ? "" : second),
            header + (third == null ? "" : third));
      }
    }

    @Test
    @DisplayName("1, 16 ignores forwarding headers of untrusted peers")
    void withoutATrustedProxy() throws IOException {
      try (GatewayFixture gatewayFixture = before(TWO)) {
        oneClient(
            gatewayFixture,
            "X-Forwarded-For: 10.0.0.1|X-Real-IP: 1.1.1.1",
            "X-Forwarded-For: 203.0.113.2|True-Client-IP: 2.2.2.2",
            "Forwarded: for=203.0.113.3|CF-Connecting-IP: 3.3.3.3");
        for (HttpServerRequest request : arrived) {
          assertThat(request.headers().getAll("X-Forwarded-For")).containsExactly("127.0.0.1");
          assertThat(request.getHeader("X-Real-IP")).isNull();
          assertThat(request.getHeader("True-Client-IP")).isNull();
        }
      }
    }

    @ParameterizedTest
    @DisplayName("4 underscores instead of dashes")
    @ValueSource(strings = {"X_Forwarded_For", "x-forwarded_for", "X_REAL_IP", "Content_Length"})
    void underscores(String name) throws IOException {
      try (GatewayFixture gatewayFixture = before(TWO)) {
        assertThat(send(gatewayFixture, "GET /", name + ": 6")).isEqualTo("400");
        assertThat(arrived).isEmpty();
      }
    }

    @Test
    @DisplayName("4 underscores in any header that is taken away with dashes, whatever the version")
    void underscoresEverywhere() throws IOException {
      List<String> passed = new ArrayList<>();
      try (GatewayFixture gatewayFixture =
          before("rules: [ { name: many, limit: 10000 per second } ]")) {
        for (String name : ForwardingHeaders.OF_OTHERS) {
          if (name.indexOf('-') < 0) {
            continue;
          }
          String disguised = name.replace('-', '_');
          assertThat(HeaderKind.of(name)).as(name).isEqualTo(HeaderKind.CLAIM);
          if (!send(gatewayFixture, "GET /", disguised + ": 6").equals("400")) {
            passed.add(disguised);
          }
          try (RawHttp2 client = new RawHttp2(gatewayFixture.port())) {
            int id =
                client.open(
                    true,
                    ":method",
                    "GET",
                    ":scheme",
                    "http",
                    ":authority",
                    "a",
                    ":path",
                    "/",
                    disguised,
                    "6");
            if (!client.outcome(id).equals("400")) {
              passed.add(disguised + " over HTTP/2");
            }
          }
        }
      }
      assertThat(passed).isEmpty();
      assertThat(arrived).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length", "x-forwarded-for", "X-Real-IP", "X-Original-URL"})
    @DisplayName("4 a needed header marked as hop-by-hop")
    void connection(String name) throws IOException {
      try (GatewayFixture gatewayFixture = before(TWO)) {
        String request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close, " + name + "\r\n\r\n";
        assertThat(status(gatewayFixture.raw(request))).isEqualTo("400");
        assertThat(arrived).isEmpty();
      }
    }

    @Test
    @DisplayName("11 hundreds of addresses")
    void hundredsOfAddresses() throws IOException {
      try (GatewayFixture gatewayFixture = before(TWO, "127.0.0.1")) {
        String many = "6.6.6.6,".repeat(900);
        oneClient(
            gatewayFixture,
            "X-Forwarded-For: " + many + "203.0.113.1",
            "X-Forwarded-For: " + ",".repeat(7_000) + "203.0.113.1",
            "X-Forwarded-For: 203.0.113.1");
        String trusted = "127.0.0.1,".repeat(700);
        assertThat(send(gatewayFixture, "GET /", "X-Forwarded-For: " + trusted + "203.0.113.9"))
            .isEqualTo("200");
      }
    }

    @Test
    @DisplayName("12 distinguishes networks")
    void networks() throws IOException {
      try (GatewayFixture gatewayFixture = before(TWO, "127.0.0.1")) {
        oneClient(
            gatewayFixture,
            "X-Forwarded-For: 2001:db8:0:1::1",
            "X-Forwarded-For: 2001:db8:0:1::2",
            "X-Forwarded-For: 2001:db8:0:1::3");
        assertThat(send(gatewayFixture, "GET /", "X-Forwarded-For: 2001:db8:0:2::1"))
            .isEqualTo("200");
      }
    }

    @Test
    @DisplayName("13 the PROXY protocol where it is not enabled")
    void proxyProtocol() throws IOException {
      try (GatewayFixture gatewayFixture = before(TWO, "127.0.0.1")) {
        assertThat(
                gatewayFixture.raw(
                    "PROXY TCP4 6.6.6.6 127.0.0.1 1 2\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"))
            .startsWith("HTTP/1.1 400 ");
        assertThat(arrived).isEmpty();
      }
    }

    @Test
    @DisplayName("17, 20 keys that are missing or made up are limited by the address")
    void keys() throws IOException {
      String rules =
          "{ attributes: { key: { header: X-API-Key }, client: { first_of: [key, ip] } },"
              + " rules: [ { name: ip, per: ip, limit: 4 per hour },"
              + " { name: client, per: client, limit: 2 per hour } ] }";
      try (GatewayFixture gatewayFixture = before(rules)) {
        oneClient(gatewayFixture, "X: y", "X: y", "X: y");
        assertThat(send(gatewayFixture, "GET /", "X-API-Key: made-up-1")).isEqualTo("200");
        assertThat(send(gatewayFixture, "GET /", "X-API-Key: made-up-2")).isEqualTo("200");
        assertThat(send(gatewayFixture, "GET /", "X-API-Key: made-up-3")).isEqualTo("429");
      }
    }

    @Test
    @DisplayName("18 one key in several spellings, and twice")
    void spellings() throws IOException {
      String rules =
          "{ attributes: { key: { header: X-API-Key }, token: { query: token } },"
              + " rules: [ { name: key, per: key, limit: 2 per hour },"
              + " { name: token, per: token, limit: 2 per hour } ] }";
      try (GatewayFixture gatewayFixture = before(rules)) {
        oneClient(gatewayFixture, "X-API-Key: k", "x-api-key:\tk ", "X-Api-Key:k");
        assertThat(send(gatewayFixture, "GET /", "X-API-Key: other", "X-API-Key: k"))
            .isEqualTo("400");
        assertThat(send(gatewayFixture, "GET /?token=k")).isEqualTo("200");
        assertThat(send(gatewayFixture, "GET /?%74oken=%6B")).isEqualTo("200");
        assertThat(send(gatewayFixture, "GET /?a=b&token=k")).isEqualTo("429");
        assertThat(send(gatewayFixture, "GET /?token=a&%74oken=k")).isEqualTo("400");
      }
    }
  }

  /** The requested resource. */
  @Nested
  class Paths {
    private static final String API =
        "rules: [ { name: api, match: { path: /api/x, method: GET }, limit: 1 per hour } ]";

    @ParameterizedTest(name = "{0}")
    @CsvSource(
        delimiter = '!',
        value = {
          "21 two slashes ! /api//x ! /api/x",
          "21 slashes before ! ///api/x ! /api/x",
          "21 a dot ! /api/./x ! /api/x",
          "21 two dots ! /y/../api/x ! /api/x",
          "21 dots at the end ! /api/x/y/.. ! /api/x/",
          "23 a slash at the end ! /api/x/ ! /api/x/",
          "24 an escape ! /%61pi/x ! /%61pi/x",
          "24 escaped dots ! /y/%2e%2E/api/x ! /api/x",
          "26 parameters ! /api;a=b/x ! /api;a=b/x",
          "26 parameters at the end ! /api/x;a=b ! /api/x;a=b",
          "26 dots with parameters ! /y/..;a=b/api/x ! /api/x",
          "28 an empty query ! /api/x? ! /api/x?",
          "28 a query ! /api/x?a=/../b ! /api/x?a=/../b",
          "29 an absolute target ! http://a/api/x ! /api/x",
        })
    void isTheSame(String name, String target, String forwarded) throws IOException {
      try (GatewayFixture gatewayFixture = before(API)) {
        assertThat(send(gatewayFixture, "GET " + target)).isEqualTo("200");
        assertThat(arrived.get(0).uri()).isEqualTo(forwarded);
        assertThat(send(gatewayFixture, "GET /api/x")).isEqualTo("429");
      }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
        delimiter = '!',
        value = {
          "21 above the root ! /../api/x",
          "25 an encoded slash ! /api%2Fx",
          "25 an encoded backslash ! /api%5Cx",
          "25 a backslash ! /api\\x",
          "27 NUL ! /api/x%00",
          "27 a line break ! /api/x%0d%0aX:y",
          "28 a fragment ! /api/x#y",
          "29 another host ! http://b/api/x",
          "30 UTF-8 that is too long ! /%c1%a1pi/x",
          "30 UTF-8 of a slash that is too long ! /api%c0%afx",
          "30 no UTF-8 ! /api/x%ff",
          "30 another escape ! /%u0061pi/x",
          "30 half an escape ! /api/x%6",
        })
    void isRefused(String name, String target) throws IOException {
      try (GatewayFixture gatewayFixture = before(API)) {
        assertThat(send(gatewayFixture, "GET " + target)).isEqualTo("400");
        assertThat(arrived).isEmpty();
      }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
        delimiter = '!',
        value = {
          "22 capitals ! /API/x",
          "24 an escape of an escape ! /%2561pi/x",
        })
    void isAnother(String name, String target) throws IOException {
      String rules =
          "rules: [ { name: api, match: { path: /api/x }, limit: 1 per hour },"
              + " { name: all, limit: 2 per hour } ]";
      try (GatewayFixture gatewayFixture = before(rules)) {
        assertThat(send(gatewayFixture, "GET " + target)).isEqualTo("200");
        assertThat(arrived.get(0).uri()).isEqualTo(target);
        assertThat(send(gatewayFixture, "GET " + target)).isEqualTo("200");
        assertThat(send(gatewayFixture, "GET " + target)).as("the rule for all").isEqualTo("429");
      }
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"HEAD /api/x", "GET /api/x"})
    @DisplayName("31 HEAD is GET")
    void head(String line) throws IOException {
      try (GatewayFixture gatewayFixture = before(API)) {
        assertThat(send(gatewayFixture, line)).isEqualTo("200");
        assertThat(send(gatewayFixture, "GET /api/x")).isEqualTo("429");
      }
    }

    @Test
    @DisplayName("31 ignores a method in other headers, and refuses methods in lower case")
    void methods() throws IOException {
      try (GatewayFixture gatewayFixture = before(API)) {
        assertThat(send(gatewayFixture, "get /api/x")).isEqualTo("400");
        assertThat(send(gatewayFixture, "GET /api/x", "X-HTTP-Method-Override: POST"))
            .isEqualTo("200");
        assertThat(send(gatewayFixture, "GET /api/x?_method=POST", "X-HTTP-Method: POST"))
            .isEqualTo("429");
        assertThat(send(gatewayFixture, "OPTIONS /api/x")).isEqualTo("200");
        assertThat(send(gatewayFixture, "OPTIONS *")).isEqualTo("204");
      }
    }

    @Test
    @DisplayName("32 drops a path in other headers")
    void ignoresHeadersThatOverrideTheTarget() throws IOException {
      try (GatewayFixture gatewayFixture = before(API)) {
        send(gatewayFixture, "GET /y", "X-Original-URL: /api/x", "X-Rewrite-URL: /api/x");
        assertThat(arrived.get(0).getHeader("X-Original-URL")).isNull();
        assertThat(arrived.get(0).getHeader("X-Rewrite-URL")).isNull();
      }
    }

    @Test
    @DisplayName("33 paths of one shape may share a bucket")
    void shapes() throws IOException {
      String rules = "rules: [ { name: u, match: { path: '/users/{id}' }, limit: 2 per hour } ]";
      try (GatewayFixture gatewayFixture = before(rules)) {
        assertThat(send(gatewayFixture, "GET /users/1")).isEqualTo("200");
        assertThat(send(gatewayFixture, "GET /users/2")).isEqualTo("200");
        assertThat(send(gatewayFixture, "GET /users/3")).isEqualTo("429");
      }
    }
  }

  @Test
  @DisplayName("47 charges a stream that is reset at once")
  void resets() throws IOException {
    try (GatewayFixture gatewayFixture = before(TWO);
        RawHttp2 client = new RawHttp2(gatewayFixture.port())) {
      for (int i = 0; i < 2; i++) {
        client.get("/");
        client.reset();
      }
      int third = client.get("/");
      assertThat(client.outcome(third)).isEqualTo("429");
      Await.holds("none was one too many", () -> arrived.size() <= 2);
    }
  }

  @Test
  @DisplayName("47 a hundred streams at once")
  void streams() throws IOException {
    try (GatewayFixture gatewayFixture = before(TWO);
        RawHttp2 client = new RawHttp2(gatewayFixture.port())) {
      int last = 0;
      for (int i = 0; i < 100; i++) {
        last = client.get("/");
      }
      assertThat(client.outcome(last)).isEqualTo("429");
      assertThat(arrived.size()).isLessThan(3);
    }
  }
}
