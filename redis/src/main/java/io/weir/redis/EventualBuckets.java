package io.weir.redis;

import io.weir.Buckets;
import io.weir.Consistency;
import io.weir.Decision;
import io.weir.Origin;
import io.weir.Store;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The buckets of one limiter in this process, which learn the grants of other nodes. Thread-safe.
 *
 * <p>A check costs about two checks in memory. No call waits for Redis, except a reset.
 */
final class EventualBuckets implements Buckets {
  /*
   * Each node has the whole limit and decides by it. It sends its grants to Redis and receives
   * those of other nodes; docs/explanation/consistency.md has the possible excess. Redis keeps the
   * same buckets as for an exact limiter: for nodes that start later, and for a later change back
   * to exact.
   */

  private final RedisStore store;
  private final RedisBuckets redis;
  private final RedisCounters redisCounters;
  private final Buckets local;
  private final CounterSync counterSync;
  private volatile Store.LimiterSpec limiterSpec;

  /** Uses {@code redis} for corrections in Redis, and for decisions while it is away. */
  EventualBuckets(RedisStore store, Store.LimiterSpec limiterSpec, RedisBuckets redis) {
    this.store = store;
    this.limiterSpec = limiterSpec;
    this.redis = redis;
    this.redisCounters = store.redisCounters();
    this.local = Store.memory().open(here(limiterSpec));
    this.counterSync =
        new CounterSync(store.syncManager(), plan(limiterSpec), local, limiterSpec.maxKeys());
  }

  private static Store.LimiterSpec here(Store.LimiterSpec limiterSpec) {
    return new Store.LimiterSpec(
        limiterSpec.name(),
        limiterSpec.limits(),
        limiterSpec.overflow(),
        limiterSpec.maxKeys(),
        limiterSpec.time(),
        limiterSpec.onFailure(),
        Consistency.EXACT);
  }

  private ScriptPlan plan(Store.LimiterSpec limiterSpec) {
    return ScriptPlan.eventual(store.settings().prefix(), limiterSpec.name(), limiterSpec.limits());
  }

  /** Whether the grants of other nodes are unknown, so that {@code on_failure} decides. */
  private boolean isCut(String key) {
    return store.isCut(counterSync.scriptPlan(), key) || counterSync.isCutOff(key);
  }

  private Decision withoutRedis(Decision decision) {
    return store.withoutRedis(limiterSpec, decision);
  }

  private Receipt withoutRedis(Receipt receipt) {
    store.withoutRedis(limiterSpec, receipt.decision());
    return receipt;
  }

  private void granted(String key, long permits) {
    if (permits > 0) {
      counterSync.granted(key, permits);
      redis.fallbackDecider().granted(key, permits);
    }
  }

  @Override
  public boolean tryAcquire(String key, long cost) {
    if (isCut(key)) {
      return withoutRedis(redis.fallbackDecider().check(key, cost)).allowed();
    }
    redisCounters.decided(Origin.MEMORY);
    boolean isGranted = local.tryAcquire(key, cost);
    if (isGranted) {
      granted(key, cost);
    }
    return isGranted;
  }

  @Override
  public Decision check(String key, long cost) {
    if (isCut(key)) {
      return withoutRedis(redis.fallbackDecider().check(key, cost));
    }
    redisCounters.decided(Origin.MEMORY);
    Decision decision = local.check(key, cost);
    if (decision.allowed()) {
      granted(key, cost);
    }
    return decision;
  }

  @Override
  public Decision peek(String key, long cost) {
    return isCut(key) ? redis.fallbackDecider().peek(key, cost) : local.peek(key, cost);
  }

  @Override
  public boolean has(String key, long cost) {
    return isCut(key) ? redis.fallbackDecider().peek(key, cost).allowed() : local.has(key, cost);
  }

  @Override
  public Receipt take(String key, long cost) {
    return isCut(key)
        ? withoutRedis(redis.fallbackDecider().take(key, cost))
        : taken(key, () -> local.take(key, cost));
  }

