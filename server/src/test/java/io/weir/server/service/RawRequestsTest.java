package io.weir.server.service;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What arrives on the wire otherwise than a well-behaved client sends it. */
class RawRequestsTest {
  private static Service service;
  private static final AtomicLong USERS = new AtomicLong();

  private final String user = "u" + USERS.incrementAndGet();
  private final String checkBody = "{\"attributes\":{\"user\":\"" + user + "\"}}";

  @BeforeAll
  static void start() {
    service = Service.start("rules: [ { name: user, per: user, limit: 5 per hour } ]");
  }

  @AfterAll
  static void close() {
    service.close();
  }

  @AfterEach
  void servesOtherRequests() {
    assertThat(service.get("/v1/check?user=" + user + "-after").status()).isEqualTo(200);
  }

  private String head(String more) {
    return "POST /v1/check HTTP/1.1\r\nHost: a\r\n" + more + "\r\n\r\n";
  }

  private long left() {
    String body = service.get("/v1/check?cost=0&user=" + user).body();
    return Long.parseLong(body.replaceAll(".*\"remaining\":(\\d+).*", "$1"));
  }

  @Test
  void respondsToPipelinedRequestsInOrder() throws IOException {
    String one = head("Content-Length: " + checkBody.length()) + checkBody;
    String get = "GET /v1/check?user=" + user + " HTTP/1.1\r\nHost: a\r\n\r\n";
    String bad = head("Content-Length: 1") + "x";
    String missing = "POST /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc";
    String last = get.replace("Host: a", "Host: a\r\nConnection: close");

    String replies = service.raw(one + get + bad + missing + one + last);

    assertThat(replies.split("HTTP/1.1 ")).hasSize(7);
    assertThat(replies)
        .containsSubsequence(
            "200 OK",
            "\"remaining\":4,",
            "200 OK",
            "\"remaining\":3,",
            "400 Bad",
            "404 Not",
            "200 OK",
            "\"remaining\":2,",
            "200 OK",
            "\"remaining\":1,");
  }

  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void aBodyWithoutALength(HttpClient.Version version) {
    HttpRequest.BodyPublisher unknown =
        HttpRequest.BodyPublishers.fromPublisher(HttpRequest.BodyPublishers.ofString(checkBody));

    assertThat(service.send(service.request(version, "/v1/check").POST(unknown)).status())
        .isEqualTo(200);
    assertThat(left()).isEqualTo(4);
  }

  @Test
  void aBodyInManyChunks() throws IOException {
    StringBuilder chunks = new StringBuilder();
    for (char c : checkBody.toCharArray()) {
      chunks.append("1;ext=x\r\n").append(c).append("\r\n");
    }
    String reply =
        service.raw(
            head("Transfer-Encoding: chunked\r\nConnection: close")
                + chunks
                + "0\r\nTrailer: x\r\n\r\n");

    assertThat(reply).startsWith("HTTP/1.1 200 ").contains("\"remaining\":4,");
  }

  @Test
  void aBodyThatComesByteByByte() throws IOException {
    try (Socket socket = service.connect()) {
      socket.setTcpNoDelay(true);
      OutputStream out = socket.getOutputStream();
      String head = head("Connection: close\r\nContent-Length: " + checkBody.length());
      for (byte b : (head + checkBody).getBytes(UTF_8)) {
        out.write(b);
        out.flush();
      }
      assertThat(new String(socket.getInputStream().readAllBytes(), UTF_8))
          .startsWith("HTTP/1.1 200 ")
          .contains("\"remaining\":4,");
    }
  }

  @Test
  void sends100ContinueOnExpectation() throws IOException {
    try (Socket socket = service.connect()) {
      String head = head("Expect: 100-continue\r\nContent-Length: " + checkBody.length());
      socket.getOutputStream().write(head.getBytes(UTF_8));
      assertThat(line(socket.getInputStream())).isEqualTo("HTTP/1.1 100 Continue");
      socket.getOutputStream().write(checkBody.getBytes(UTF_8));
      assertThat(line(socket.getInputStream())).isEmpty();
      assertThat(line(socket.getInputStream())).isEqualTo("HTTP/1.1 200 OK");
    }
    HttpRequest.Builder http2 =
        service
            .request(HttpClient.Version.HTTP_1_1, "/v1/check")
            .expectContinue(true)
            .POST(HttpRequest.BodyPublishers.ofString(checkBody));
    assertThat(service.send(http2).status()).isEqualTo(200);
  }

