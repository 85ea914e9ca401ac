package io.weir.rules;

import io.weir.Buckets;
import io.weir.Decision;
import io.weir.OnFailure;
import io.weir.Store;
import java.time.Duration;

/** Those of a store that can never be asked. */
final class FailedBuckets implements Buckets {
  private Store.Blueprint blueprint;

  FailedBuckets(Store.Blueprint blueprint) {
    this.blueprint = blueprint;
  }

  @Override
  public Buckets under(Store.Blueprint other) {
    return new FailedBuckets(other);
  }

  @Override
  public Decision peek(String key, long cost) {
    boolean allowed = blueprint.onFailure() == OnFailure.ALLOW;
    return Decision.onFailure(allowed, cost, blueprint.limits(), 0);
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
  public Runnable reconfigure(Store.Blueprint changed) {
    blueprint = changed;
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
