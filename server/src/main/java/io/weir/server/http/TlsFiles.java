package io.weir.server.http;

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
 * A certificate with its key, in PEM files.
 *
 * @param certificate with those that lead to its authority
 * @param clientCa whose certificates clients must have; empty: they need none
 */
public record TlsFiles(Path certificate, Path key, Optional<Path> clientCa) {
  private static final int LONGEST = 1024 * 1024;

  /**
   * What the files hold now.
   *
   * @throws UnusableTlsException if one cannot be read
   */
  TlsMaterial read() {
    return new TlsMaterial(read(certificate), read(key), clientCa.map(TlsFiles::read));
  }

  /**
   * A port with this certificate that asks for client certificates as the real one does, but serves
   * clients without: for a warm-up, in which nothing is at stake.
   */
  public HttpServerOptions openTo(HttpServerOptions options) {
    HttpServerOptions secured = read().addTo(options);
    return clientCa.isPresent() ? secured.setClientAuth(ClientAuth.REQUEST) : secured;
  }

  /**
   * Validates the server's own certificate as if a client had shown it, for what that loads.
   * Whether it is a valid one makes no difference. Does nothing where clients need no certificate.
   */
  public void validateAsClient(Vertx vertx) {
    if (clientCa.isPresent()) {
      read().validateAsClient(vertx);
    }
  }

  static String read(Path file) {
    if (Files.exists(file) && !Files.isRegularFile(file)) { // a pipe would be waited for
      throw new UnusableTlsException(file + " is not a regular file");
    }
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(LONGEST + 1);
      if (bytes.length > LONGEST) {
        throw new UnusableTlsException(file + " is too large for a PEM file");
      }
      // PEM is ASCII; what is not is around it.
      return new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      throw new UnusableTlsException(file + " does not exist");
    } catch (IOException e) {
      throw new UnusableTlsException(file + " cannot be read: " + e.getMessage());
    }
  }
}
