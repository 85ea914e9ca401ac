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
   * there is neither, it joins a flight. The flight's call returns a decision or fails, and then
   * the fallback decides. In any case the caller gets a decision: within the deadline, or within
   * two if it had to wait for the previous flight.
   *
   * All other questions are sent alone. Corrections of a charge are lost if Redis cannot be called:
   * the permits come back with time. An asynchronous caller sees the failure, and whether Redis may
   * have executed the call. A blocking caller does not see it, except for a reset, because its
   * caller relies on the effect.
   */

  private final Refusals refusals;
  private final Counters counters;
  private final Clock clock;
  private final Flights flights;
  private final RedisStore store;
  private volatile Store.Blueprint blueprint;
  private volatile Leases leases; // and the plan
  private volatile Fallback fallback;

  RedisBuckets(RedisStore store, Store.Blueprint blueprint) {
    this.store = store;
    this.blueprint = blueprint;
    this.refusals = store.refusals();
    this.counters = store.counters();
    this.clock = store.clock();
    this.flights = new Flights(clock, refusals, counters);
    this.fallback = store.fallback(blueprint);
    this.leases = leases(blueprint);
  }

  /** Decides while Redis cannot be called. */
  Fallback fallback() {
    return fallback;
  }

  private Plan plan() {
    return leases.plan();
  }

  @Override
  public boolean isRemote() {
    return true;
  }

  @Override
  public boolean mayWait() {
    return leases.desk().mayWait();
  }

  @Override
  public @Nullable Decision knownRefusal(String key, long cost) {
    Leases by = leases;
    return by.unspent(key) >= cost && cost > 0 ? null : refusal(by.plan(), key, cost);
  }

  private @Nullable Decision refusal(Plan by, String key, long cost) {
    Decision refusal = refusals.refusal(by, key, cost);
    if (refusal != null) {
      counters.decided(Origin.CACHE);
    }
    return refusal;
  }

  // Checks.

  @Override
  public boolean tryAcquire(String key, long cost) {
    return byLease(leases, key, cost) != null || asked(leases, key, cost).allowed();
  }

  @Override
  public Decision check(String key, long cost) {
    Leases by = leases;
    Leases.Spent spent = byLease(by, key, cost);
    return spent != null ? spent.decision() : asked(by, key, cost);
  }

  private Decision asked(Leases by, String key, long cost) {
    Decision refusal = refusal(by.plan(), key, cost);
    if (refusal != null) {
      return refusal;
    }
    return mayWait()
        ? board(new Check(by, key, cost)).join()
        : withoutRedis(fallback.check(key, cost));
  }

  @Override
  public CompletionStage<Decision> checkAsync(String key, long cost) {
    Leases by = leases;
    Leases.Spent spent = byLease(by, key, cost);
    Decision known = spent != null ? spent.decision() : refusal(by.plan(), key, cost);
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
        : withoutRedis(fallback.take(key, cost));
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
      return new Ticket(key, by.plan(), spent);
    }
    Decision refusal = refusal(by.plan(), key, cost);
    return refusal == null ? null : new Untaken(refusal);
  }

  /** Spends permits taken in advance, if there are enough. */
  private Leases.@Nullable Spent byLease(Leases by, String key, long cost) {
    Leases.Spent spent = by.spend(key, cost);
    if (spent != null) {
      counters.decided(Origin.LEASE);
      fallback.granted(key, cost);
    }
    return spent;
  }

  private <T> CompletableFuture<T> board(Flights.Passenger<T> passenger) {
    flights.board(passenger);
    return passenger;
  }

  /** A check for a decision. */
  private final class Check extends Flights.Passenger<Decision> {
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
    void decided(Outcome outcome, int i) {
      complete(byRedis(key, outcome.decision(i)));
    }

    @Override
    void refused(Decision refusal) {
      counters.decided(Origin.CACHE);
      complete(refusal);
    }

    @Override
    void failed(Failure failure) {
      complete(withoutRedis(fallback.check(key, cost)));
    }
  }

  /** A check for a receipt. */
  private final class Take extends Flights.Passenger<Receipt> {
    Take(Leases leases, String key, long cost) {
      super(leases, key, cost);
    }

    @Override
    boolean isServed() {
      Leases.Spent spent = byLease(leases, key, cost);
      if (spent != null) {
        complete(new Ticket(key, plan, spent));
      }
      return spent != null;
    }

    @Override
    void decided(Outcome outcome, int i) {
      complete(receipt(plan, key, outcome, i));
    }

    @Override
    void refused(Decision refusal) {
      counters.decided(Origin.CACHE);
      complete(new Untaken(refusal));
    }

    @Override
    void failed(Failure failure) {
      complete(withoutRedis(fallback.take(key, cost)));
    }
  }

  private Decision byRedis(String key, Decision decision) {
    counters.decided(Origin.STORE);
    if (decision.allowed()) {
      fallback.granted(key, decision.cost());
    }
    return decision;
  }

  private Receipt receipt(Plan by, String key, Outcome outcome, int i) {
    Decision decision = byRedis(key, outcome.decision(i));
    return decision.allowed()
        ? new Ticket(key, decision, by, outcome.marks(i))
        : new Untaken(decision);
  }

  private Decision withoutRedis(Decision decision) {
    return store.withoutRedis(blueprint, decision);
  }

  private Receipt withoutRedis(Receipt receipt) {
    store.withoutRedis(blueprint, receipt.decision());
    return receipt;
  }

  // Questions that are sent alone.

  @Override
  public Decision peek(String key, long cost) {
    return mayWait() ? peekAsync(key, cost, false).join() : fallback.peek(key, cost);
  }

  @Override
  public CompletionStage<Decision> peekAsync(String key, long cost) {
    return peekAsync(key, cost, false);
  }

  @Override
  public CompletionStage<Decision> glanceAsync(String key, long cost) {
    Leases by = leases;
    Decision known = refusals.glance(by.plan(), key, cost);
    return known == null
        ? peekAsync(key, cost, true)
        : CompletableFuture.completedStage(by.andUnspent(key, known));
  }

  private CompletableFuture<Decision> peekAsync(String key, long cost, boolean toBeRemembered) {
    Leases here = leases;
    Plan by = here.plan();
    Refusals.Asked asked = refusals.ask(by, key);
    return new Question<Decision>(here.desk(), by, key, () -> by.peek(cost, clock.micros())) {
      @Override
      void answered(long[] reply) {
        Outcome outcome = by.outcome(cost, reply);
        Decision decision = outcome.decision(0);
        if (toBeRemembered && outcome.isLasting()) {
          refusals.remember(by, key, asked, decision, outcome.epochMicros());
        }
        complete(here.andUnspent(key, decision));
      }

      @Override
      void failed(Failure failure) {
        complete(fallback.peek(key, cost));
      }
    }.ask();
  }

  @Override
  public Receipt reserve(String key, long cost, Duration longestWait) {
    return mayWait()
        ? reserveAsync(key, cost, longestWait).toCompletableFuture().join()
        : withoutRedis(fallback.reserve(key, cost, longestWait));
  }

  @Override
  public CompletionStage<Receipt> reserveAsync(String key, long cost, Duration longestWait) {
    Leases here = leases;
    Plan by = here.plan();
    return new Question<Receipt>(
        here.desk(), by, key, () -> by.reserve(cost, nanos(longestWait), clock.micros())) {
      @Override
      void answered(long[] reply) {
        refusals.forget(by, key);
        complete(receipt(by, key, by.taken(cost, 1, reply), 0));
      }

      @Override
      void failed(Failure failure) {
        complete(withoutRedis(fallback.reserve(key, cost, longestWait)));
      }
    }.ask();
  }

  // Corrections.

  @Override
  public void settle(Receipt receipt, long actualCost) {
    joinQuietly(settleAsync(receipt, actualCost));
  }

  @Override
  public CompletionStage<Void> settleAsync(Receipt receipt, long actualCost) {
    if (!(receipt instanceof Ticket ticket)) {
      fallback.settle(receipt, actualCost);
      return CompletableFuture.completedStage(null);
    }
    long cost = ticket.decision().cost();
    Plan by = plan();
    recount(ticket, actualCost);
    if (actualCost < cost && ticket.isPutBack(cost - actualCost)) {
      return CompletableFuture.completedStage(null);
    }
    // Charges under earlier limits come back only with time.
    boolean isDue = actualCost > cost || (actualCost < cost && ticket.plan() == by);
    return isDue
        ? correct(
            by, ticket.key(), () -> by.settle(ticket.marks(), cost, actualCost, clock.micros()))
        : CompletableFuture.completedStage(null);
  }

  /** Corrects the local counts, once, even if Redis must be called twice. */
  private void recount(Ticket ticket, long actualCost) {
    long counted = ticket.count(actualCost);
    if (actualCost < counted) {
      fallback.refund(ticket.key(), counted - actualCost);
    } else {
      fallback.granted(ticket.key(), actualCost - counted);
    }
  }

  @Override
  public void chargeInFull(String key, long cost) {
    joinQuietly(chargeInFullAsync(key, cost));
  }

  /** The local share is always charged, because the use has happened. */
  @Override
  public CompletionStage<Void> chargeInFullAsync(String key, long cost) {
    Plan by = plan();
    fallback.granted(key, cost);
    return correct(by, key, () -> by.chargeInFull(cost, clock.micros()));
  }

  @Override
  public void reject(String key, long cost) {
    joinQuietly(rejectAsync(key, cost));
  }

  /** A lost record has no consequence for the caller. */
  @Override
  public CompletionStage<Void> rejectAsync(String key, long cost) {
    Plan by = plan();
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
              fallback.refund(key, permits);
              return null;
            });
  }

  /** The local refund follows the one in Redis, because a caller may repeat a failed call. */
  @Override
  public CompletionStage<Void> refundAsync(String key, long permits) {
    Plan by = plan();
    return correct(by, key, () -> by.refund(permits, clock.micros()))
        .thenRun(() -> fallback.refund(key, permits));
  }

  private CompletableFuture<Void> correct(Plan by, String key, Supplier<Message> message) {
    return new Correction(leases.corrections(), refusals, by, key, message) {
      @Override
      void failed(Failure failure) {
        counters.lost();
        completeExceptionally(
            new StoreUnavailableException(
                "cannot correct a charge: " + failure, failure.isInDoubt()));
      }
    }.ask();
  }

  @Override
  public void reset(String key) {
    join(resetAsync(key));
  }

  @Override
  public CompletionStage<Void> resetAsync(String key) {
    fallback.reset(key);
    leases.drop(key);
    Plan by = plan();
    return new Correction(leases.corrections(), refusals, by, key, by::reset) {
      @Override
      void done() {
        leases.forget(key); // permits leased between the drop and the reset in Redis
      }

      @Override
      void failed(Failure failure) {
        completeExceptionally(
            new StoreUnavailableException("cannot reset a key: " + failure, failure.isInDoubt()));
      }
    }.ask();
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
  public Runnable reconfigure(Store.Blueprint changed) {
    boolean isPromiseKept =
        changed.consistency() == blueprint.consistency()
            && store.isStrict(changed) == store.isStrict(blueprint);
    if (isPromiseKept && changed.onFailure() == blueprint.onFailure()) {
      fallback.reconfigure(changed);
    } else {
      fallback = store.fallback(changed);
    }
    boolean areLimitsKept = changed.limits().equals(blueprint.limits());
    blueprint = changed;
    if (!areLimitsKept || !isPromiseKept) {
      Leases before = leases;
      leases = leases(changed);
      before.end(areLimitsKept);
    }
    return () -> {};
  }

  private Leases leases(Store.Blueprint of) {
    String prefix = store.settings().prefix();
    boolean isLeased = of.consistency() == Consistency.LEASED;
    if (store.isStrict(of)) {
      StrictWay way = store.strictWay();
      long margin = way.marginMicros();
      Duration step = store.settings().clockStep();
      Plan plan =
          isLeased
              ? Plan.leasedStrictly(prefix, of.name(), of.limits(), margin, step)
              : Plan.strict(prefix, of.name(), of.limits(), margin, step);
      return new Leases(store.leaseDesk(), plan, way.desk(of), way.corrections());
    }
    Plan plan =
        isLeased
            ? Plan.leased(prefix, of.name(), of.limits())
            : Plan.of(prefix, of.name(), of.limits());
    return new Leases(store.leaseDesk(), plan, store.desk(), store.desk());
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
