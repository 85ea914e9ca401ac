package io.weir.rules.replay;

/** A file that is no trace of any known format; the message names the file and says why. */
public final class InvalidTraceException extends RuntimeException {
  private static final long serialVersionUID = 1;

  InvalidTraceException(String message) {
    super(message);
  }
}
