package io.weir;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The buckets of one limiter in a store: for each key, the state of all its limits, changed in one
 * atomic step.
 *
 * <p>Keys are not null and costs not negative: the limiter has checked. A cost of 0 spends nothing.
 * The asynchronous forms are for stores that wait for somebody; the rest answers at once.
 */
public interface Buckets {
  /** Takes {@code cost} permits from all limits of {@code key}, or from none. */
  default boolean tryAcquire(String key, long cost) {
    return check(key, cost).allowed();
  }

  /** Takes like {@link #tryAcquire} and tells how the caller stands. */
  default Decision check(String key, long cost) {
    return take(key, cost).decision();
  }

  /** What {@link #check} would answer, without taking. */
  Decision peek(String key, long cost);

  /** Whether {@link #check} would allow, without taking and without the details. */
  default boolean has(String key, long cost) {
    return peek(key, cost).allowed();
  }

  /** Takes like {@link #check}, so that it can be settled later. */
  Receipt take(String key, long cost);

  /**
   * Takes {@code cost} permits for the earliest moment at which all limits have them, if that is
   * within {@code longestWait}; the decision's delay tells when.
   */
  Receipt reserve(String key, long cost, Duration longestWait);

  /**
   * Takes {@code cost} permits that somebody else has granted, there or not: a limit that has fewer
   * is then fully spent, but no more than that.
   */
  default void charge(String key, long cost) {
    throw new UnsupportedOperationException("only a store in this process keeps a shadow");
  }

  /**
   * Takes what others have granted, of each limit its own of {@code costs}: there or not, up to
   * what a limit can remember.
   */
  default void force(String key, long... costs) {
    throw new UnsupportedOperationException("only a store in this process is told of others");
  }

  /**
   * Takes {@code cost} permits from all limits of {@code key} whether they have them or not, up to
   * what a limit can remember: a use that is known only after it has happened.
   */
  default void chargeInFull(String key, long cost) {
    throw new UnsupportedOperationException("this store cannot charge more than is left");
  }

  /**
   * Corrects what was taken to {@code actualCost}: gives the rest back, as far as that never makes
   * more than if it had not been taken, or takes the difference even where the limit does not have
   * it. Zero cancels. The caller settles a receipt once. What a store elsewhere cannot be told is
   * lost: {@link #settleAsync} tells.
   */
  void settle(Receipt receipt, long actualCost);

  /** Notes a request that somebody else refused, where a limit counts rejected ones. */
  void reject(String key, long cost);

  /**
   * Gives {@code permits} back to all limits of {@code key}, never above full. What a store
   * elsewhere cannot be told is lost: {@link #refundAsync} tells.
   */
  void refund(String key, long permits);

  /** Resets {@code key} to full. */
  void reset(String key);

  /**
   * Changes to other limits at once; what was spent on a limit of the same algorithm and period is
   * kept.
   *
   * @return what is left to do, if anything: to be run soon, by a thread that has the time. Until
   *     then keys are taken over one by one, as they are asked for.
   */
  Runnable reconfigure(Store.Blueprint blueprint);

  /**
   * The same buckets under other limits, for as long as both are used: what is taken under one is
   * taken under the other. Each limit is a fixed window of the same span as the one that it stands
   * beside.
   */
  default Buckets under(Store.Blueprint blueprint) {
    throw new UnsupportedOperationException("this store has one set of limits for a bucket");
  }

  /**
   * Whether an answer comes from elsewhere, over a network: then several charges are made at once
   * rather than one after the other.
   */
  default boolean isRemote() {
    return false;
  }

  /**
   * Whether this thread may wait for an answer; if not, what would wait is decided without asking
   * anybody elsewhere.
   */
  default boolean mayWait() {
    return true;
  }

  /**
   * The refusal that {@link #check} would answer without asking anybody elsewhere; null if it would
   * have to ask.
   */
  default @Nullable Decision knownRefusal(String key, long cost) {
    return null;
  }

  /** {@link #peekAsync} whose answer may be a moment old, for one who is refused anyway. */
  default CompletionStage<Decision> glanceAsync(String key, long cost) {
    return peekAsync(key, cost);
  }

  /** How many keys are kept apart now, about; 0 where that is not known here. */
  long keys();

  /** How many checks were decided by the overflow bucket so far. */
  long overflowed();

  /** Takes at a time that the caller gives; only a store in this process can. */
  default Decision checkAt(String key, long cost, long epochMillis) {
    throw new UnsupportedOperationException("the time of a decision is the store's own");
  }

  /** {@link #checkAt} without the details. */
  default boolean tryAcquireAt(String key, long cost, long epochMillis) {
    return checkAt(key, cost, epochMillis).allowed();
  }

  /** {@link #check} for stores that wait. */
  default CompletionStage<Decision> checkAsync(String key, long cost) {
    return CompletableFuture.completedStage(check(key, cost));
  }

  /** {@link #peek} for stores that wait. */
  default CompletionStage<Decision> peekAsync(String key, long cost) {
    return CompletableFuture.completedStage(peek(key, cost));
  }

  /** {@link #take} for stores that wait. */
  default CompletionStage<Receipt> takeAsync(String key, long cost) {
    return CompletableFuture.completedStage(take(key, cost));
  }

  /** {@link #reserve} for stores that wait. */
  default CompletionStage<Receipt> reserveAsync(String key, long cost, Duration longestWait) {
    return CompletableFuture.completedStage(reserve(key, cost, longestWait));
  }

  /**
   * {@link #settle} for stores that wait. Fails with {@link StoreUnavailableException} if the store
   * could not be told; unless that is in doubt, the receipt can be settled once more.
   */
  default CompletionStage<Void> settleAsync(Receipt receipt, long actualCost) {
    settle(receipt, actualCost);
    return CompletableFuture.completedStage(null);
  }

  /**
   * {@link #chargeInFull} for stores that wait. Fails with {@link StoreUnavailableException} if the
   * store could not be reached; unless that is in doubt, nothing was charged.
   */
  default CompletionStage<Void> chargeInFullAsync(String key, long cost) {
    chargeInFull(key, cost);
    return CompletableFuture.completedStage(null);
  }

  /** {@link #reject} for stores that wait. */
  default CompletionStage<Void> rejectAsync(String key, long cost) {
    reject(key, cost);
    return CompletableFuture.completedStage(null);
  }

  /**
   * {@link #refund} for stores that wait. Fails with {@link StoreUnavailableException} if the store
   * could not be told.
   */
  default CompletionStage<Void> refundAsync(String key, long permits) {
    refund(key, permits);
    return CompletableFuture.completedStage(null);
  }

  /** {@link #reset} for stores that wait. */
  default CompletionStage<Void> resetAsync(String key) {
    reset(key);
    return CompletableFuture.completedStage(null);
  }

  /** What a store must remember of a charge to be able to correct it. */
  interface Receipt {
    /** The decision; a receipt of a refusal is settled already. */
    Decision decision();
  }
}
