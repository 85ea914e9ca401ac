package io.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.weir.rig.Authority;
import io.weir.rig.Logged;
import io.weir.rig.Until;
import io.weir.server.door.Door;
import io.weir.server.door.Doors;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ports with certificates, and certificates that change. */
class TlsTest {
  private static final Authority AUTHORITY = new Authority("weir test");

  @TempDir private Path directory;
  private final Vertx vertx = Doors.vertx(new VertxOptions());
  private Door door = new Door();
  private final Logged complaints = new Logged("io.weir.server");

  @AfterEach
  void close() {
    complaints.close();
    await(vertx.close());
  }

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
  void asksForNoCertificateUnlessTold() throws Exception {
    int port = listen(install(AUTHORITY.issue("open")), Optional.empty());

    assertThat(get(port, context(null)).statusCode()).isEqualTo(200);
  }

  @Test
  void letsOnlyThoseInWhoseCertificateItsAuthorityHasIssued() throws Exception {
    int port = listen(install(AUTHORITY.issue("mutual")), Optional.of(AUTHORITY.certificate()));

    assertThat(get(port, context(AUTHORITY.issue("friend"))).statusCode()).isEqualTo(200);
    assertThatThrownBy(() -> get(port, context(null))).isInstanceOf(IOException.class);
    Authority.Identity stranger = new Authority("another").issue("stranger");
    assertThatThrownBy(() -> get(port, context(stranger))).isInstanceOf(IOException.class);
    Authority.Identity late = AUTHORITY.issueExpired("late");
    assertThatThrownBy(() -> get(port, context(late))).isInstanceOf(IOException.class);
  }

  @Test
  void newConnectionsSeeANewCertificateWhileOldOnesGoOn() throws Exception {
    TlsFiles files = install(AUTHORITY.issue("first"));
    int port = listen(files, Optional.empty());
    try (SSLSocket old = connect(port)) {
      assertThat(ask(old)).isEqualTo("hello");

      install(AUTHORITY.issue("second"));

      Until.holds("the second certificate is shown", () -> shown(port).equals("CN=second"));
      assertThat(ask(old)).isEqualTo("hello");
      assertThat(owner(old)).isEqualTo("CN=first");
    }
  }

  @Test
  void aNewAuthorityOfClientsHoldsFromThenOn() throws Exception {
    Path ca = Files.copy(AUTHORITY.certificate(), directory.resolve("clients.crt"));
    int port = listen(install(AUTHORITY.issue("server")), Optional.of(ca));
    Authority next = new Authority("next");
    SSLContext oldFriend = context(AUTHORITY.issue("old-friend"));
    SSLContext newFriend = context(next.issue("new-friend"));
    assertThat(get(port, oldFriend).statusCode()).isEqualTo(200);

    Files.copy(next.certificate(), ca, StandardCopyOption.REPLACE_EXISTING);

    Until.holds("the new friend gets in", () -> get(port, newFriend).statusCode() == 200);
    assertThatThrownBy(() -> get(port, oldFriend)).isInstanceOf(IOException.class);
  }

  @Test
  void whatIsBrokenIsNotUsed() throws Exception {
    TlsFiles files = install(AUTHORITY.issue("good"));
    int port = listen(files, Optional.empty());

    Files.writeString(files.certificate(), "-----BEGIN CERTIFICATE-----\nnonsense\n");
    complaints.awaitWarning("cannot be read");
    assertThat(shown(port)).isEqualTo("CN=good");

    Files.delete(files.certificate());
    complaints.awaitWarning("does not exist");
    assertThat(shown(port)).isEqualTo("CN=good");

    install(AUTHORITY.issueExpired("expired"));
    complaints.awaitWarning("is good only from");
    assertThat(shown(port)).isEqualTo("CN=good");

    install(AUTHORITY.issue("better"));
    Until.holds("the better certificate is shown", () -> shown(port).equals("CN=better"));
    assertThat(complaints.warnings()).as("once for each").hasSize(3);
  }

