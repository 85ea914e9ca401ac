package io.weir.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The certificates, as Java's own TLS and Redis see them. */
@Timeout(60)
class CertificateAuthorityTest {
  private final CertificateAuthority certificateAuthority = new CertificateAuthority("tests");

  @Test
  void trustsIssuedCertificates() throws Exception {
    try (RedisProcess redis = start(certificateAuthority.issue("server"))) {
      assertThat(ping(redis, certificateAuthority, certificateAuthority.issue("client")))
          .isEqualTo("+PONG");
    }
  }

  @Test
  void doesNotTrustOtherCertificates() throws Exception {
    CertificateAuthority stranger = new CertificateAuthority("stranger");
    try (RedisProcess redis = start(certificateAuthority.issue("server"))) {
      assertThatThrownBy(() -> ping(redis, stranger, certificateAuthority.issue("client")))
          .isInstanceOf(SSLException.class);
      assertThatThrownBy(() -> ping(redis, certificateAuthority, stranger.issue("client")))
          .isInstanceOf(IOException.class);
    }
    try (RedisProcess redis =
        start(certificateAuthority.issueForHost("server", "elsewhere.test"))) {
      assertThatThrownBy(
              () -> ping(redis, certificateAuthority, certificateAuthority.issue("client")))
          .isInstanceOf(SSLException.class);
    }
    try (RedisProcess redis = start(certificateAuthority.issueExpired("server"))) {
      assertThatThrownBy(
              () -> ping(redis, certificateAuthority, certificateAuthority.issue("client")))
          .isInstanceOf(SSLException.class);
    }
  }

  private RedisProcess start(CertificateAuthority.Identity server) {
    return RedisProcess.startWithTls(RedisProgram.jar(), server, certificateAuthority, "yes");
  }

  private static String ping(
      RedisProcess redis, CertificateAuthority trusted, CertificateAuthority.Identity client)
      throws Exception {
    KeyStore trust = KeyStore.getInstance("PKCS12");
    trust.load(null, null);
    trust.setCertificateEntry("ca", read(trusted.certificate()));
    TrustManagerFactory trusts = TrustManagerFactory.getInstance("PKIX");
    trusts.init(trust);

    KeyStore clientKeys = KeyStore.getInstance("PKCS12");
    clientKeys.load(null, null);
    String pem = Files.readString(client.key()).replaceAll("-----[^-]*-----|\n", "");
    var key =
        KeyFactory.getInstance("EC")
            .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(pem)));
    clientKeys.setKeyEntry("me", key, new char[0], new Certificate[] {read(client.certificate())});
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(clientKeys, new char[0]);

    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trusts.getTrustManagers(), null);
    try (SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", redis.tlsPort())) {
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      socket.setSSLParameters(parameters);
      socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
      byte[] reply = socket.getInputStream().readNBytes(5);
      if (reply.length < 5) {
        throw new IOException("no reply");
      }
      return new String(reply, StandardCharsets.US_ASCII);
    }
  }

  private static Certificate read(Path file) throws Exception {
    try (InputStream in = Files.newInputStream(file)) {
      return CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }
}
