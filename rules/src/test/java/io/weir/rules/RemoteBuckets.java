package io.weir.rules;

import io.weir.Buckets;
import io.weir.Decision;
import io.weir.Store;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Remote buckets: results complete later, on {@code executor}. The blocking methods throw, because
 * no caller may wait.
 */
public record RemoteBuckets(Buckets buckets, Executor executor) implements Buckets {
  public static Store store(Executor executor) {
    return limiterSpec -> new RemoteBuckets(Store.memory().open(limiterSpec), executor);
  }

  private <T> CompletionStage<T> later(Supplier<T> result) {
    return CompletableFuture.supplyAsync(result, executor);
  }

  private static UnsupportedOperationException waiting() {
    return new UnsupportedOperationException("this would wait");
  }

  @Override
  public Buckets under(Store.LimiterSpec limiterSpec) {
    return new RemoteBuckets(buckets.under(limiterSpec), executor);
  }

  @Override
  public boolean isRemote() {
    return true;
  }

  @Override
  public CompletionStage<Decision> checkAsync(String key, long cost) {
    return later(() -> buckets.check(key, cost));
  }

  @Override
  public CompletionStage<Decision> peekAsync(String key, long cost) {
    return later(() -> buckets.peek(key, cost));
  }

  @Override
  public CompletionStage<Receipt> takeAsync(String key, long cost) {
    return later(() -> buckets.take(key, cost));
  }

  @Override
  public CompletionStage<Void> settleAsync(Receipt receipt, long actualCost) {
    return later(() -> null).thenAccept(nothing -> buckets.settle(receipt, actualCost));
  }

  @Override
  public CompletionStage<Void> chargeInFullAsync(String key, long cost) {
    return later(() -> null).thenAccept(nothing -> buckets.chargeInFull(key, cost));
  }

  @Override
  public CompletionStage<Void> rejectAsync(String key, long cost) {
    return later(() -> null).thenAccept(nothing -> buckets.reject(key, cost));
  }

  @Override
  public CompletionStage<Void> refundAsync(String key, long permits) {
    return later(() -> null).thenAccept(nothing -> buckets.refund(key, permits));
  }

  @Override
  public CompletionStage<Void> resetAsync(String key) {
    return later(() -> null).thenAccept(nothing -> buckets.reset(key));
  }

  @Override
  public Decision peek(String key, long cost) {
    throw waiting();
  }

  @Override
  public Receipt take(String key, long cost) {
    throw waiting();
  }

  @Override
  public Receipt reserve(String key, long cost, Duration longestWait) {
    throw waiting();
  }

  @Override
  public void settle(Receipt receipt, long actualCost) {
    throw waiting();
  }

  @Override
  public void reject(String key, long cost) {
    throw waiting();
  }

  @Override
  public void refund(String key, long permits) {
    throw waiting();
  }

  @Override
  public void reset(String key) {
    throw waiting();
  }

  @Override
  public Runnable reconfigure(Store.LimiterSpec limiterSpec) {
    return buckets.reconfigure(limiterSpec);
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
