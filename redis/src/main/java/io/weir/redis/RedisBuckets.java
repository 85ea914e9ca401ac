package io.weir.redis;

import io.weir.Buckets;
import io.weir.Consistency;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.Origin;
import io.weir.Store;
import io.weir.StoreUnavailableException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The buckets of one limiter in Redis. Thread-safe. */
final class RedisBuckets implements Buckets {
  /*
   * The path of a check: first it looks for permits taken in advance, then for a cached refusal. If
   * there is neither, it joins a batch. The batch's call returns a decision or fails, and then
   * the fallback decides. In any case the caller gets a decision: within the deadline, or within
   * two if it had to wait for the previous batch.
   *
   * All other commands are sent alone. Corrections of a charge are lost if Redis cannot be called:
   * the permits come back with time. An asynchronous caller sees the failure, and whether Redis may
   * have executed the call. A blocking caller does not see it, except for a reset, because its
   * caller relies on the effect.
   */

  private final DenialCache denialCache;
  private final RedisCounters redisCounters;
  private final Clock clock;
  private final CheckCoalescer checkCoalescer;
  private final RedisStore store;
  private volatile Store.LimiterSpec limiterSpec;
  private volatile Leases leases; // and the plan
  private volatile FallbackDecider fallbackDecider;

  RedisBuckets(RedisStore store, Store.LimiterSpec limiterSpec) {
    this.store = store;
    this.limiterSpec = limiterSpec;
    this.denialCache = store.denialCache();
    this.redisCounters = store.redisCounters();
    this.clock = store.clock();
    this.checkCoalescer = new CheckCoalescer(clock, denialCache, redisCounters);
    this.fallbackDecider = store.fallback(limiterSpec);
    this.leases = leases(limiterSpec);
  }

  /** Decides while Redis cannot be called. */
  FallbackDecider fallbackDecider() {
    return fallbackDecider;
  }

  private ScriptPlan scriptPlan() {
    return leases.scriptPlan();
  }

  @Override
  public boolean isRemote() {
    return true;
  }

  @Override
  public boolean mayWait() {
    return leases.commandSender().mayWait();
  }

  @Override
  public @Nullable Decision knownRefusal(String key, long cost) {
    Leases by = leases;
    return by.unspent(key) >= cost && cost > 0 ? null : refusal(by.scriptPlan(), key, cost);
  }

  private @Nullable Decision refusal(ScriptPlan by, String key, long cost) {
    Decision refusal = denialCache.refusal(by, key, cost);
    if (refusal != null) {
      redisCounters.decided(Origin.CACHE);
    }
    return refusal;
  }

  // Checks.

  @Override
  public boolean tryAcquire(String key, long cost) {
    return byLease(leases, key, cost) != null || checkRemotely(leases, key, cost).allowed();
  }

  @Override
  public Decision check(String key, long cost) {
    Leases by = leases;
    Leases.Spent spent = byLease(by, key, cost);
    return spent != null ? spent.decision() : checkRemotely(by, key, cost);
  }

  private Decision checkRemotely(Leases by, String key, long cost) {
    Decision refusal = refusal(by.scriptPlan(), key, cost);
    if (refusal != null) {
      return refusal;
    }
    return mayWait()
        ? board(new Check(by, key, cost)).join()
        : withoutRedis(fallbackDecider.check(key, cost));
  }

  @Override
  public CompletionStage<Decision> checkAsync(String key, long cost) {
    Leases by = leases;
    Leases.Spent spent = byLease(by, key, cost);
    Decision known = spent != null ? spent.decision() : refusal(by.scriptPlan(), key, cost);
    return known == null
        ? board(new Check(by, key, cost))
        : CompletableFuture.completedStage(known);
  }

  @Override
  public Receipt take(String key, long cost) {
    Leases by = leases;
    Receipt known = knownReceipt(by, key, cost);
    if (known != null) {
      return known;
    }
    return mayWait()
        ? board(new Take(by, key, cost)).join()
        : withoutRedis(fallbackDecider.take(key, cost));
  }

  @Override
  public CompletionStage<Receipt> takeAsync(String key, long cost) {
    Leases by = leases;
    Receipt known = knownReceipt(by, key, cost);
    return known == null ? board(new Take(by, key, cost)) : CompletableFuture.completedStage(known);
  }

