package io.weir.tck;

import io.weir.Buckets;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Origin;
import io.weir.Store;
import io.weir.tck.model.Fraction;
import io.weir.tck.model.ObservedDecision;
import io.weir.tck.model.ReferenceLimiter;
import java.time.Duration;
import java.util.List;

/** A store that decides by the reference models: slow, unbounded, and right. Tests the suite. */
final class ReferenceStore implements Store {
  private final ReferenceLimiter.Takeover takeover;

  ReferenceStore(ReferenceLimiter.Takeover takeover) {
    this.takeover = takeover;
  }

  @Override
  public Buckets open(LimiterSpec limiterSpec) {
    return new ModelBuckets(limiterSpec, takeover);
  }

  private static final class ModelBuckets implements Buckets {
    private final LimiterSpec limiterSpec;
    private final ReferenceLimiter model;

    ModelBuckets(LimiterSpec limiterSpec, ReferenceLimiter.Takeover takeover) {
      this.limiterSpec = limiterSpec;
      this.model = new ReferenceLimiter(limiterSpec.limits(), takeover);
    }

    private Fraction now() {
      return ReferenceLimiter.nanos(limiterSpec.time().epochNanos());
    }

    @Override
    public synchronized Decision peek(String key, long cost) {
      return decision(model.peek(key, cost, now()), cost, now());
    }

    @Override
    public synchronized Receipt take(String key, long cost) {
      return new ModelReceipt(model.take(key, cost, now()), cost, now());
    }

    @Override
    public synchronized Receipt reserve(String key, long cost, Duration longestWait) {
      return new ModelReceipt(model.reserve(key, cost, longestWait, now()), cost, now());
    }

    @Override
    public synchronized void settle(Receipt receipt, long actualCost) {
      ((ModelReceipt) receipt).receipt.settle(actualCost, now());
    }

    @Override
    public synchronized void reject(String key, long cost) {
      model.reject(key, cost, now());
    }

    @Override
    public synchronized void refund(String key, long permits) {
      model.refund(key, permits, now());
    }

    @Override
    public synchronized void reset(String key) {
      model.reset(key);
    }

    @Override
    public synchronized Runnable reconfigure(LimiterSpec changed) {
      model.reconfigure(changed.limits(), now());
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

    @Override
    public synchronized Decision checkAt(String key, long cost, long epochMillis) {
      Fraction time = Fraction.of(epochMillis);
      return decision(model.check(key, cost, time), cost, time);
    }
  }

  private record ModelReceipt(ReferenceLimiter.Receipt receipt, long cost, Fraction time)
      implements Buckets.Receipt {
    @Override
    public Decision decision() {
      return ReferenceStore.decision(receipt.observedDecision(), cost, time);
    }
  }

  private static Decision decision(ObservedDecision observedDecision, long cost, Fraction time) {
    List<LimitStatus> statuses =
        observedDecision.limits().stream().map(ReferenceStore::status).toList();
    return Decision.of(
        cost, observedDecision.delay(), statuses, time.floor().longValueExact(), Origin.MEMORY);
  }

  private static LimitStatus status(ObservedDecision.ObservedLimit one) {
    Limit limit = one.limit();
    long growth = one.growsAfter().map(Duration::toNanos).orElse(0L);
    long reset = one.resetAfter().toNanos();
    return one.retryAfter()
        .map(wait -> LimitStatus.of(limit, one.remaining(), wait.toNanos(), growth, reset))
        .orElseGet(() -> LimitStatus.neverFits(limit, one.remaining(), growth, reset));
  }
}
