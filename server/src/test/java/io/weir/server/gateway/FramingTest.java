package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.weir.server.http.RawHttp2;
import java.io.IOException;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Requests with an ambiguous end, byte by byte. The gateway responds 400 and closes the connection;
 * its upstream never receives a request hidden in another.
 */
class FramingTest {
  private static final String HIDDEN = FramingCases.HIDDEN;
  private static final AtomicInteger COUNT = new AtomicInteger();

  private static RawUpstream upstream;
  private static GatewayFixture gatewayFixture;

  @BeforeAll
  static void start() throws IOException {
    upstream = new RawUpstream();
    gatewayFixture =
        new GatewayFixture("rules: [ { name: many, limit: 10000 per second } ]", upstream.url());
  }

  @AfterAll
  static void close() throws IOException {
    gatewayFixture.close();
    upstream.close();
  }

  private static Arguments chunks(String name, String body) {
    return FramingCases.post(name, "Transfer-Encoding: chunked", body);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("io.weir.server.gateway.FramingCases#heads")
  void refusesAmbiguousHeads(String name, String request) throws IOException {
    int number = COUNT.incrementAndGet();
    String outer = "/outer" + number + ".";
    String hidden = "/hidden" + number + ".";
    String response =
        gatewayFixture.raw(request.replace("/outer", outer).replace("/hidden", hidden));
    assertThat(response).matches("(?s)HTTP/1\\.[01] (400|505|501) .*");
    assertThat(response.split("HTTP/1\\.[01] ", -1)).as("one response: %s", response).hasSize(2);
    assertThat(arrived(outer)).isEmpty();
    assertThat(upstream.bytes()).doesNotContain(outer, hidden);
  }

  /** The requests that contain a text; requests of another test may arrive late. */
  private static List<String> arrived(String part) {
    return upstream.heads().stream().filter(head -> head.contains(part)).toList();
  }

  /** As RFC 9112 has it: either that, or 400. */
  @Test
  void unfoldsFoldedLine() throws IOException {
    String response =
        gatewayFixture.raw(
            "GET /folded HTTP/1.1\r\nHost: a\r\nX: y\r\n Transfer-Encoding: chunked\r\n"
                + "Connection: close\r\n\r\n");
    assertThat(response).startsWith("HTTP/1.1 200 ");
    assertThat(arrived("/folded"))
        .singleElement(STRING)
        .contains("X: y Transfer-Encoding: chunked\r\n")
        .doesNotContain("\n Transfer-Encoding");
  }

  static Stream<Arguments> refusesAmbiguousBodies() {
    return Stream.of(
        chunks("no size", "\r\n\r\n"),
        chunks("a size in no hex", "g\r\n"),
        chunks("a size with a sign", "+0\r\n\r\n"),
        chunks("a negative size", "-1\r\n\r\n"),
        chunks("a size with 0x", "0x0\r\n\r\n"),
        chunks("a size that wraps around", "100000000\r\n"),
        chunks("a size that wraps around twice", "10000000000000000\r\n"),
        chunks("a size beyond all bounds", "f".repeat(40) + "\r\n"),
        chunks("a blank before the size", " 0\r\n\r\n"),
        chunks("a size ended by LF", "5\nhello\r\n0\r\n\r\n"),
        chunks("a size ended by CR", "5\rhello\r\n0\r\n\r\n"),
        chunks("data longer than the size", "5\r\nhello!\r\n0\r\n\r\n"),
        chunks("data ended by LF", "5\r\nhello\n0\r\n\r\n"),
        chunks("no end of the data", "5\r\nhello0\r\n\r\n"),
        chunks("an extension with LF", "5;a\nb\r\nhello\r\n0\r\n\r\n"),
        chunks("an extension with CR", "5;a\rb\r\nhello\r\n0\r\n\r\n"),
        chunks("an extension that is quoted over a line", "5;a=\"\r\nhello\"\r\n0\r\n\r\n"),
        chunks("an extension with NUL", "5;a\u0000\r\nhello\r\n0\r\n\r\n"),
        chunks("an extension of 20 kB", "5;" + "a".repeat(20_000) + "\r\nhello\r\n0\r\n\r\n"),
        chunks("the last chunk ended by LF", "0\n\r\n"),
        chunks("trailers ended by LF", "0\r\nX: y\n\r\n"),
        chunks("trailers of 20 kB", "0\r\nX: " + "y".repeat(20_000) + "\r\n\r\n"));
  }

  /** The head has gone on by then, but the server waits for the rest: no response was sent yet. */
  @ParameterizedTest(name = "{0}")
  @MethodSource
  void refusesAmbiguousBodies(String name, String request) throws IOException {
    String hidden = "/hidden" + COUNT.incrementAndGet() + ".";
    String response = gatewayFixture.raw(request.replace("/hidden", hidden));
    assertThat(response).startsWith("HTTP/1.1 400 ");
    assertThat(response.split("HTTP/1\\.[01] ", -1)).as("one response: %s", response).hasSize(2);
    assertThat(upstream.bytes()).doesNotContain(hidden);
  }

  static Stream<Arguments> refusesAmbiguousStreams() {
    return Stream.of(
        stream("reset", "a line break in a value", "x", "y\r\nTransfer-Encoding: chunked"),
        stream("reset", "LF in a value", "x", "y\nz"),
        stream("reset", "CR in a value", "x", "y\rz"),
        stream("reset", "NUL in a value", "x", "y\u0000z"),
        stream("reset", "a blank around a value", "x", " y"),
        stream("reset", "a line break in a name", "x\r\ny", "z"),
        stream("reset", "a colon in a name", "x: y\r\n\r\nget /hidden", "z"),
        stream("reset", "a blank in a name", "x y", "z"),
        stream("reset", "an upper-case name", "X", "y"),
        stream("reset", "an empty name", "", "y"),
        stream("reset", "a transfer encoding", "transfer-encoding", "chunked"),
        stream("reset", "a connection", "connection", "close"),
        stream("reset", "a keep-alive", "keep-alive", "5"),
        stream("reset", "a proxy connection", "proxy-connection", "close"),
        stream("reset", "an upgrade", "upgrade", "h2c"),
        stream("reset", "te other than trailers", "te", "gzip"),
        stream("reset", "a length that is none", "content-length", "+5"),
        stream("reset", "two lengths", "content-length", "5", "content-length", "6"),
        stream("reset", "another length", "content-length", "99"),
        stream("reset", "a length too short", "content-length", "1"),
        stream("reset", "a second method", ":method", "GET"),
        stream("reset", "a second path", ":path", "/hidden"),
        stream("reset", "a second authority", ":authority", "b"),
        stream("reset", "a pseudo-header of responses", ":status", "200"),
        stream("reset", "an unknown pseudo-header", ":x", "y"),
        stream("reset", "another host", "host", "b"),
        stream("400", "a key of an old WebSocket", "sec-websocket-key1", "hidden"),
        stream("400", "another", "sec-websocket-key2", "hidden"),
        stream("400", "two hosts", "host", "a", "host", "b"),
        stream("400", "two expectations", "expect", "hidden", "expect", "hidden"),
        stream("400", "a forwarding header with underscores", "x_forwarded_for", "6.6.6.6"));
  }

  private static Arguments stream(String outcome, String name, String... more) {
    String[] usual = {":method", "POST", ":scheme", "http", ":authority", "a", ":path", "/outer"};
    String[] all = Arrays.copyOf(usual, usual.length + more.length);
    System.arraycopy(more, 0, all, usual.length, more.length);
    return Arguments.of(outcome, name, all);
  }

  @ParameterizedTest(name = "{1}")
  @MethodSource
  void refusesAmbiguousStreams(String outcome, String name, String[] headers) throws IOException {
    String outer = "/outer" + COUNT.incrementAndGet() + ".";
    int known = upstream.bytes().length();
    try (RawHttp2 client = new RawHttp2(gatewayFixture.port())) {
      String[] own = headers.clone();
      own[Arrays.asList(own).indexOf("/outer")] = outer;
      int id = client.open(false, own);
      client.data(id, true, "hello");
      assertThat(client.outcome(id)).isEqualTo(outcome);
    }
    assertThat(arrived(outer)).hasSizeLessThan(2);
    assertThat(upstream.bytes().substring(known))
        .doesNotContain("hidden")
        .doesNotContain("6.6.6.6");
    assertThat(gatewayFixture.get()).as("others are served").startsWith("HTTP/1.1 200 ");
  }

  /** Shows that the table can fail: valid requests pass. */
  @ParameterizedTest(name = "{0}")
  @MethodSource
  void acceptsUnambiguousRequests(String name, String request) throws IOException {
    try (Socket socket = gatewayFixture.connect()) {
      socket.getOutputStream().write(request.getBytes(ISO_8859_1));
      socket.getOutputStream().write(HIDDEN.replace("/hidden", "/next").getBytes(ISO_8859_1));
      StringBuilder response = new StringBuilder();
      while (response.toString().split("\r\n\r\nok", -1).length < 3) {
        int next = socket.getInputStream().read();
        assertThat(next).as("the end after %s", response).isNotEqualTo(-1);
        response.append((char) next);
      }
    }
  }

  static Stream<Arguments> acceptsUnambiguousRequests() {
    String post = "POST /outer HTTP/1.1\r\nHost: a\r\n";
    return Stream.of(
        Arguments.of("a length", post + "Content-Length: 5\r\n\r\nhello"),
        Arguments.of("a length of nothing", post + "Content-Length: 0\r\n\r\n"),
        Arguments.of("chunks", post + "Transfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
        Arguments.of(
            "an extension", post + "Transfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\n\r\n"),
        Arguments.of("trailers", post + "Transfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n\r\n"),
        Arguments.of("a value beyond ASCII", post + "X: \u00fc\r\nContent-Length: 0\r\n\r\n"),
        Arguments.of("odd names", post + "x!#$%&'*+-.^_`|~9: y\r\nContent-Length: 0\r\n\r\n"),
        Arguments.of("an empty value", post + "X:\r\nContent-Length: 0\r\n\r\n"),
        Arguments.of("tabs in a value", post + "X:\ty\tz\t\r\nContent-Length: 0\r\n\r\n"),
        Arguments.of("an empty line before", "\r\n" + post + "Content-Length: 0\r\n\r\n"));
  }
}
