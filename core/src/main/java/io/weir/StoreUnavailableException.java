package io.weir;

import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when the store is unavailable for an operation that has no fallback, like {@link
 * RateLimiter#reset} or the correction of a charge. A decision never fails this way: see {@link
 * OnFailure}.
 */
public final class StoreUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final boolean inDoubt;

  /**
   * Creates an exception for an operation that was not done.
   *
   * @param message the operation, and why it failed
   */
  public StoreUnavailableException(String message) {
    this(message, false);
  }

  /**
   * Creates an exception for an operation that may have been done.
   *
   * @param message the operation, and why it failed
   * @param inDoubt whether it may have been done all the same
   */
  public StoreUnavailableException(String message, boolean inDoubt) {
    super(message);
    this.inDoubt = inDoubt;
  }

  /**
   * Whether the operation may have been done all the same: it was sent, and no response arrived.
   * Repeating it may then do it twice. If this is false, nothing was done.
   */
  public boolean isInDoubt() {
    return inDoubt;
  }

  /**
   * Whether {@code failure}, possibly of a stage, guarantees that nothing was done; false if it is
   * another kind of failure, or null.
   */
  public static boolean isUndone(@Nullable Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof StoreUnavailableException unavailable && !unavailable.inDoubt;
  }
}
