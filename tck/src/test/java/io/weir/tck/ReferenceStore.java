package io.weir.tck;

import io.weir.Buckets;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.Origin;
import io.weir.Standing;
import io.weir.Store;
import io.weir.tck.model.Answer;
import io.weir.tck.model.Fraction;
import io.weir.tck.model.ReferenceLimiter;
import java.time.Duration;
import java.util.List;

/** A store that answers by the reference models: slow, unbounded, and right. Tests the suite. */
final class ReferenceStore implements Store {
  private final ReferenceLimiter.Takeover takeover;

  ReferenceStore(ReferenceLimiter.Takeover takeover) {
    this.takeover = takeover;
  }

  @Override
  public Buckets open(Blueprint blueprint) {
    return new ModelBuckets(blueprint, takeover);
  }

  private static final class ModelBuckets implements Buckets {
    private final Blueprint blueprint;
    private final ReferenceLimiter model;

    ModelBuckets(Blueprint blueprint, ReferenceLimiter.Takeover takeover) {
      this.blueprint = blueprint;
      this.model = new ReferenceLimiter(blueprint.limits(), takeover);
    }

    private Fraction now() {
      return ReferenceLimiter.nanos(blueprint.time().epochNanos());
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
    public synchronized Runnable reconfigure(Blueprint changed) {
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
      return ReferenceStore.decision(receipt.answer(), cost, time);
    }
  }

  private static Decision decision(Answer answer, long cost, Fraction time) {
    List<Standing> standings = answer.limits().stream().map(ReferenceStore::standing).toList();
    return Decision.of(
        cost, answer.delay(), standings, time.floor().longValueExact(), Origin.MEMORY);
  }

  private static Standing standing(Answer.OfLimit one) {
    Limit limit = one.limit();
    long growth = one.growsAfter().map(Duration::toNanos).orElse(0L);
    long reset = one.resetAfter().toNanos();
    return one.retryAfter()
        .map(wait -> Standing.of(limit, one.remaining(), wait.toNanos(), growth, reset))
        .orElseGet(() -> Standing.neverFits(limit, one.remaining(), growth, reset));
  }
}