  private @Nullable Receipt knownReceipt(Leases by, String key, long cost) {
    Leases.Spent spent = byLease(by, key, cost);
    if (spent != null) {
      return new RedisReceipt(key, by.scriptPlan(), spent);
    }
    Decision refusal = refusal(by.scriptPlan(), key, cost);
    return refusal == null ? null : new EmptyReceipt(refusal);
  }

  /** Spends permits taken in advance, if there are enough. */
  private Leases.@Nullable Spent byLease(Leases by, String key, long cost) {
    Leases.Spent spent = by.spend(key, cost);
    if (spent != null) {
      redisCounters.decided(Origin.LEASE);
      fallbackDecider.granted(key, cost);
    }
    return spent;
  }

  private <T> CompletableFuture<T> board(CheckCoalescer.PendingCheck<T> pendingCheck) {
    checkCoalescer.submit(pendingCheck);
    return pendingCheck;
  }

  /** A check for a decision. */
  private final class Check extends CheckCoalescer.PendingCheck<Decision> {
    Check(Leases leases, String key, long cost) {
      super(leases, key, cost);
    }

    @Override
    boolean isServed() {
      Leases.Spent spent = byLease(leases, key, cost);
      if (spent != null) {
        complete(spent.decision());
      }
      return spent != null;
    }

    @Override
    void decided(TakeReply takeReply, int i) {
      complete(byRedis(key, takeReply.decision(i)));
    }

    @Override
    void refused(Decision refusal) {
      redisCounters.decided(Origin.CACHE);
      complete(refusal);
    }

    @Override
    void failed(RedisFailure redisFailure) {
      complete(withoutRedis(fallbackDecider.check(key, cost)));
    }
  }

  /** A check for a receipt. */
  private final class Take extends CheckCoalescer.PendingCheck<Receipt> {
    Take(Leases leases, String key, long cost) {
      super(leases, key, cost);
    }

    @Override
    boolean isServed() {
      Leases.Spent spent = byLease(leases, key, cost);
      if (spent != null) {
        complete(new RedisReceipt(key, scriptPlan, spent));
      }
      return spent != null;
    }

    @Override
    void decided(TakeReply takeReply, int i) {
      complete(receipt(scriptPlan, key, takeReply, i));
    }

    @Override
    void refused(Decision refusal) {
      redisCounters.decided(Origin.CACHE);
      complete(new EmptyReceipt(refusal));
    }

    @Override
    void failed(RedisFailure redisFailure) {
      complete(withoutRedis(fallbackDecider.take(key, cost)));
    }
  }

  private Decision byRedis(String key, Decision decision) {
    redisCounters.decided(Origin.STORE);
    if (decision.allowed()) {
      fallbackDecider.granted(key, decision.cost());
    }
    return decision;
  }

  private Receipt receipt(ScriptPlan by, String key, TakeReply takeReply, int i) {
    Decision decision = byRedis(key, takeReply.decision(i));
    return decision.allowed()
        ? new RedisReceipt(key, decision, by, takeReply.marks(i))
        : new EmptyReceipt(decision);
  }

  private Decision withoutRedis(Decision decision) {
    return store.withoutRedis(limiterSpec, decision);
  }

  private Receipt withoutRedis(Receipt receipt) {
    store.withoutRedis(limiterSpec, receipt.decision());
    return receipt;
  }

  // Commands that are sent alone.

  @Override
  public Decision peek(String key, long cost) {
    return mayWait() ? peekAsync(key, cost, false).join() : fallbackDecider.peek(key, cost);
  }

  @Override
  public CompletionStage<Decision> peekAsync(String key, long cost) {
    return peekAsync(key, cost, false);
  }

  @Override
  public CompletionStage<Decision> glanceAsync(String key, long cost) {
    Leases by = leases;
    Decision known = denialCache.glance(by.scriptPlan(), key, cost);
    return known == null
        ? peekAsync(key, cost, true)
        : CompletableFuture.completedStage(by.andUnspent(key, known));
  }

