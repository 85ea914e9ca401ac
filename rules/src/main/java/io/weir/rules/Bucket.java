package io.weir.rules;

import io.weir.Decision;
import java.util.concurrent.CompletionStage;

/** One caller's bucket of a rule: to be looked at and changed by hand. */
public interface Bucket {
  /** Whose limits: a rule's own, or those of one of its variants. */
  Meter meter();

  /** Whose bucket: see {@link Verdict}. */
  String key();

  /** What the next request of cost 1 would be told. Spends nothing. */
  CompletionStage<Decision> peek();

  /** Makes it as good as new. */
  CompletionStage<Void> reset();

  /**
   * Gives permits back; what is full stays full. Fails with {@link
   * io.weir.StoreUnavailableException} if the store could not be told.
   */
  CompletionStage<Void> grant(long permits);
}
