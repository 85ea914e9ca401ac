package io.weir.server;

import org.jspecify.annotations.Nullable;

/** The server could not be started; the message says why, and what to do. */
public final class CouldNotStartException extends RuntimeException {
  private static final long serialVersionUID = 1;

  CouldNotStartException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
