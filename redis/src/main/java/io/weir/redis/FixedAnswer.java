package io.weir.redis;

import io.weir.Buckets;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.Origin;
import io.weir.Store;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

/** Yes to everybody, or no. */
final class FixedAnswer implements Fallback {
  private final boolean allowed;
  private final LongSupplier epochMillis;
  private volatile List<Limit> limits;

  FixedAnswer(Store.Blueprint blueprint, LongSupplier epochMillis) {
    this.allowed = blueprint.onFailure() == OnFailure.ALLOW;
    this.epochMillis = epochMillis;
    this.limits = blueprint.limits();
  }

  @Override
  public Origin origin() {
    return Origin.FAILURE;
  }

  @Override
  public Decision check(String key, long cost) {
    return Decision.onFailure(allowed, cost, limits, epochMillis.getAsLong());
  }

  @Override
  public Decision peek(String key, long cost) {
    return check(key, cost);
  }

  @Override
  public Buckets.Receipt take(String key, long cost) {
    return new Untaken(check(key, cost));
  }

  @Override
  public Buckets.Receipt reserve(String key, long cost, Duration longestWait) {
    return take(key, cost);
  }

  @Override
  public void reconfigure(Store.Blueprint blueprint) {
    limits = blueprint.limits();
  }
}
