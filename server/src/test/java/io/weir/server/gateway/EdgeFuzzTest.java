package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.Fuzzing;
import io.weir.rules.http.Header;
import io.weir.rules.http.Hosts;
import io.weir.rules.http.RequestTarget;
import io.weir.rules.match.CanonicalPath;
import io.weir.rules.match.MalformedRequestException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Damaged targets, hosts and requests: each is refused or unambiguous. */
class EdgeFuzzTest {
  private static final int ROUNDS = 40_000;

  private static final List<byte[]> PIECES =
      Stream.of(
              "/",
              "//",
              ".",
              "..",
              "/../",
              "%2e",
              "%2F",
              "%5c",
              "%00",
              "%c0%af",
              "%C3%BC",
              "%",
              ";",
              "?",
              "#",
              "\\",
              "\u00fc",
              "\u0000",
              " ",
              "\t",
              "\r\n",
              "\n",
              "\r",
              ":",
              ",",
              "@",
              "[",
              "]",
              "http://a/",
              "Host: b\r\n",
              "Content-Length: 5\r\n",
              "Transfer-Encoding: chunked\r\n",
              "Connection: close\r\n",
              "0\r\n\r\n",
              "HTTP/1.1",
              "HTTP/1.0",
              "GET ",
              "\r\n\r\n")
          .map(piece -> piece.getBytes(ISO_8859_1))
          .toList();

  private static final List<String> TARGETS =
      List.of("/a/b?c=d", "/a/./b/../c;d=e/?f", "/%61/%C3%BC/", "/a%2Fb", "//a//b/%2e%2e/c");

  private static final List<String> REQUESTS =
      List.of(
          "GET /a/b?c HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n",
          "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
          "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\n\r\n",
          "GET http://a/b HTTP/1.0\r\nHost: a\r\nConnection: keep-alive, x\r\nCookie: a=b\r\n\r\n");

  private static String damaged(String good, Random random) {
    return new String(Fuzzing.damaged(good.getBytes(ISO_8859_1), PIECES, random), ISO_8859_1);
  }

  @Test
  void targets() {
    AtomicInteger survivors = new AtomicInteger();
    Fuzzing.rounds(
        ROUNDS,
        random -> {
          boolean slashes = random.nextBoolean();
          String raw = damaged(Fuzzing.pick(TARGETS, random), random);
          try {
            String target = RequestTarget.of(raw, slashes);
            assertThat(target).matches("/[!-\"$-~]*");
            assertThat(RequestTarget.of(target, slashes)).isEqualTo(target);
            assertThat(CanonicalPath.of(RequestTarget.path(target)))
                .isEqualTo(CanonicalPath.of(RequestTarget.path(raw)));
            survivors.incrementAndGet();
          } catch (MalformedRequestException e) {
            assertThat(e.getMessage()).isNotBlank();
          }
        });
    assertThat(survivors.get()).isBetween(ROUNDS / 20, ROUNDS * 9 / 10);
  }

  @Test
  void hosts() {
    AtomicInteger survivors = new AtomicInteger();
    List<String> good = List.of("shop.example:8080", "[2001:db8::1]:443", "192.0.2.1", "a_b-c");
    Fuzzing.rounds(
        ROUNDS,
        random -> {
          String host = damaged(Fuzzing.pick(good, random), random);
          if (Hosts.isHost(host)) {
            assertThat(host).matches("([A-Za-z0-9._~-]+|\\[[0-9A-Fa-f:.]+])(:[0-9]{0,5})?");
            survivors.incrementAndGet();
          }
        });
    assertThat(survivors.get()).isGreaterThan(ROUNDS / 20);
  }

  /** Every forwarded request was written by the gateway itself. */
  @Test
  void requests() throws IOException {
    try (RawUpstream upstream = new RawUpstream();
        GatewayFixture gatewayFixture =
            new GatewayFixture(
                "rules: [ { name: many, limit: 100000 per second } ]", upstream.url())) {
      Fuzzing.rounds(
          ROUNDS / 100,
          random -> {
            String request = damaged(Fuzzing.pick(REQUESTS, random), random);
            assertThat(exchange(gatewayFixture, request)).doesNotContain("internal_error");
          });
      assertThat(gatewayFixture.get()).startsWith("HTTP/1.1 200 ");
      for (String head : upstream.heads()) {
        assertThat(head)
            .matches("[A-Z_-]+ /[!-~]* HTTP/1\\.1\r\n(?s:([!-9;-~]+: ?[^\r\n\0]*\r\n)+)\r\n");
      }
      assertThat(upstream.heads()).hasSizeGreaterThan(20);
    }
  }

  private static String exchange(GatewayFixture gatewayFixture, String bytes) throws IOException {
    try (Socket socket = gatewayFixture.connect()) {
      socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
      socket.shutdownOutput();
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    } catch (SocketException hungUp) {
      return "";
    }
  }

  @Test
  void limitHeadersOfServers() {
    List<Header> ours =
        List.of(
            new Header("RateLimit-Policy", "\"a\";q=10;w=60"),
            new Header("RateLimit", "\"a\";r=1;t=2"),
            new Header("X-RateLimit-Remaining", "1"));
    List<byte[]> pieces =
        Stream.of(
                "\"", "\\", ";r=", ";q=", ",", "99999999999999999999", "-1", "\"b\"", " ", "\u00fc")
            .map(piece -> piece.getBytes(ISO_8859_1))
            .toList();
    byte[] good = "\"a\";r=0;q=5;t=9, \"b\\\"c\";r=7;t=1".getBytes(ISO_8859_1);
    Fuzzing.rounds(
        ROUNDS,
        random -> {
          String damaged = new String(Fuzzing.damaged(good, pieces, random), ISO_8859_1);
          LimitHeaderMerger limitHeaderMerger = new LimitHeaderMerger(ours);
          limitHeaderMerger.take(HeaderKind.RATE_LIMIT, "RateLimit", damaged);
          limitHeaderMerger.take(HeaderKind.RATE_LIMIT_POLICY, "RateLimit-Policy", damaged);
          limitHeaderMerger.take(HeaderKind.X_RATE_LIMIT, "X-RateLimit-Remaining", damaged);
          assertThat(limitHeaderMerger.headers())
              .extracting(Header::name)
              .contains("RateLimit-Policy", "RateLimit", "X-RateLimit-Remaining");
        });
  }
}