  private CompletableFuture<Decision> peekAsync(String key, long cost, boolean toBeRemembered) {
    Leases here = leases;
    ScriptPlan by = here.scriptPlan();
    DenialCache.RequestTime requestTime = denialCache.requestTime(by, key);
    return new KeyCommand<Decision>(
        here.commandSender(), by, key, () -> by.peek(cost, clock.micros())) {
      @Override
      void handleReply(long[] reply) {
        TakeReply takeReply = by.outcome(cost, reply);
        Decision decision = takeReply.decision(0);
        if (toBeRemembered && takeReply.isLasting()) {
          denialCache.remember(by, key, requestTime, decision, takeReply.epochMicros());
        }
        complete(here.andUnspent(key, decision));
      }

      @Override
      void failed(RedisFailure redisFailure) {
        complete(fallbackDecider.peek(key, cost));
      }
    }.send();
  }

  @Override
  public Receipt reserve(String key, long cost, Duration longestWait) {
    return mayWait()
        ? reserveAsync(key, cost, longestWait).toCompletableFuture().join()
        : withoutRedis(fallbackDecider.reserve(key, cost, longestWait));
  }

  @Override
  public CompletionStage<Receipt> reserveAsync(String key, long cost, Duration longestWait) {
    Leases here = leases;
    ScriptPlan by = here.scriptPlan();
    return new KeyCommand<Receipt>(
        here.commandSender(), by, key, () -> by.reserve(cost, nanos(longestWait), clock.micros())) {
      @Override
      void handleReply(long[] reply) {
        denialCache.forget(by, key);
        complete(receipt(by, key, by.taken(cost, 1, reply), 0));
      }

      @Override
      void failed(RedisFailure redisFailure) {
        complete(withoutRedis(fallbackDecider.reserve(key, cost, longestWait)));
      }
    }.send();
  }

  // Corrections.

  @Override
  public void settle(Receipt receipt, long actualCost) {
    joinQuietly(settleAsync(receipt, actualCost));
  }

  @Override
  public CompletionStage<Void> settleAsync(Receipt receipt, long actualCost) {
    if (!(receipt instanceof RedisReceipt redisReceipt)) {
      fallbackDecider.settle(receipt, actualCost);
      return CompletableFuture.completedStage(null);
    }
    long cost = redisReceipt.decision().cost();
    ScriptPlan by = scriptPlan();
    recount(redisReceipt, actualCost);
    if (actualCost < cost && redisReceipt.isPutBack(cost - actualCost)) {
      return CompletableFuture.completedStage(null);
    }
    // Charges under earlier limits come back only with time.
    boolean isDue = actualCost > cost || (actualCost < cost && redisReceipt.scriptPlan() == by);
    return isDue
        ? correct(
            by,
            redisReceipt.key(),
            () -> by.settle(redisReceipt.chargeMarks(), cost, actualCost, clock.micros()))
        : CompletableFuture.completedStage(null);
  }

  /** Corrects the local counts, once, even if Redis must be called twice. */
  private void recount(RedisReceipt redisReceipt, long actualCost) {
    long counted = redisReceipt.count(actualCost);
    if (actualCost < counted) {
      fallbackDecider.refund(redisReceipt.key(), counted - actualCost);
    } else {
      fallbackDecider.granted(redisReceipt.key(), actualCost - counted);
    }
  }

  @Override
  public void chargeInFull(String key, long cost) {
    joinQuietly(chargeInFullAsync(key, cost));
  }

  /** The local share is always charged, because the use has happened. */
  @Override
  public CompletionStage<Void> chargeInFullAsync(String key, long cost) {
    ScriptPlan by = scriptPlan();
    fallbackDecider.granted(key, cost);
    return correct(by, key, () -> by.chargeInFull(cost, clock.micros()));
  }

  @Override
  public void reject(String key, long cost) {
    joinQuietly(rejectAsync(key, cost));
  }

  /** A lost record has no consequence for the caller. */
  @Override
  public CompletionStage<Void> rejectAsync(String key, long cost) {
    ScriptPlan by = scriptPlan();
    return by.isPlain()
        ? CompletableFuture.completedStage(null)
        : correct(by, key, () -> by.reject(cost, clock.micros())).exceptionally(lost -> null);
  }

  @Override
  public void refund(String key, long permits) {
    join(refundOnce(key, permits));
  }

