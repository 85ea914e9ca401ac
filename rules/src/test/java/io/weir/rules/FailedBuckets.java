package io.weir.rules;

import io.weir.Buckets;
import io.weir.Decision;
import io.weir.OnFailure;
import io.weir.Store;
import java.time.Duration;

/** Buckets of a store that is never reachable. */
public final class FailedBuckets implements Buckets {
  private Store.LimiterSpec limiterSpec;

  public FailedBuckets(Store.LimiterSpec limiterSpec) {
    this.limiterSpec = limiterSpec;
  }

  @Override
  public Buckets under(Store.LimiterSpec other) {
    return new FailedBuckets(other);
  }

  @Override
  public Decision peek(String key, long cost) {
    boolean allowed = limiterSpec.onFailure() == OnFailure.ALLOW;
    return Decision.onFailure(allowed, cost, limiterSpec.limits(), 0);
  }

  @Override
  public Receipt take(String key, long cost) {
    Decision decision = peek(key, cost);
    return () -> decision;
  }

  @Override
  public Receipt reserve(String key, long cost, Duration longestWait) {
    return take(key, cost);
  }

  @Override
  public void settle(Receipt receipt, long actualCost) {}

  @Override
  public void reject(String key, long cost) {}

  @Override
  public void refund(String key, long permits) {}

  @Override
  public void reset(String key) {}

  @Override
  public Runnable reconfigure(Store.LimiterSpec changed) {
    limiterSpec = changed;
    return () -> {};
  }

  @Override
  public long keys() {
    return 0;
  }

  @Override
  public long overflowed() {
    return 0;
  }
}
