package io.weir.server.connection;

/** A certificate or key that no port can use; the message gives the reason. */
public final class UnusableTlsException extends RuntimeException {
  private static final long serialVersionUID = 1;

  UnusableTlsException(String message) {
    super(message);
  }
}
