package io.weir.rules;

import java.util.concurrent.CompletionStage;

/**
 * What was charged for a request whose cost is known only afterwards: see {@link
 * RequestLimiter#hold}.
 */
public interface Held {
  /** What the rules said; if they refused, nothing was taken. */
  Ruling ruling();

  /**
   * Corrects the request's own cost to what it turned out to be, once; zero gives everything back.
   * Rules that charge a cost of their own keep it, unless everything is given back.
   *
   * <p>Fails with {@link io.weir.StoreUnavailableException} if a store could not be told. Unless
   * that is in doubt it can be repeated: then only what was not corrected is.
   */
  CompletionStage<Void> settle(long actualCost);

  /**
   * Whether {@link #settle} has corrected a limit, or may have. If it failed before that, it can be
   * repeated at any cost, else at the same cost only.
   */
  boolean isTouched();
}
