package io.weir.server.http;

/** A certificate or key that no port can be opened with; the message says why. */
public final class UnusableTlsException extends RuntimeException {
  private static final long serialVersionUID = 1;

  UnusableTlsException(String message) {
    super(message);
  }
}