  @Test
  void whatThePortDoesNotTakeIsTriedAgain() throws Exception {
    TlsFiles files = install(AUTHORITY.issue("old"));
    TlsMaterial old = files.read();
    install(AUTHORITY.issue("new"));
    AtomicInteger tries = new AtomicInteger();
    TlsRenewal renewal =
        new TlsRenewal(
            vertx,
            files,
            old,
            next ->
                tries.incrementAndGet() < 4
                    ? Future.failedFuture("no room")
                    : Future.succeededFuture());

    Until.holds("the fourth time", () -> tries.get() == 4);
    complaints.awaitWarning("the port does not take it: ");
    assertThat(complaints.warnings()).as("once").hasSize(1);
    renewal.stop();
  }

  /** Whoever reads and signs with it each second works for nothing. */
  @Test
  void whatIsInUseIsNotJudgedAgain() throws Exception {
    TlsFiles files = install(AUTHORITY.issue("good"));
    Files.writeString(files.certificate(), "nonsense, which nobody reads");

    assertThat(TlsRenewal.look(vertx, files, files.read()).problem()).isNull();
  }

  @Test
  void halfAPairIsNotUsed() throws Exception {
    TlsFiles files = install(AUTHORITY.issue("whole"));
    int port = listen(files, Optional.empty());
    Authority.Identity next = AUTHORITY.issue("next");

    Files.copy(next.certificate(), files.certificate(), StandardCopyOption.REPLACE_EXISTING);
    complaints.awaitWarning("the key is not that of the certificate");
    assertThat(shown(port)).isEqualTo("CN=whole");

    Files.copy(next.key(), files.key(), StandardCopyOption.REPLACE_EXISTING);
    Until.holds("the next certificate is shown", () -> shown(port).equals("CN=next"));
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void doesNotOpenWithWhatCannotBeUsed() throws Exception {
    TlsFiles files = install(AUTHORITY.issue("a"));
    Path key = AUTHORITY.issue("b").key();
    Path nowhere = directory.resolve("nowhere");

    assertThatThrownBy(() -> listen(new TlsFiles(files.certificate(), key, Optional.empty())))
        .hasMessageContaining("the key is not that of the certificate");
    assertThatThrownBy(() -> listen(new TlsFiles(nowhere, files.key(), Optional.empty())))
        .hasMessageContaining("nowhere does not exist");
    Path pipe = directory.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    assertThatThrownBy(() -> listen(new TlsFiles(files.certificate(), pipe, Optional.empty())))
        .hasMessageContaining("pipe is not a regular file");
    assertThatThrownBy(
            () -> listen(new TlsFiles(files.certificate(), files.key(), Optional.of(files.key()))))
        .hasMessageContaining("the client CA cannot be read");
  }

  @Test
  void opensWithAnExpiredCertificateAndSaysSo() throws Exception {
    int port = listen(install(AUTHORITY.issueExpired("old")), Optional.empty());

    assertThat(shown(port)).isEqualTo("CN=old");
    complaints.awaitWarning("has expired");
  }

  @Test
  void whoDoesNotSayWhatItWantsHasToLeave() throws Exception {
    door =
        new Door(
            100,
            new Door.Patience(Duration.ofSeconds(5), Duration.ofSeconds(3), Duration.ofMinutes(2)));
    int port = listen(install(AUTHORITY.issue("door")), Optional.empty());
    assertThat(get(port, context(null)).body()).isEqualTo("hello"); // what is slow once was so here
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

  /** What was sent behind it must not make the system reset the connection. */
  @Test
  void whoIsRefusedHearsWhy() throws Exception {
    int port = listen(install(AUTHORITY.issue("door")), Optional.empty());
    try (SSLSocket client = handshake(port, "http/1.1")) {
      String request = "GET / HTTP/3.1\r\nHost: a\r\n\r\n" + "x".repeat(1_000_000);
      client.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      assertThat(new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
          .startsWith("HTTP/1.1 505 ");
    }
    Until.holds("nobody is inside", () -> door.inside() == 0);
  }

  private static SSLSocket handshake(int port, String protocol) throws Exception {
    SSLSocket socket = (SSLSocket) context(null).getSocketFactory().createSocket("localhost", port);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {protocol});
    socket.setSSLParameters(parameters);
    socket.setSoTimeout(30_000);
    socket.startHandshake();
    return socket;
  }

  private TlsFiles install(Authority.Identity identity) {
    try {
      Path certificate = directory.resolve("server.crt");
      Path key = directory.resolve("server.key");
      Files.copy(identity.certificate(), certificate, StandardCopyOption.REPLACE_EXISTING);
      Files.copy(identity.key(), key, StandardCopyOption.REPLACE_EXISTING);
      return new TlsFiles(certificate, key, Optional.empty());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private int listen(TlsFiles files, Optional<Path> clientCa) {
    return listen(new TlsFiles(files.certificate(), files.key(), clientCa));
  }

  private int listen(TlsFiles files) {
    Listener listener =
        await(
            Listener.open(
                vertx,
                Bounds.STRANGERS.at("127.0.0.1", 0),
                Optional.of(files),
                door,
                2,
                request -> request.response().end("hello")));
    return listener.port();
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }

  private static HttpResponse<String> get(int port, SSLContext context) throws Exception {
    return get(port, context, HttpClient.Version.HTTP_1_1);
  }

  private static HttpResponse<String> get(int port, SSLContext context, HttpClient.Version version)
      throws Exception {
    HttpClient client = HttpClient.newBuilder().sslContext(context).version(version).build();
    URI uri = URI.create("https://localhost:" + port + "/");
    return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  /** Whose certificate a new connection is shown. */
  private static String shown(int port) throws Exception {
    try (SSLSocket socket = connect(port)) {
      return owner(socket);
    }
  }

  private static String owner(SSLSocket socket) throws Exception {
    X509Certificate certificate = (X509Certificate) socket.getSession().getPeerCertificates()[0];
    return certificate.getSubjectX500Principal().getName();
  }

  private static SSLSocket connect(int port) throws Exception {
    SSLSocket socket = (SSLSocket) trustingAll().getSocketFactory().createSocket("127.0.0.1", port);
    socket.setSoTimeout(30_000);
    socket.startHandshake();
    return socket;
  }

  /** Asks once more on a connection that stays open. */
  private static String ask(SSLSocket socket) throws IOException {
    String request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    BufferedReader in =
        new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    String line = in.readLine();
    assertThat(line).isEqualTo("HTTP/1.1 200 OK");
    while (!line.isEmpty()) {
      line = in.readLine();
    }
    char[] body = new char[5];
    assertThat(in.read(body)).isEqualTo(5);
    return new String(body);
  }

  /** Expired ones too: what is shown is the question. */
  private static SSLContext trustingAll() throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new javax.net.ssl.TrustManager[] {new Credulous()}, null);
    return context;
  }

  private static final class Credulous extends javax.net.ssl.X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, java.net.Socket s) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, java.net.Socket s) {}

    @Override
    public void checkClientTrusted(
        X509Certificate[] chain, String type, javax.net.ssl.SSLEngine e) {}

    @Override
    public void checkServerTrusted(
        X509Certificate[] chain, String type, javax.net.ssl.SSLEngine e) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }

  /** Trusts the test's authority; shows {@code identity} if it is not null. */
  private static SSLContext context(Authority.Identity identity) throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null);
    trusted.setCertificateEntry("ca", certificate(AUTHORITY.certificate()));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    KeyStore own = KeyStore.getInstance("PKCS12");
    own.load(null);
    if (identity != null) {
      String pem = Files.readString(identity.key()).replaceAll("-----[^-]*-----|\\s", "");
      PKCS8EncodedKeySpec key = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(pem));
      own.setKeyEntry(
          "own",
          KeyFactory.getInstance("EC").generatePrivate(key),
          new char[0],
          new X509Certificate[] {certificate(identity.certificate())});
    }
    keys.init(own, new char[0]);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  private static X509Certificate certificate(Path file) throws Exception {
    try (var in = Files.newInputStream(file)) {
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }
}
