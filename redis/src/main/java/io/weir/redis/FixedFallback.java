package io.weir.redis;

import io.weir.Buckets;
import io.weir.Decision;
import io.weir.OnFailure;
import io.weir.Store;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** Allows or refuses every request. */
final class FixedFallback implements FallbackDecider {
  private final boolean allowed;
  private final LongSupplier epochMillis;
  private final Function<Store.LimiterSpec, Duration> doubt;
  private volatile Store.LimiterSpec limiterSpec;

  /**
   * @param doubt for how long earlier grants remain unknown; zero if that is not the reason
   */
  FixedFallback(
      Store.LimiterSpec limiterSpec,
      LongSupplier epochMillis,
      Function<Store.LimiterSpec, Duration> doubt) {
    this.doubt = doubt;
    this.allowed = limiterSpec.onFailure() == OnFailure.ALLOW;
    this.epochMillis = epochMillis;
    this.limiterSpec = limiterSpec;
  }

  @Override
  public Decision check(String key, long cost) {
    Store.LimiterSpec by = limiterSpec;
    Duration wait = doubt.apply(by);
    return wait.isZero()
        ? Decision.onFailure(allowed, cost, by.limits(), epochMillis.getAsLong())
        : Decision.inDoubt(cost, by.limits(), wait, epochMillis.getAsLong());
  }

  @Override
  public Decision peek(String key, long cost) {
    return check(key, cost);
  }

  @Override
  public Buckets.Receipt take(String key, long cost) {
    return new EmptyReceipt(check(key, cost));
  }

  @Override
  public Buckets.Receipt reserve(String key, long cost, Duration longestWait) {
    return take(key, cost);
  }

  @Override
  public void reconfigure(Store.LimiterSpec changed) {
    limiterSpec = changed;
  }
}