  @Override
  public Receipt reserve(String key, long cost, Duration longestWait) {
    return isCut(key)
        ? withoutRedis(redis.fallbackDecider().reserve(key, cost, longestWait))
        : taken(key, () -> local.reserve(key, cost, longestWait));
  }

  private Receipt taken(String key, Supplier<Receipt> take) {
    UnsyncedGrants unsyncedGrants = counterSync.known(key);
    int messages = unsyncedGrants == null ? 0 : unsyncedGrants.messages();
    redisCounters.decided(Origin.MEMORY);
    Receipt receipt = take.get();
    if (receipt.decision().allowed()) {
      granted(key, receipt.decision().cost());
    }
    return new Taken(this, key, receipt, unsyncedGrants, messages);
  }

  /** A charge taken locally, with the number of messages sent before. */
  record Taken(
      EventualBuckets issuer,
      String key,
      Receipt here,
      @Nullable UnsyncedGrants unsyncedGrants,
      int messages)
      implements Receipt {
    @Override
    public Decision decision() {
      return here.decision();
    }
  }

  // Corrections.

  /**
   * Permits are given back locally. Other nodes receive the correction only if they have not
   * received the charge: a sent charge is part of a window or a log and cannot be identified there.
   */
  @Override
  public void settle(Receipt receipt, long actualCost) {
    if (!(receipt instanceof Taken taken)) {
      redis.settle(receipt, actualCost);
      return;
    }
    if (!taken.decision().allowed()) {
      return;
    }
    String key = taken.key();
    long cost = taken.decision().cost();
    local.settle(taken.here(), actualCost);
    if (actualCost > cost) {
      granted(key, actualCost - cost);
    } else if (actualCost < cost) {
      redis.fallbackDecider().refund(key, cost - actualCost);
      if (taken.unsyncedGrants() != null) {
        taken.unsyncedGrants().takeBack(cost - actualCost, taken.messages());
      }
    }
  }

  @Override
  public CompletionStage<Void> settleAsync(Receipt receipt, long actualCost) {
    if (!(receipt instanceof Taken)) {
      return redis.settleAsync(receipt, actualCost);
    }
    settle(receipt, actualCost);
    return CompletableFuture.completedStage(null);
  }

  @Override
  public void chargeInFull(String key, long cost) {
    local.chargeInFull(key, cost);
    granted(key, cost);
  }

  /** Limits that count rejected requests do not support eventual consistency. */
  @Override
  public void reject(String key, long cost) {}

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // no caller waits for it or repeats it
  public void refund(String key, long permits) {
    long untold = counterSync.takeBack(key, permits);
    redis.fallbackDecider().refund(key, untold);
    if (permits > untold) {
      redis.refundOnce(key, permits - untold);
    }
    local.refund(key, permits);
  }

  /** The local refund follows the one in Redis, because a caller may repeat a failed call. */
  @Override
  public CompletionStage<Void> refundAsync(String key, long permits) {
    long untold = counterSync.takeBack(key, permits);
    CompletionStage<Void> corrected =
        permits > untold
            ? redis.refundAsync(key, permits - untold)
            : CompletableFuture.completedStage(null);
    return corrected.whenComplete(
        (done, failure) -> {
          if (failure == null) {
            redis.fallbackDecider().refund(key, untold);
            local.refund(key, permits);
          } else if (untold > 0) {
            counterSync.granted(key, untold);
          }
        });
  }

  @Override
  public void reset(String key) {
    forget(key);
    redis.reset(key);
  }

  @Override
  public CompletionStage<Void> resetAsync(String key) {
    forget(key);
    return redis.resetAsync(key);
  }

  private void forget(String key) {
    counterSync.forget(key);
    local.reset(key);
  }

  // Changes.

  @Override
  public Runnable reconfigure(Store.LimiterSpec changed) {
    limiterSpec = changed;
    Runnable rest = local.reconfigure(here(changed));
    counterSync.changeTo(plan(changed));
    return rest;
  }

  /** Sends all unsent grants, because other buckets decide from now on. */
  void leave() {
    counterSync.flush();
  }

  @Override
  public long keys() {
    return local.keys();
  }

  @Override
  public long overflowed() {
    return local.overflowed();
  }
}
