package io.weir.server.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.buffer.Buffer;
import io.weir.rig.Await;
import io.weir.rig.CertificateAuthority;
import io.weir.server.http.RawHttp2;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ports with certificates. */
@Tag("slow")
class TlsTest extends SecurePort {
  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void speaksBothVersions(HttpClient.Version version) throws Exception {
    int port = listen(install(AUTHORITY.issue("both")), Optional.empty());
    HttpResponse<String> response = get(port, context(null), version);

    assertThat(response.body()).isEqualTo("hello");
    assertThat(response.version()).isEqualTo(version);
    assertThat(response.sslSession().orElseThrow().getProtocol()).isEqualTo("TLSv1.3");
  }

  @Test
  void requestsNoClientCertificateByDefault() throws Exception {
    int port = listen(install(AUTHORITY.issue("open")), Optional.empty());

    assertThat(get(port, context(null)).statusCode()).isEqualTo(200);
  }

  @Test
  void acceptsOnlyClientCertificatesOfItsAuthority() throws Exception {
    int port = listen(install(AUTHORITY.issue("mutual")), Optional.of(AUTHORITY.certificate()));

    assertThat(get(port, context(AUTHORITY.issue("friend"))).statusCode()).isEqualTo(200);
    assertThatThrownBy(() -> get(port, context(null))).isInstanceOf(IOException.class);
    CertificateAuthority.Identity stranger = new CertificateAuthority("another").issue("stranger");
    assertThatThrownBy(() -> get(port, context(stranger))).isInstanceOf(IOException.class);
    CertificateAuthority.Identity late = AUTHORITY.issueExpired("late");
    assertThatThrownBy(() -> get(port, context(late))).isInstanceOf(IOException.class);
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void refusesUnusableCertificateOrKey() throws Exception {
    CertificateFiles files = install(AUTHORITY.issue("a"));
    Path key = AUTHORITY.issue("b").key();
    Path nowhere = directory.resolve("nowhere");

    assertThatThrownBy(
            () -> listen(new CertificateFiles(files.certificate(), key, Optional.empty())))
        .hasMessageContaining("the key does not belong to the certificate");
    assertThatThrownBy(() -> listen(new CertificateFiles(nowhere, files.key(), Optional.empty())))
        .hasMessageContaining("nowhere does not exist");
    Path pipe = directory.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    assertThatThrownBy(
            () -> listen(new CertificateFiles(files.certificate(), pipe, Optional.empty())))
        .hasMessageContaining("pipe is not a regular file");
    assertThatThrownBy(
            () ->
                listen(
                    new CertificateFiles(
                        files.certificate(), files.key(), Optional.of(files.key()))))
        .hasMessageContaining("the client CA cannot be read");
  }

  @Test
  void opensWithExpiredCertificateAndWarns() throws Exception {
    int port = listen(install(AUTHORITY.issueExpired("old")), Optional.empty());

    assertThat(shown(port)).isEqualTo("CN=old");
    complaints.awaitWarning("has expired");
  }

  @Test
  void closesSilentTlsConnection() throws Exception {
    connectionLimiter =
        new ConnectionLimiter(
            100,
            new ConnectionLimiter.Timeouts(
                Duration.ofSeconds(5), Duration.ofSeconds(3), Duration.ofMinutes(2)));
    int port = listen(install(AUTHORITY.issue("door")), Optional.empty());
    assertThat(get(port, context(null)).body())
        .isEqualTo("hello"); // loads what is slow the first time
    try (Socket silent = new Socket("127.0.0.1", port);
        Socket half = new Socket("127.0.0.1", port);
        SSLSocket greeted = handshake(port, "http/1.1");
        SSLSocket greetedToo = handshake(port, "h2");
        SSLSocket slow = handshake(port, "http/1.1");
        SSLSocket headers = handshake(port, "h2")) {
      half.getOutputStream().write(new byte[] {22, 3, 1, 1, 0, 1});
      slow.getOutputStream().write("GET / HTTP/1.1\r\nX:".getBytes(StandardCharsets.US_ASCII));
      RawHttp2 frames = new RawHttp2(headers);
      frames.send(RawHttp2.HEADERS, 0, 1, RawHttp2.block(":method", "GET"));

      assertThat(silent.getInputStream().read()).isEqualTo(-1);
      assertThat(half.getInputStream().read()).isEqualTo(-1);
      assertThat(greeted.getInputStream().read()).isEqualTo(-1);
      greetedToo.getInputStream().readAllBytes();
      assertThat(new String(slow.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
          .startsWith("HTTP/1.1 408 ");
      assertThat(frames.outcome(1)).isIn("goaway", "closed");
    }
    assertThat(get(port, context(null)).body()).isEqualTo("hello");
  }

  /** Requests that arrive while the responses before them make the connection unwritable. */
  @Test
  void respondsOnEveryStreamOfABurst() throws Exception {
    Buffer body = Buffer.buffer(new byte[16 * 1024]);
    int port = listen(install(AUTHORITY.issue("burst")), request -> request.response().end(body));
    try (SSLSocket socket = handshake(port, "h2")) {
      RawHttp2 client = new RawHttp2(socket, 4, body.length());
      client.grant(0, 100 * body.length());
      client.getTogether("/", 100);
      assertThat(client.responses(100)).isEqualTo(100);
    }
  }

  /** Input after the refused request must not make the kernel reset the connection. */
  @Test
  void refusedTlsClientReceivesTheReason() throws Exception {
    int port = listen(install(AUTHORITY.issue("door")), Optional.empty());
    try (SSLSocket client = handshake(port, "http/1.1")) {
      String request = "GET / HTTP/3.1\r\nHost: a\r\n\r\n" + "x".repeat(1_000_000);
      client.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      assertThat(new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
          .startsWith("HTTP/1.1 505 ");
    }
    Await.holds("no connection is open", () -> connectionLimiter.inside() == 0);
  }
}
