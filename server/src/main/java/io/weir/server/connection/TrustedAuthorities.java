package io.weir.server.connection;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.TrustOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.function.Function;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** The certificate authorities that outgoing TLS connections trust. */
public final class TrustedAuthorities {
  private TrustedAuthorities() {}

  /**
   * The platform's default authorities and those of a PEM file. Reads the file, so it blocks.
   *
   * @throws UnusableTlsException if the file holds no certificate
   */
  public static TrustOptions wellKnownAnd(Vertx vertx, Path file) {
    Buffer pem = Buffer.buffer(CertificateFiles.read(file).getBytes(StandardCharsets.ISO_8859_1));
    try {
      KeyStore all = KeyStore.getInstance(KeyStore.getDefaultType());
      all.load(null, null);
      TrustManagerFactory known =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      known.init((KeyStore) null);
      add(known.getTrustManagers(), "known", all);
      int before = all.size();
      PemTrustOptions more = new PemTrustOptions().addCertValue(pem);
      add(more.getTrustManagerFactory(vertx).getTrustManagers(), "file", all);
      if (all.size() == before) {
        throw new UnusableTlsException(file + " holds no certificate");
      }
      TrustManagerFactory both =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      both.init(all);
      return new Fixed(both);
    } catch (UnusableTlsException e) {
      throw e;
    } catch (Exception e) { // the checked type that getTrustManagerFactory declares
      throw new UnusableTlsException(file + " holds no certificates of authorities: " + e);
    }
  }

  private static void add(TrustManager[] managers, String prefix, KeyStore to)
      throws GeneralSecurityException, IOException {
    int number = 0;
    for (TrustManager manager : managers) {
      if (manager instanceof X509TrustManager trust) {
        for (X509Certificate certificate : trust.getAcceptedIssuers()) {
          to.setCertificateEntry(prefix + number, certificate);
          number++;
        }
      }
    }
  }

  /**
   * A fixed set of authorities. {@link TrustOptions#wrap} would do, but in Vert.x 5.0.12 it needs
   * SLF4J, which {@code weir.jar} does not have.
   */
  private record Fixed(TrustManagerFactory factory) implements TrustOptions {
    @Override
    public TrustOptions copy() {
      return this;
    }

    @Override
    public TrustManagerFactory getTrustManagerFactory(Vertx vertx) {
      return factory;
    }

    @Override
    public Function<String, TrustManager[]> trustManagerMapper(Vertx vertx) {
      return serverName -> factory.getTrustManagers();
    }
  }
}
