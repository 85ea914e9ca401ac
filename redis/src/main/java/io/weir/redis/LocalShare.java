package io.weir.redis;

import io.weir.Buckets;
import io.weir.Decision;
import io.weir.Store;
import java.time.Duration;

/** First form; see below. */
final class LocalShare {
  LocalShare(Store.Blueprint blueprint, int nodes) {}

  /** Redis has granted {@code cost}: it is spent here too. */
  void granted(String key, long cost) {}

  /** Gives back what Redis was told to take back. */
  void refund(String key, long permits) {}

  void reset(String key) {}

  boolean tryAcquire(String key, long cost) {
    throw new UnsupportedOperationException();
  }

  Decision check(String key, long cost) {
    throw new UnsupportedOperationException();
  }

  Decision peek(String key, long cost) {
    throw new UnsupportedOperationException();
  }

  Buckets.Receipt take(String key, long cost) {
    throw new UnsupportedOperationException();
  }

  Buckets.Receipt reserve(String key, long cost, Duration longestWait) {
    throw new UnsupportedOperationException();
  }

  void settle(Buckets.Receipt receipt, long actualCost) {}

  void reject(String key, long cost) {}

  Runnable reconfigure(Store.Blueprint blueprint) {
    return () -> {};
  }

  /** There are {@code nodes} now. */
  Runnable share(int nodes) {
    return () -> {};
  }
}
