package io.weir.server.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rig.CapturedLog;
import io.weir.rig.CertificateAuthority;
import io.weir.server.http.Listener;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
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
import java.util.Base64;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A port with a certificate, and clients of it. */
abstract class SecurePort {
  static final CertificateAuthority AUTHORITY = new CertificateAuthority("weir test");

  @TempDir Path directory;
  final Vertx vertx = LimitingTransport.vertx(new VertxOptions());
  ConnectionLimiter connectionLimiter = new ConnectionLimiter();
  final CapturedLog complaints = new CapturedLog("io.weir.server");

  @AfterEach
  void close() {
    complaints.close();
    await(vertx.close());
  }

  static SSLSocket handshake(int port, String protocol) throws Exception {
    SSLSocket socket = (SSLSocket) context(null).getSocketFactory().createSocket("localhost", port);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {protocol});
    socket.setSSLParameters(parameters);
    socket.setSoTimeout(30_000);
    socket.startHandshake();
    return socket;
  }

  CertificateFiles install(CertificateAuthority.Identity identity) {
    try {
      Path certificate = directory.resolve("server.crt");
      Path key = directory.resolve("server.key");
      Files.copy(identity.certificate(), certificate, StandardCopyOption.REPLACE_EXISTING);
      Files.copy(identity.key(), key, StandardCopyOption.REPLACE_EXISTING);
      return new CertificateFiles(certificate, key, Optional.empty());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  int listen(CertificateFiles files, Optional<Path> clientCa) {
    return listen(new CertificateFiles(files.certificate(), files.key(), clientCa));
  }

  int listen(CertificateFiles files) {
    return listen(files, request -> request.response().end("hello"));
  }

  int listen(CertificateFiles files, Handler<HttpServerRequest> handler) {
    Listener listener =
        await(
            Listener.open(
                vertx,
                ServerLimits.PUBLIC.at("127.0.0.1", 0),
                Optional.of(files),
                connectionLimiter,
                2,
                handler));
    return listener.port();
  }

  static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }

  static HttpResponse<String> get(int port, SSLContext context) throws Exception {
    return get(port, context, HttpClient.Version.HTTP_1_1);
  }

  static HttpResponse<String> get(int port, SSLContext context, HttpClient.Version version)
      throws Exception {
    HttpClient client = HttpClient.newBuilder().sslContext(context).version(version).build();
    URI uri = URI.create("https://localhost:" + port + "/");
    return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  /** The owner of the certificate that a new connection receives. */
  static String shown(int port) throws Exception {
    try (SSLSocket socket = connect(port)) {
      return owner(socket);
    }
  }

  static String owner(SSLSocket socket) throws Exception {
    X509Certificate certificate = (X509Certificate) socket.getSession().getPeerCertificates()[0];
    return certificate.getSubjectX500Principal().getName();
  }

  static SSLSocket connect(int port) throws Exception {
    SSLSocket socket = (SSLSocket) trustingAll().getSocketFactory().createSocket("127.0.0.1", port);
    socket.setSoTimeout(30_000);
    socket.startHandshake();
    return socket;
  }

  /** Sends another request on an open connection. */
  static String exchange(SSLSocket socket) throws IOException {
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

  /** Accepts any certificate, expired ones too. */
  static SSLContext trustingAll() throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new javax.net.ssl.TrustManager[] {new Credulous()}, null);
    return context;
  }

  static final class Credulous extends javax.net.ssl.X509ExtendedTrustManager {
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

  /** Trusts the test's authority; presents {@code identity} if it is not null. */
  static SSLContext context(CertificateAuthority.Identity identity) throws Exception {
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

  static X509Certificate certificate(Path file) throws Exception {
    try (var in = Files.newInputStream(file)) {
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }
}
