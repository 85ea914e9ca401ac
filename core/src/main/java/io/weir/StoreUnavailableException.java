package io.weir;

import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * A store could not be asked to do what has no other answer, like to {@link RateLimiter#reset} a
 * key, or to correct a charge. A decision never fails so: see {@link OnFailure}.
 */
public final class StoreUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final boolean inDoubt;

  /** With what was to be done, and why it could not be. It was not done. */
  public StoreUnavailableException(String message) {
    this(message, false);
  }

  /**
   * With what was to be done, and why it could not be.
   *
   * @param inDoubt whether it may have been done all the same
   */
  public StoreUnavailableException(String message, boolean inDoubt) {
    super(message);
    this.inDoubt = inDoubt;
  }

  /**
   * Whether it may have been done all the same: the store was told, and its answer did not come.
   * Who repeats it then may do it twice. If this is false, nothing was done.
   */
  public boolean isInDoubt() {
    return inDoubt;
  }

  /**
   * Whether {@code failure}, of a stage perhaps, says that nothing was done; not if it is of
   * another kind, or null.
   */
  public static boolean isUndone(@Nullable Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof StoreUnavailableException unavailable && !unavailable.inDoubt;
  }
}
