package io.weir.redis;

import io.lettuce.core.SslOptions;
import io.weir.redis.RedisSettings.Tls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;

/** The certificates and the key in the settings, read once when the store is opened. */
final class RedisTlsFiles {
  private RedisTlsFiles() {}

  /**
   * The TLS options for Lettuce.
   *
   * @throws IllegalArgumentException if a file cannot be used
   */
  static SslOptions read(RedisSettings settings) {
    Tls tls = settings.tls();
    if (tls == null) {
      return SslOptions.create();
    }
    SslOptions.Builder builder =
        SslOptions.builder().jdkSslProvider().handshakeTimeout(settings.connectTimeout());
    if (tls.ca() != null) {
      builder.trustManager(readable("ca", tls.ca()).toFile());
    }
    if (tls.certificate() != null && tls.key() != null) {
      builder.keyManager(
          readable("cert", tls.certificate()).toFile(),
          readable("key", tls.key()).toFile(),
          tls.keyPassword().isEmpty() ? new char[0] : tls.keyPassword().toCharArray());
    }
    SslOptions options = builder.build();
    try {
      options.createSslContextBuilder().build();
    } catch (IOException | GeneralSecurityException | RuntimeException e) {
      throw new IllegalArgumentException(
          "TLS: one of ca, cert and key cannot be used ("
              + e.getMessage()
              + "); they must be PEM files, the key as PKCS #8, which \"openssl pkcs8 -topk8\""
              + " makes of others");
    }
    return options;
  }

  private static Path readable(String name, Path file) {
    if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
      throw new IllegalArgumentException(
          "TLS: "
              + name
              + " '"
              + file
              + "' "
              + (Files.exists(file) ? "cannot be read" : "does not exist")
              + "; name a PEM file");
    }
    return file;
  }
}
