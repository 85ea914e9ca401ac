package io.weir;

/**
 * A store could not be asked to do what has no other answer, like to {@link RateLimiter#reset} a
 * key. A decision never fails so: see {@link OnFailure}.
 */
public final class StoreUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** With what was to be done, and why it could not be. */
  public StoreUnavailableException(String message) {
    super(message);
  }
}
