package io.weir.server.connection;

import io.vertx.core.Vertx;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServerOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A certificate and its key, in PEM files.
 *
 * @param certificate the certificate and its chain
 * @param clientCa the authority that must have signed client certificates; empty if clients need
 *     none
 */
public record CertificateFiles(Path certificate, Path key, Optional<Path> clientCa) {
  private static final int MAX_BYTES = 1024 * 1024;

  /**
   * Reads the files; blocks.
   *
   * @throws UnusableTlsException if one cannot be read
   */
  public TlsMaterial read() {
    return new TlsMaterial(read(certificate), read(key), clientCa.map(CertificateFiles::read));
  }

  /**
   * The options of a port with this certificate. It requests client certificates like the real
   * port, but also serves clients without one. For the warm-up, which needs no protection.
   */
  public HttpServerOptions openTo(HttpServerOptions options) {
    HttpServerOptions secured = read().addTo(options);
    return clientCa.isPresent() ? secured.setClientAuth(ClientAuth.REQUEST) : secured;
  }

  /**
   * Validates the server's own certificate as if it were a client's, only to load the classes
   * involved. The outcome is ignored. Does nothing if clients need no certificate.
   */
  public void validateAsClient(Vertx vertx) {
    if (clientCa.isPresent()) {
      read().validateAsClient(vertx);
    }
  }

  static String read(Path file) {
    if (Files.exists(file) && !Files.isRegularFile(file)) { // reading a pipe could block forever
      throw new UnusableTlsException(file + " is not a regular file");
    }
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw new UnusableTlsException(file + " is too large for a PEM file");
      }
      // PEM itself is ASCII; comments around it can hold other bytes.
      return new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      throw new UnusableTlsException(file + " does not exist");
    } catch (IOException e) {
      throw new UnusableTlsException(file + " cannot be read: " + e.getMessage());
    }
  }
}