  @Test
  void sendsNo100ContinueForTooLargeBody() throws IOException {
    try (Socket socket = service.connect()) {
      String head = head("Expect: 100-continue\r\nContent-Length: 1048577");
      socket.getOutputStream().write(head.getBytes(UTF_8));
      assertThat(line(socket.getInputStream())).isEqualTo("HTTP/1.1 413 Request Entity Too Large");
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {64 * 1024 + 1, 1024 * 1024 + 1, 8 * 1024 * 1024})
  void bodiesThatAreTooLong(long length) {
    String text = checkBody.substring(0, checkBody.length() - 2);
    String body = text + ",\"x\":\"" + "x".repeat((int) length) + "\"}}";
    for (HttpClient.Version version : HttpClient.Version.values()) {
      Service.Reply reply = service.post(version, "/v1/check", body);
      assertThat(reply.status()).isEqualTo(413);
      assertThat(reply.body()).contains("\"error\":\"content_too_large\"");
    }
    assertThat(left()).isEqualTo(5);
  }

  @Test
  void acceptsBodyAtTheLimit() {
    String body = " ".repeat(64 * 1024 - checkBody.length()) + checkBody;
    assertThat(service.post("/v1/check", body).status()).isEqualTo(200);
    assertThat(service.post("/v1/check", " " + body).status()).isEqualTo(413);
    String list = " ".repeat(1024 * 1024 - checkBody.length() - 2) + "[" + checkBody + "]";
    assertThat(service.post("/v1/check", list).status()).isEqualTo(200);
    assertThat(service.post("/v1/check", " " + list).status()).isEqualTo(413);
    assertThat(left()).isEqualTo(3);
  }

  /** It gets its response; if it does not stop then, the connection is closed. */
  @Test
  void aBodyWithoutAnEnd() throws IOException {
    try (Socket socket = service.connect()) {
      OutputStream out = socket.getOutputStream();
      out.write(head("Transfer-Encoding: chunked").getBytes(UTF_8));
      byte[] chunk = ("10000\r\n" + "x".repeat(65536) + "\r\n").getBytes(UTF_8);
      long sent = 0;
      try {
        for (; sent < 200L << 20; sent += 65536) {
          out.write(chunk);
        }
      } catch (SocketException e) {
        // As it should be.
      }
      assertThat(sent).isLessThan(100L << 20);
    }
  }

  @Test
  void chargesNothingForAbortedRequestBody() throws IOException {
    for (int i = 0; i < 50; i++) {
      try (Socket socket = service.connect()) {
        String head = head("Content-Length: " + checkBody.length());
        String part = checkBody.substring(0, checkBody.length() - 1);
        socket.getOutputStream().write((head + part).getBytes(UTF_8));
        socket.setSoLinger(true, 0);
      }
    }
    assertThat(left()).isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET",
        "GET /v1/check\r\n\r\n",
        "GET /v1/check HTTP/9.9\r\nHost: a\r\n\r\n",
        "POST /v1/check HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        "POST /v1/check HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
        "POST /v1/check HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n{}",
        "POST /v1/check HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        "POST /v1/check HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "POST /v1/check HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
        "POST /v1/check HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n",
        "GET /v1/check?user=\u0000 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /v1/check HTTP/1.1\r\nHost: a\r\nX\u0000: b\r\n\r\n",
        "CONNECT /v1/auth HTTP/1.1\r\nHost: a\r\n\r\n",
        "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET ?user=1 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http:// HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http://[/v1/check HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /v1/check HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nnot a frame at all, but long enough for one",
        "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003hello TLS",
      })
  void noiseIsNoReasonToFail(String bytes) throws IOException {
    try (Socket socket = service.connect()) {
      socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
      socket.shutdownOutput();
      String reply = new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
      assertThat(reply).doesNotContain("HTTP/1.1 500 ");
    } catch (SocketException e) {
      // Hung up on.
    }
  }

  /** A path may come with a host before it; it is the same path. */
  @Test
  void absoluteTargets() throws IOException {
    String reply =
        service.raw(
            "GET http://other/v1/check?user="
                + user
                + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");

    assertThat(reply).startsWith("HTTP/1.1 200 ").contains("\"remaining\":4,");
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }
}
