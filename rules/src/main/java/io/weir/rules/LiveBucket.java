package io.weir.rules;

import io.weir.AsyncRateLimiter;
import io.weir.Decision;
import io.weir.Limit;
import java.util.concurrent.CompletionStage;

/** A bucket where it is kept. */
record LiveBucket(Bound bound, String key) implements Bucket {
  @Override
  public Meter meter() {
    return bound.meter();
  }

  @Override
  public CompletionStage<Decision> peek() {
    CompletionStage<Decision> peeked = limiter().peek(key, 1);
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
