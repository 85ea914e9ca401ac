package io.weir;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The buckets of one limiter in a store. Each operation changes the state of all limits of a key in
 * one atomic step. Implementations are thread-safe.
 *
 * <p>The limiter checks that keys are not null and costs are not negative. A cost of 0 spends
 * nothing. Only the asynchronous methods may wait for a network without blocking; the others return
 * the result directly.
 */
public interface Buckets {
  /** Takes {@code cost} permits from all limits of {@code key}, or from none. */
  default boolean tryAcquire(String key, long cost) {
    return check(key, cost).allowed();
  }

  /** Takes like {@link #tryAcquire} and returns the full decision. */
  default Decision check(String key, long cost) {
    return take(key, cost).decision();
  }

  /** The decision that {@link #check} would make, without taking. */
  Decision peek(String key, long cost);

  /** Whether {@link #check} would allow, without taking and without the details. */
  default boolean has(String key, long cost) {
    return peek(key, cost).allowed();
  }

  /** Takes like {@link #check}, with a receipt to settle later. */
  Receipt take(String key, long cost);

  /**
   * Takes {@code cost} permits for the earliest moment at which all limits have them, if that is
   * within {@code longestWait}. The decision's delay is the time until then.
   */
  Receipt reserve(String key, long cost, Duration longestWait);

  /**
   * Takes {@code cost} permits that another store has already granted. A limit that has fewer is
   * fully spent afterwards, and not overdrawn.
   */
  default void charge(String key, long cost) {
    throw new UnsupportedOperationException("only a local store takes what was granted elsewhere");
  }

  /**
   * Takes permits that other nodes have granted, for each limit its own value of {@code costs}.
   * Takes them even if the limit does not have them, up to what it can remember.
   */
  default void force(String key, long... costs) {
    throw new UnsupportedOperationException(
        "only a local store accepts permits granted by other nodes");
  }

  /**
   * Takes {@code cost} permits from all limits of {@code key} even if they do not have them, up to
   * what a limit can remember. For a use that is known only after it has happened.
   */
  default void chargeInFull(String key, long cost) {
    throw new UnsupportedOperationException("this store cannot charge more than is left");
  }

  /**
   * Corrects what was taken to {@code actualCost}. A lower cost gives the rest back, but never
   * leaves more than if the charge had not been made. A higher cost takes the difference even if
   * the limit does not have it. Zero cancels. The caller settles a receipt once. A correction that
   * does not reach a remote store is lost; {@link #settleAsync} reports that.
   */
  void settle(Receipt receipt, long actualCost);

  /** Records a request that another limiter refused, where a limit counts rejected requests. */
  void reject(String key, long cost);

  /**
   * Gives {@code permits} back to all limits of {@code key}, never above full. A refund that does
   * not reach a remote store is lost; {@link #refundAsync} reports that.
   */
  void refund(String key, long permits);

  /** Resets {@code key} to full. */
  void reset(String key);

  /**
   * Switches to other limits at once. What was spent on a limit of the same algorithm and period is
   * kept.
   *
   * @return the remaining work, if any, to be run soon by a thread that has time. Until then keys
   *     are taken over one by one, as requests for them arrive.
   */
  Runnable reconfigure(Store.LimiterSpec limiterSpec);

  /**
   * The same buckets under other limits, for as long as both are used: what is taken under one is
   * taken under the other. Each limit is a fixed window of the same span as its counterpart.
   */
  default Buckets under(Store.LimiterSpec limiterSpec) {
    throw new UnsupportedOperationException(
        "this store supports one set of limits for each bucket");
  }

  /**
   * Whether decisions need a network call. If so, several charges are made at once rather than one
   * after the other.
   */
  default boolean isRemote() {
    return false;
  }

  /**
   * Whether this thread may block. If not, an operation that would block is decided without the
   * remote store.
   */
  default boolean mayWait() {
    return true;
  }

  /**
   * The refusal that {@link #check} would return without a call of a remote store; null if it needs
   * one.
   */
  default @Nullable Decision knownRefusal(String key, long cost) {
    return null;
  }

  /** {@link #peekAsync} for a request that is refused anyway: the result may be a moment old. */
  default CompletionStage<Decision> glanceAsync(String key, long cost) {
    return peekAsync(key, cost);
  }

  /** About how many keys have buckets of their own now; 0 if that is not known locally. */
  long keys();

  /** How many checks the overflow bucket has decided so far. */
  long overflowed();

  /** Takes at a time given by the caller; only a local store supports this. */
  default Decision checkAt(String key, long cost, long epochMillis) {
    throw new UnsupportedOperationException("this store decides by its own clock only");
  }

  /** {@link #checkAt} without the details. */
  default boolean tryAcquireAt(String key, long cost, long epochMillis) {
    return checkAt(key, cost, epochMillis).allowed();
  }

  /** The non-blocking form of {@link #check}. */
  default CompletionStage<Decision> checkAsync(String key, long cost) {
    return CompletableFuture.completedStage(check(key, cost));
  }

  /** The non-blocking form of {@link #peek}. */
  default CompletionStage<Decision> peekAsync(String key, long cost) {
    return CompletableFuture.completedStage(peek(key, cost));
  }

  /** The non-blocking form of {@link #take}. */
  default CompletionStage<Receipt> takeAsync(String key, long cost) {
    return CompletableFuture.completedStage(take(key, cost));
  }

  /** The non-blocking form of {@link #reserve}. */
  default CompletionStage<Receipt> reserveAsync(String key, long cost, Duration longestWait) {
    return CompletableFuture.completedStage(reserve(key, cost, longestWait));
  }

  /**
   * The non-blocking form of {@link #settle}. Fails with {@link StoreUnavailableException} if the
   * correction did not reach the store. Unless the outcome is in doubt, the receipt can be settled
   * once more.
   */
  default CompletionStage<Void> settleAsync(Receipt receipt, long actualCost) {
    settle(receipt, actualCost);
    return CompletableFuture.completedStage(null);
  }

  /**
   * The non-blocking form of {@link #chargeInFull}. Fails with {@link StoreUnavailableException} if
   * the store could not be reached. Unless the outcome is in doubt, nothing was charged.
   */
  default CompletionStage<Void> chargeInFullAsync(String key, long cost) {
    chargeInFull(key, cost);
    return CompletableFuture.completedStage(null);
  }

  /** The non-blocking form of {@link #reject}. */
  default CompletionStage<Void> rejectAsync(String key, long cost) {
    reject(key, cost);
    return CompletableFuture.completedStage(null);
  }

  /**
   * The non-blocking form of {@link #refund}. Fails with {@link StoreUnavailableException} if the
   * refund did not reach the store.
   */
  default CompletionStage<Void> refundAsync(String key, long permits) {
    refund(key, permits);
    return CompletableFuture.completedStage(null);
  }

  /** The non-blocking form of {@link #reset}. */
  default CompletionStage<Void> resetAsync(String key) {
    reset(key);
    return CompletableFuture.completedStage(null);
  }

  /** What a store must remember of a charge so that it can correct it. */
  interface Receipt {
    /** The decision; the receipt of a refusal is already settled. */
    Decision decision();
  }
}
