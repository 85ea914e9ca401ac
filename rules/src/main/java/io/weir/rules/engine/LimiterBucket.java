package io.weir.rules.engine;

import io.weir.AsyncRateLimiter;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.Origin;
import io.weir.rules.LimitGroup;
import io.weir.rules.RuleBucket;
import io.weir.rules.envoy.EnvoyCounting;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A bucket in a store. */
public record LimiterBucket(LimiterHandle limiterHandle, String key) implements RuleBucket {
  @Override
  public LimitGroup limitGroup() {
    return limiterHandle.limitGroup();
  }

  @Override
  public CompletionStage<Decision> peek() {
    return peek(1);
  }

  @Override
  public CompletionStage<Optional<Duration>> fullAfter(int limit) {
    long all = limitGroup().limits().get(limit).capacity();
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
    return limiterHandle.isCounting()
        ? peeked.thenApply(counted -> EnvoyCounting.explainPeek(limitGroup().limits(), counted))
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
    return limiterHandle.limiter().async();
  }
}
