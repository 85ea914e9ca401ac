package io.weir.rules;

import io.weir.Decision;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** One caller's bucket of a rule: to be looked at and changed by hand. */
public interface Bucket {
  /** Whose limits: a rule's own, or those of one of its variants. */
  Meter meter();

  /** Whose bucket: see {@link Verdict}. */
  String key();

  /** What the next request of cost 1 would be told. Spends nothing. */
  CompletionStage<Decision> peek();

  /**
   * How long until all of a limit is there again if nothing is asked for meanwhile: of a log, until
   * its newest entry ends. Empty where the store could not be asked. That is what a request for all
   * of it would be told to wait.
   *
   * @param limit one of those of {@link #meter}, by its place
   */
  CompletionStage<Optional<Duration>> fullAfter(int limit);

  /** Resets it to full. */
  CompletionStage<Void> reset();

  /**
   * Gives permits back; what is full stays full. Fails with {@link
   * io.weir.StoreUnavailableException} if the store could not be told.
   */
  CompletionStage<Void> grant(long permits);
}
