package io.weir;

import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The joint outcome of several corrections that are made at the same time. It is reported when all
 * of them have ended.
 */
public final class Corrections {
  private Corrections() {}

  /**
   * For corrections that have no effect when they are repeated after they succeeded, like {@link
   * Receipts#settleAsync}. If one can be repeated, all can. Then nothing is in doubt, whatever
   * happened to the others.
   */
  public static CompletionStage<Void> repeatable(Collection<? extends CompletionStage<?>> all) {
    return together(all, true);
  }

  /**
   * For corrections that count each time they are made, like {@link AsyncRateLimiter#refund}. Once
   * one was made, or may have been, the whole is in doubt if another was not.
   */
  public static CompletionStage<Void> once(Collection<? extends CompletionStage<?>> all) {
    return together(all, false);
  }

  private static CompletionStage<Void> together(
      Collection<? extends CompletionStage<?>> all, boolean areRepeatable) {
    CompletableFuture<?>[] futures =
        all.stream().map(CompletionStage::toCompletableFuture).toArray(CompletableFuture[]::new);
    CompletableFuture<Void> end = CompletableFuture.allOf(futures);
    if (end.isDone() && !end.isCompletedExceptionally()) {
      return end;
    }
    return end.handle((done, failure) -> failure == null ? null : worst(futures, areRepeatable))
        .thenCompose(
            worst ->
                worst == null
                    ? CompletableFuture.completedStage(null)
                    : CompletableFuture.failedStage(worst));
  }

  private static Throwable worst(CompletableFuture<?>[] futures, boolean areRepeatable) {
    Throwable undone = null;
    Throwable doubtful = null;
    boolean isPartlyDone = false;
    for (CompletableFuture<?> future : futures) {
      Throwable failure = failure(future);
      if (failure == null) {
        isPartlyDone = true;
      } else if (failure instanceof StoreUnavailableException known && !known.isInDoubt()) {
        undone = known;
      } else if (doubtful == null || !(failure instanceof StoreUnavailableException)) {
        doubtful = failure; // unexpected failures are reported first
      }
    }
    if (undone == null || doubtful == null) {
      Throwable only = undone == null ? doubtful : undone;
      if (only == null) {
        throw new IllegalStateException("none has failed");
      }
      return undone != null && isPartlyDone && !areRepeatable ? inPart(undone) : only;
    }
    return areRepeatable ? undone : doubtful;
  }

  private static StoreUnavailableException inPart(Throwable undone) {
    return new StoreUnavailableException("done in part: " + undone.getMessage(), true);
  }

  private static @Nullable Throwable failure(CompletableFuture<?> ended) {
    try {
      ended.join();
      return null;
    } catch (CompletionException e) {
      return e.getCause() == null ? e : e.getCause();
    } catch (RuntimeException e) { // it was cancelled
      return e;
    }
  }
}
