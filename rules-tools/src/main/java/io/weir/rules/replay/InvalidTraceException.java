package io.weir.rules.replay;

/**
 * Thrown for a file that is not a trace of a known format; the message names the file and the
 * reason.
 */
public final class InvalidTraceException extends RuntimeException {
  private static final long serialVersionUID = 1;

  InvalidTraceException(String message) {
    super(message);
  }
}
