package io.weir.server.connection;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.ServerSSLOptions;
import io.vertx.core.net.TrustOptions;
import io.weir.TimeSource;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.KeyManager;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509KeyManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** The contents of certificate and key files; immutable, so validation and use see the same. */
public record TlsMaterial(String certificate, String key, Optional<String> clientCa) {
  private static final System.Logger LOG = System.getLogger("io.weir.server");
  private static final Set<String> VERSIONS = new LinkedHashSet<>(List.of("TLSv1.3", "TLSv1.2"));
  private static final List<String> KEY_TYPES = List.of("EC", "RSA", "EdDSA");

  /** The options of a new port. */
  public HttpServerOptions addTo(HttpServerOptions options) {
    HttpServerOptions secured = new HttpServerOptions(options);
    secured.setSsl(true).setUseAlpn(true).setEnabledSecureTransportProtocols(VERSIONS);
    secured.setKeyCertOptions(pair());
    clientCa.ifPresent(
        ca -> secured.setTrustOptions(authorities(ca)).setClientAuth(ClientAuth.REQUIRED));
    return secured;
  }

  /** The options that update an open port. */
  public ServerSSLOptions options() {
    ServerSSLOptions options = new ServerSSLOptions();
    options.setUseAlpn(true);
    options.setEnabledSecureTransportProtocols(VERSIONS);
    options.setKeyCertOptions(pair());
    clientCa.ifPresent(
        ca -> {
          options.setTrustOptions(authorities(ca));
          options.setClientAuth(ClientAuth.REQUIRED);
        });
    return options;
  }

  private KeyCertOptions pair() {
    return new PemKeyCertOptions().setCertValue(buffer(certificate)).setKeyValue(buffer(key));
  }

  private static TrustOptions authorities(String pem) {
    return new PemTrustOptions().addCertValue(buffer(pem));
  }

  private static Buffer buffer(String pem) {
    return Buffer.buffer(pem.getBytes(StandardCharsets.ISO_8859_1));
  }

  /**
   * Validates this and returns the certificate.
   *
   * @throws UnusableTlsException if something is missing or broken, or the key does not match
   */
  public X509Certificate require(Vertx vertx) {
    Pair pair = readPair(vertx);
    if (!pair.belongsTogether()) {
      throw new UnusableTlsException("the key does not belong to the certificate");
    }
    clientCa.ifPresent(ca -> requireAuthorities(vertx, ca));
    return pair.certificate;
  }

  /** {@link #require}; the certificate must also be valid at {@code now}. */
  X509Certificate requireCurrent(Vertx vertx, TimeSource time) {
    X509Certificate found = require(vertx);
    if (!isCurrent(found, time)) {
      throw new UnusableTlsException(
          "the certificate is valid only from "
              + found.getNotBefore().toInstant()
              + " until "
              + found.getNotAfter().toInstant());
    }
    return found;
  }

  /** See {@link CertificateFiles#validateAsClient}. */
  void validateAsClient(Vertx vertx) {
    X509Certificate[] own = {readPair(vertx).certificate};
    try {
      String pem = clientCa.orElseThrow();
      for (TrustManager each : authorities(pem).getTrustManagerFactory(vertx).getTrustManagers()) {
        if (each instanceof X509TrustManager trusting) {
          trusting.checkClientTrusted(own, own[0].getPublicKey().getAlgorithm());
        }
      }
    } catch (Exception e) { // the type that getTrustManagerFactory declares
      LOG.log(System.Logger.Level.TRACE, "not a client''s certificate: {0}", e.getMessage());
    }
  }

  public static boolean isCurrent(X509Certificate certificate, TimeSource time) {
    Instant now = Instant.ofEpochSecond(0, time.epochNanos());
    return !now.isBefore(certificate.getNotBefore().toInstant())
        && !now.isAfter(certificate.getNotAfter().toInstant());
  }

  private Pair readPair(Vertx vertx) {
    try {
      for (KeyManager manager : pair().getKeyManagerFactory(vertx).getKeyManagers()) {
        Pair found = manager instanceof X509KeyManager keys ? find(keys) : null;
        if (found != null) {
          return found;
        }
      }
    } catch (Exception e) { // the type that getKeyManagerFactory declares
      throw new UnusableTlsException("certificate or key cannot be read: " + why(e));
    }
    throw new UnusableTlsException("there is no certificate with a key");
  }

  private static @Nullable Pair find(X509KeyManager keys) {
    for (String type : KEY_TYPES) {
      String[] aliases = keys.getServerAliases(type, null);
      if (aliases != null && aliases.length > 0) {
        return new Pair(keys.getCertificateChain(aliases[0])[0], keys.getPrivateKey(aliases[0]));
      }
    }
    return null;
  }

  private static void requireAuthorities(Vertx vertx, String pem) {
    try {
      if (authorities(pem).getTrustManagerFactory(vertx).getTrustManagers().length == 0) {
        throw new UnusableTlsException("the client CA holds no certificate");
      }
    } catch (UnusableTlsException e) {
      throw e;
    } catch (Exception e) { // the type that getTrustManagerFactory declares
      throw new UnusableTlsException("the client CA cannot be read: " + why(e));
    }
  }

  private static String why(Exception e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }

  @Override
  public String toString() {
    return "TlsMaterial"; // keeps the key out of logs
  }

  private record Pair(X509Certificate certificate, PrivateKey key) {
    /** Whether the certificate verifies a signature made with the key. */
    boolean belongsTogether() {
      byte[] text = {1, 2, 3};
      try {
        Signature signature = Signature.getInstance(algorithm());
        signature.initSign(key);
        signature.update(text);
        byte[] signed = signature.sign();
        signature.initVerify(certificate.getPublicKey());
        signature.update(text);
        return signature.verify(signed);
      } catch (GeneralSecurityException e) {
        return false; // of different algorithms
      }
    }

    private String algorithm() {
      return switch (key.getAlgorithm()) {
        case "RSA" -> "SHA256withRSA";
        case "EC" -> "SHA256withECDSA";
        default -> key.getAlgorithm();
      };
    }
  }
}
