package io.weir.redis;

import io.weir.Buckets;
import io.weir.Consistency;
import io.weir.Decision;
import io.weir.Store;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The buckets of one limiter in the place that its consistency requires: Redis, or this process.
 */
final class RoutingBuckets implements Buckets {
  private final RedisStore store;
  private final RedisBuckets redis;
  private @Nullable EventualBuckets eventual;
  private volatile Buckets chosen;

  RoutingBuckets(RedisStore store, Store.LimiterSpec limiterSpec) {
    this.store = store;
    this.redis = new RedisBuckets(store, limiterSpec);
    this.chosen = redis;
    choose(limiterSpec);
  }

  private Runnable choose(Store.LimiterSpec limiterSpec) {
    EventualBuckets before = eventual;
    if (limiterSpec.consistency() != Consistency.EVENTUAL) {
      chosen = redis;
      eventual = null;
      if (before != null) {
        before.leave();
      }
      return () -> {};
    }
    if (before != null) {
      return before.reconfigure(limiterSpec);
    }
    EventualBuckets fresh = new EventualBuckets(store, limiterSpec, redis);
    eventual = fresh;
    chosen = fresh;
    return () -> {};
  }

  @Override
  public synchronized Runnable reconfigure(Store.LimiterSpec limiterSpec) {
    Runnable rest = redis.reconfigure(limiterSpec);
    Runnable more = choose(limiterSpec);
    return () -> {
      rest.run();
      more.run();
    };
  }

  /** A receipt returns to the buckets that issued it. */
  private Buckets issuer(Receipt receipt) {
    return receipt instanceof EventualBuckets.Taken taken ? taken.issuer() : redis;
  }

  @Override
  public void settle(Receipt receipt, long actualCost) {
    issuer(receipt).settle(receipt, actualCost);
  }

  @Override
  public CompletionStage<Void> settleAsync(Receipt receipt, long actualCost) {
    return issuer(receipt).settleAsync(receipt, actualCost);
  }

  @Override
  public boolean tryAcquire(String key, long cost) {
    return chosen.tryAcquire(key, cost);
  }

  @Override
  public Decision check(String key, long cost) {
    return chosen.check(key, cost);
  }

  @Override
  public Decision peek(String key, long cost) {
    return chosen.peek(key, cost);
  }

  @Override
  public boolean has(String key, long cost) {
    return chosen.has(key, cost);
  }

  @Override
  public Receipt take(String key, long cost) {
    return chosen.take(key, cost);
  }

  @Override
  public Receipt reserve(String key, long cost, Duration longestWait) {
    return chosen.reserve(key, cost, longestWait);
  }

  @Override
  public void chargeInFull(String key, long cost) {
    chosen.chargeInFull(key, cost);
  }

  @Override
  public void reject(String key, long cost) {
    chosen.reject(key, cost);
  }

  @Override
  public void refund(String key, long permits) {
    chosen.refund(key, permits);
  }

  @Override
  public void reset(String key) {
    chosen.reset(key);
  }

  /** Uses the same names: a bucket in Redis serves limits of any size. */
  @Override
  public Buckets under(Store.LimiterSpec limiterSpec) {
    return new RoutingBuckets(store, limiterSpec);
  }

  @Override
  public boolean isRemote() {
    return chosen.isRemote();
  }

  @Override
  public boolean mayWait() {
    return chosen.mayWait();
  }

  @Override
  public @Nullable Decision knownRefusal(String key, long cost) {
    return chosen.knownRefusal(key, cost);
  }

  @Override
  public CompletionStage<Decision> glanceAsync(String key, long cost) {
    return chosen.glanceAsync(key, cost);
  }

  @Override
  public CompletionStage<Decision> checkAsync(String key, long cost) {
    return chosen.checkAsync(key, cost);
  }

  @Override
  public CompletionStage<Decision> peekAsync(String key, long cost) {
    return chosen.peekAsync(key, cost);
  }

  @Override
  public CompletionStage<Receipt> takeAsync(String key, long cost) {
    return chosen.takeAsync(key, cost);
  }

  @Override
  public CompletionStage<Receipt> reserveAsync(String key, long cost, Duration longestWait) {
    return chosen.reserveAsync(key, cost, longestWait);
  }

  @Override
  public CompletionStage<Void> chargeInFullAsync(String key, long cost) {
    return chosen.chargeInFullAsync(key, cost);
  }

  @Override
  public CompletionStage<Void> rejectAsync(String key, long cost) {
    return chosen.rejectAsync(key, cost);
  }

  @Override
  public CompletionStage<Void> refundAsync(String key, long permits) {
    return chosen.refundAsync(key, permits);
  }

  @Override
  public CompletionStage<Void> resetAsync(String key) {
    return chosen.resetAsync(key);
  }

  @Override
  public long keys() {
    return chosen.keys();
  }

  @Override
  public long overflowed() {
    return chosen.overflowed();
  }
}
