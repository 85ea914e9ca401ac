package io.weir.redis;

import io.weir.Buckets;
import io.weir.Decision;
import io.weir.Store;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** Several stores that serve calls in turn; a receipt has the store that issued it. */
final class AlternatingStore implements Store {
  private final List<Store> stores;
  private final UnaryOperator<LimiterSpec> change;

  AlternatingStore(Store... stores) {
    this(UnaryOperator.identity(), stores);
  }

  /** With every blueprint changed. */
  AlternatingStore(UnaryOperator<LimiterSpec> change, Store... stores) {
    this.stores = List.of(stores);
    this.change = change;
  }

  @Override
  public Buckets open(LimiterSpec limiterSpec) {
    LimiterSpec changed = change.apply(limiterSpec);
    return new AlternatingBuckets(
        stores.stream().map(store -> store.open(changed)).toList(), change);
  }

  @Override
  public void close() {
    stores.forEach(Store::close);
  }

  private record Turn(Buckets issuer, Buckets.Receipt receipt) implements Buckets.Receipt {
    @Override
    public Decision decision() {
      return receipt.decision();
    }
  }

  private static final class AlternatingBuckets implements Buckets {
    private final List<Buckets> all;
    private final UnaryOperator<LimiterSpec> change;
    private final AtomicInteger turns = new AtomicInteger();

    AlternatingBuckets(List<Buckets> all, UnaryOperator<LimiterSpec> change) {
      this.all = all;
      this.change = change;
    }

    private Buckets next() {
      return all.get(Math.floorMod(turns.getAndIncrement(), all.size()));
    }

    @Override
    public boolean isRemote() {
      return true;
    }

    @Override
    public Decision check(String key, long cost) {
      return next().check(key, cost);
    }

    @Override
    public Decision peek(String key, long cost) {
      return next().peek(key, cost);
    }

    @Override
    public Receipt take(String key, long cost) {
      Buckets mine = next();
      return new Turn(mine, mine.take(key, cost));
    }

    @Override
    public Receipt reserve(String key, long cost, Duration longestWait) {
      Buckets mine = next();
      return new Turn(mine, mine.reserve(key, cost, longestWait));
    }

    @Override
    public void settle(Receipt receipt, long actualCost) {
      Turn turn = (Turn) receipt;
      turn.issuer.settle(turn.receipt, actualCost);
    }

    @Override
    public void reject(String key, long cost) {
      next().reject(key, cost);
    }

    @Override
    public void refund(String key, long permits) {
      next().refund(key, permits);
    }

    @Override
    public void reset(String key) {
      next().reset(key);
    }

    @Override
    public Runnable reconfigure(LimiterSpec limiterSpec) {
      LimiterSpec changed = change.apply(limiterSpec);
      List<Runnable> rests = all.stream().map(each -> each.reconfigure(changed)).toList();
      return () -> rests.forEach(Runnable::run);
    }

    @Override
    public long keys() {
      return all.get(0).keys();
    }

    @Override
    public long overflowed() {
      return all.stream().mapToLong(Buckets::overflowed).sum();
    }

    @Override
    public CompletionStage<Decision> checkAsync(String key, long cost) {
      return next().checkAsync(key, cost);
    }

    @Override
    public CompletionStage<Decision> peekAsync(String key, long cost) {
      return next().peekAsync(key, cost);
    }

    @Override
    public CompletionStage<Receipt> takeAsync(String key, long cost) {
      Buckets mine = next();
      return mine.takeAsync(key, cost).thenApply(receipt -> new Turn(mine, receipt));
    }

    @Override
    public CompletionStage<Receipt> reserveAsync(String key, long cost, Duration longestWait) {
      Buckets mine = next();
      return mine.reserveAsync(key, cost, longestWait)
          .thenApply(receipt -> new Turn(mine, receipt));
    }

    @Override
    public CompletionStage<Void> settleAsync(Receipt receipt, long actualCost) {
      Turn turn = (Turn) receipt;
      return turn.issuer.settleAsync(turn.receipt, actualCost);
    }

    @Override
    public CompletionStage<Void> rejectAsync(String key, long cost) {
      return next().rejectAsync(key, cost);
    }

    @Override
    public CompletionStage<Void> refundAsync(String key, long permits) {
      return next().refundAsync(key, permits);
    }

    @Override
    public CompletionStage<Void> resetAsync(String key) {
      return next().resetAsync(key);
    }
  }
}
