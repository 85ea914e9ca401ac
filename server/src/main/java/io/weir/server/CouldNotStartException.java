package io.weir.server;

import org.jspecify.annotations.Nullable;

/** Thrown when the server could not be started; the message has the reason and what to do. */
public final class CouldNotStartException extends RuntimeException {
  private static final long serialVersionUID = 1;

  CouldNotStartException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
