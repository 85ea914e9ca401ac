package io.weir.rules;

import java.util.concurrent.CompletionStage;

/** A charge for a request with a cost that is known only later: see {@link RequestLimiter#hold}. */
public interface HeldCharge {
  /** The decision; if it is a refusal, nothing was taken. */
  RequestDecision requestDecision();

  /**
   * Corrects the request's own cost to the actual cost, once; zero gives everything back. Rules
   * with a cost of their own keep it, unless everything is given back.
   *
   * <p>Fails with {@link io.weir.StoreUnavailableException} if a store could not be reached. Unless
   * the result is uncertain, the call can be repeated; it then corrects only the rest.
   */
  CompletionStage<Void> settle(long actualCost);

  /**
   * Whether {@link #settle} has corrected a limit, or may have. A failed call without any
   * correction can be repeated at any cost, otherwise only at the same cost.
   */
  boolean isTouched();
}