  /** A refund that no caller repeats if it is lost: at least the local share gets it back. */
  CompletionStage<Void> refundOnce(String key, long permits) {
    return refundAsync(key, permits)
        .exceptionally(
            lost -> {
              fallbackDecider.refund(key, permits);
              return null;
            });
  }

  /** The local refund follows the one in Redis, because a caller may repeat a failed call. */
  @Override
  public CompletionStage<Void> refundAsync(String key, long permits) {
    ScriptPlan by = scriptPlan();
    return correct(by, key, () -> by.refund(permits, clock.micros()))
        .thenRun(() -> fallbackDecider.refund(key, permits));
  }

  private CompletableFuture<Void> correct(
      ScriptPlan by, String key, Supplier<ScriptMessage> scriptMessage) {
    return new CorrectionCommand(leases.corrections(), denialCache, by, key, scriptMessage) {
      @Override
      void failed(RedisFailure redisFailure) {
        redisCounters.lost();
        completeExceptionally(
            new StoreUnavailableException(
                "cannot correct a charge: " + redisFailure, redisFailure.isInDoubt()));
      }
    }.send();
  }

  @Override
  public void reset(String key) {
    join(resetAsync(key));
  }

  @Override
  public CompletionStage<Void> resetAsync(String key) {
    fallbackDecider.reset(key);
    leases.drop(key);
    ScriptPlan by = scriptPlan();
    return new CorrectionCommand(leases.corrections(), denialCache, by, key, by::reset) {
      @Override
      void done() {
        leases.forget(key); // permits leased between the drop and the reset in Redis
      }

      @Override
      void failed(RedisFailure redisFailure) {
        completeExceptionally(
            new StoreUnavailableException(
                "cannot reset a key: " + redisFailure, redisFailure.isInDoubt()));
      }
    }.send();
  }

  private static long nanos(Duration wait) {
    return (wait.compareTo(Limit.MAX_PERIOD) > 0 ? Limit.MAX_PERIOD : wait).toNanos();
  }

  /** Waits for a correction that may be lost. */
  private void joinQuietly(CompletionStage<Void> stage) {
    join(stage.exceptionally(lost -> null));
  }

  /** On a thread that must not wait, the call is still made. */
  private void join(CompletionStage<Void> stage) {
    if (!mayWait()) {
      return;
    }
    try {
      stage.toCompletableFuture().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  // Changes.

  /** Each node uses the new limits from its own change on; keys follow at their next check. */
  @Override
  public Runnable reconfigure(Store.LimiterSpec changed) {
    boolean isPromiseKept =
        changed.consistency() == limiterSpec.consistency()
            && store.isStrict(changed) == store.isStrict(limiterSpec);
    if (isPromiseKept && changed.onFailure() == limiterSpec.onFailure()) {
      fallbackDecider.reconfigure(changed);
    } else {
      fallbackDecider = store.fallback(changed);
    }
    boolean areLimitsKept = changed.limits().equals(limiterSpec.limits());
    limiterSpec = changed;
    if (!areLimitsKept || !isPromiseKept) {
      Leases before = leases;
      leases = leases(changed);
      before.end(areLimitsKept);
    }
    return () -> {};
  }

  private Leases leases(Store.LimiterSpec of) {
    String prefix = store.settings().prefix();
    boolean isLeased = of.consistency() == Consistency.LEASED;
    if (store.isStrict(of)) {
      StrictTransport way = store.strictTransport();
      long margin = way.marginMicros();
      Duration step = store.settings().clockStep();
      ScriptPlan scriptPlan =
          isLeased
              ? ScriptPlan.leasedStrictly(prefix, of.name(), of.limits(), margin, step)
              : ScriptPlan.strict(prefix, of.name(), of.limits(), margin, step);
      return new Leases(store.leaseManager(), scriptPlan, way.commandSender(of), way.corrections());
    }
    ScriptPlan scriptPlan =
        isLeased
            ? ScriptPlan.leased(prefix, of.name(), of.limits())
            : ScriptPlan.of(prefix, of.name(), of.limits());
    return new Leases(
        store.leaseManager(), scriptPlan, store.commandSender(), store.commandSender());
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
