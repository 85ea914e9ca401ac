package io.weir.rules;

import io.weir.Decision;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** One caller's bucket of a rule, for inspection and manual changes. Thread-safe. */
public interface RuleBucket {
  /** The limits: a rule's own, or those of one of its variants. */
  LimitGroup limitGroup();

  /** The key of the bucket: see {@link RuleDecision}. */
  String key();

  /** The decision that the next request of cost 1 would get. Spends nothing. */
  CompletionStage<Decision> peek();

  /**
   * How long until the limit is completely free again if no request comes; for a log, until its
   * newest entry expires. Empty if the store could not be reached. This is the wait of a request
   * for the whole limit.
   *
   * @param limit the index of a limit in {@link #limitGroup}
   */
  CompletionStage<Optional<Duration>> fullAfter(int limit);

  /** Resets it to full. */
  CompletionStage<Void> reset();

  /**
   * Gives permits back, up to full. Fails with {@link io.weir.StoreUnavailableException} if the
   * store could not be reached.
   */
  CompletionStage<Void> grant(long permits);
}
