package io.weir.rules;

import io.weir.AsyncRateLimiter;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.Origin;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A bucket in a store. */
record LiveBucket(Bound bound, String key) implements Bucket {
  @Override
  public Meter meter() {
    return bound.meter();
  }

  @Override
  public CompletionStage<Decision> peek() {
    return peek(1);
  }

  @Override
  public CompletionStage<Optional<Duration>> fullAfter(int limit) {
    long all = meter().limits().get(limit).capacity();
    return all == 0
        ? CompletableFuture.completedFuture(Optional.of(Duration.ZERO))
        : peek(all).thenApply(peeked -> wait(peeked, limit));
  }

  private static Optional<Duration> wait(Decision peeked, int limit) {
    return peeked.origin() == Origin.FAILURE
        ? Optional.empty()
        : Optional.of(peeked.standings().get(limit).retryAfter().orElse(Duration.ZERO));
  }

  private CompletionStage<Decision> peek(long cost) {
    CompletionStage<Decision> peeked = limiter().peek(key, cost);
    return bound.isCounting()
        ? peeked.thenApply(counted -> Counting.explainPeek(meter().limits(), counted))
        : peeked;
  }

  @Override
  public CompletionStage<Void> reset() {
    return limiter().reset(key);
  }

  @Override
  public CompletionStage<Void> grant(long permits) {
    return limiter().refund(key, Math.min(permits, Limit.MAX_PERMITS));
  }

  private AsyncRateLimiter limiter() {
    return bound.limiter().async();
  }
}
