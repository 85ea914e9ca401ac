package io.weir;

import java.time.Duration;

/** Buckets that do what others do, but for what a test changes. */
abstract class ForwardingBuckets implements Buckets {
  final Buckets buckets;

  ForwardingBuckets(Buckets buckets) {
    this.buckets = buckets;
  }

  @Override
  public Decision peek(String key, long cost) {
    return buckets.peek(key, cost);
  }

  @Override
  public Receipt take(String key, long cost) {
    return buckets.take(key, cost);
  }

  @Override
  public Receipt reserve(String key, long cost, Duration longestWait) {
    return buckets.reserve(key, cost, longestWait);
  }

  @Override
  public void settle(Receipt receipt, long actualCost) {
    buckets.settle(receipt, actualCost);
  }

  @Override
  public void reject(String key, long cost) {
    buckets.reject(key, cost);
  }

  @Override
  public void refund(String key, long permits) {
    buckets.refund(key, permits);
  }

  @Override
  public void reset(String key) {
    buckets.reset(key);
  }

  @Override
  public Runnable reconfigure(Store.LimiterSpec limiterSpec) {
    return buckets.reconfigure(limiterSpec);
  }

  @Override
  public long keys() {
    return buckets.keys();
  }

  @Override
  public long overflowed() {
    return buckets.overflowed();
  }
}
