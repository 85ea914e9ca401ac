package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.AsyncRateLimiter;
import io.weir.Charge;
import io.weir.Charges;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.RateLimiter;
import io.weir.Receipts;
import io.weir.Reservation;
import io.weir.tck.model.ObservedDecision;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The basic behaviour of each operation. */
interface OperationTests extends StoreTests {
  @Test
  default void acquireWaitsForItsTurn() throws InterruptedException {
    RateLimiter limiter = harness().limiter(Limit.tokenBucket(20).perSecond().burst(1));
    long start = System.nanoTime();

    assertThat(limiter.acquire("key", Duration.ofSeconds(5))).isTrue();
    assertThat(limiter.acquire("key", Duration.ofSeconds(5))).isTrue();

    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(49_000_000);
  }

  @Test
  @Timeout(20)
  default void acquireReturnsAtOnceIfTheWaitIsTooLong() throws InterruptedException {
    RateLimiter bucket = harness().limiter(Limit.tokenBucket(1).perHour());
    RateLimiter queue = harness().limiter(Limit.leakyBucket(1).perHour().queue(5));
    bucket.check("key");
    queue.check("key");

    assertThat(bucket.acquire("key", Duration.ofMinutes(59))).isFalse();
    assertThat(bucket.acquire("key", 2, Limit.MAX_PERIOD)).isFalse();
    assertThat(queue.acquire("key", Duration.ofMinutes(59))).isFalse();
  }

  @Test
  @Timeout(20)
  default void anInterruptedWaitGivesItsPlaceBack() throws InterruptedException {
    RateLimiter limiter = harness().limiter(Limit.leakyBucket(1).perHour().queue(5));
    limiter.check("key");
    long before = limiter.peek("key").remaining();
    CountDownLatch started = new CountDownLatch(1);
    AtomicReference<Object> outcome = new AtomicReference<>();
    Thread waiting =
        new Thread(
            () -> {
              try {
                started.countDown();
                outcome.set(limiter.acquire("key", Duration.ofHours(2)));
              } catch (InterruptedException e) {
                outcome.set(e);
              }
            });
    waiting.start();
    started.await();
    while (limiter.peek("key").remaining() == before) {
      Thread.onSpinWait();
    }

    waiting.interrupt();
    waiting.join();

    assertThat(outcome.get()).isInstanceOf(InterruptedException.class);
    assertThat(limiter.peek("key").remaining()).isEqualTo(before);
  }

  @Test
  default void aLeakyBucketGivesBackTheLastPlaceOnly() {
    RateLimiter limiter = harness().limiter(Limit.leakyBucket(1).perHour().queue(5));
    Reservation first = limiter.reserve("key");
    Reservation last = limiter.reserve("key");

    first.cancel();
    assertThat(limiter.peek("key").remaining()).isEqualTo(4);
    last.cancel();
    assertThat(limiter.peek("key").remaining()).isEqualTo(5);
  }

  @Test
  default void severalChargesAreMadeTogetherOrNotAtAll() {
    RateLimiter user = harness().limiter(Limit.tokenBucket(5).perHour());
    RateLimiter everybody = harness().limiter(Limit.slidingLog(7).per(Duration.ofHours(1)));

    Decision both = RateLimiter.checkAll(Charge.of(user, "ann", 4), Charge.of(everybody, "all", 4));
    assertThat(both.allowed()).isTrue();
    assertThat(both.standings()).hasSize(2);

    Decision refused =
        RateLimiter.checkAll(Charge.of(user, "bob", 4), Charge.of(everybody, "all", 4));
    assertThat(refused.allowed()).isFalse();
    assertThat(refused.limit()).isEqualTo(everybody.limits().get(0));
    assertThat(user.peek("bob").remaining()).isEqualTo(5);
    assertThat(everybody.peek("all").remaining()).isEqualTo(3);
  }

  /** Two charges that pass one by one, but not both: as if another caller had been faster. */
  @Test
  default void whatWasTakenIsGivenBackWhenALaterChargeIsRefused() {
    RateLimiter first = harness().limiter(Limit.tokenBucket(5).perHour());
    RateLimiter scarce = harness().limiter(Limit.fixedWindow(3).per(Duration.ofHours(1)));
    ObservedDecision before = ObservedDecision.of(first.peek("key"));

    Decision refused =
        RateLimiter.checkAll(
            Charge.of(first, "key", 2), Charge.of(scarce, "key", 2), Charge.of(scarce, "key", 2));

    assertThat(refused.allowed()).isFalse();
    assertThat(refused.neverFits()).isFalse();
    assertThat(first.peek("key").remaining()).isEqualTo(before.remaining());
    assertThat(scarce.peek("key").remaining()).isEqualTo(3);
  }

  @Test
  default void aRefusalOfSeveralChargesIsCountedWhereRefusalsCount() {
    Duration hour = Duration.ofHours(1);
    RateLimiter counting = harness().limiter(Limit.slidingLog(5).per(hour).countingRejected());
    RateLimiter empty = harness().limiter(Limit.tokenBucket(1).perHour());
    empty.check("key");

    RateLimiter.checkAll(Charge.of(counting, "key", 2), Charge.of(empty, "key"));
    assertThat(counting.peek("key").remaining()).isEqualTo(3);
    RateLimiter.checkAll(Charge.of(counting, "key", 2), Charge.of(empty, "key", 2));
    assertThat(counting.peek("key").remaining()).as("never fits, never counts").isEqualTo(3);
  }

  /** No key is forgotten and none passes unchecked: new keys of a network share one bucket. */
  @Test
  default void aFullTableLetsStrangersOfOneNetworkShareABucket() {
    needs(Harness.Ability.KEY_CAP);
    needs(Harness.Ability.MANUAL_TIME);
    RateLimiter limiter =
        harness().builder().limit(Limit.tokenBucket(3).perSecond()).maxKeys(2).build();
    limiter.check("ann", 3);
    limiter.check("bob", 1);
    assertThat(limiter.overflowed()).isZero();

    assertThat(limiter.tryAcquire("192.0.2.3", 2)).isTrue();
    assertThat(limiter.tryAcquire("192.0.2.4", 2))
        .as("one is left for all new keys of that network")
        .isFalse();
    assertThat(limiter.tryAcquire("192.0.2.4", 1)).isTrue();
    assertThat(limiter.overflowed()).isEqualTo(3);
    assertThat(limiter.peek("ann").remaining()).isZero();
    assertThat(limiter.peek("bob").remaining()).isEqualTo(2);

    harness().advance(Duration.ofMillis(900));
    assertThat(limiter.check("192.0.2.3").remaining())
        .as("has a bucket of its own, which starts like the shared one")
        .isEqualTo(1);
  }

  /**
   * What has expired for one caller has not for another in the same bucket with an earlier time.
   */
  @Test
  default void theSharedBucketGrantsNothingTwiceWhereTimesAreTheCallersOwn() {
    needs(Harness.Ability.KEY_CAP);
    needs(Harness.Ability.CALLER_TIME);
    for (Limit limit : List.of(Limit.tokenBucket(1).perSecond(), Limit.slidingLog(1).perSecond())) {
      RateLimiter limiter = harness().builder().limit(limit).maxKeys(1).build();
      assertThat(limiter.allow("first", 0)).isTrue();
      assertThat(limiter.allow("192.0.2.1", 1_000_000)).isTrue();
      assertThat(limiter.allow("192.0.2.1", 1_000_000)).isFalse();
      limiter.allow("192.0.2.2", 0);
      assertThat(limiter.allow("192.0.2.1", 1_000_000)).as("%s", limit).isFalse();
    }
  }

  @Test
  default void chargesThatWereMadeTogetherAreTakenBackTogetherAndOnce() {
    RateLimiter one = harness().limiter(Limit.tokenBucket(5).perHour());
    RateLimiter two = harness().limiter(Limit.slidingLog(5).perHour());
    Receipts receipts =
        RateLimiter.takeAll(List.of(Charge.of(one, "key", 2), Charge.of(two, "key", 3)));
    assertThat(receipts.decisions()).extracting(Decision::remaining).containsExactly(3L, 2L);

    receipts.cancel();
    receipts.cancel();
    receipts.cancelAsync().toCompletableFuture().join();
    assertThat(one.peek("key").remaining()).isEqualTo(5);
    assertThat(two.peek("key").remaining()).isEqualTo(5);

    Receipts again =
        RateLimiter.takeAll(List.of(Charge.of(one, "key", 2), Charge.of(two, "key", 3)));
    again.cancelAsync().toCompletableFuture().join();
    assertThat(one.peek("key").remaining()).isEqualTo(5);
    assertThat(two.peek("key").remaining()).isEqualTo(5);

    Receipts refused =
        RateLimiter.takeAll(List.of(Charge.of(one, "key", 2), Charge.of(two, "key", 6)));
    refused.cancel();
    assertThat(refused.together().neverFits()).isTrue();
    assertThat(one.peek("key").remaining()).isEqualTo(5);
  }

  @Test
  default void chargesThatWereMadeTogetherAreSettledEachByItsOwnCost() {
    RateLimiter one = harness().limiter(Limit.tokenBucket(5).perHour());
    RateLimiter two = harness().limiter(Limit.fixedWindow(5).perHour());
    RateLimiter none = harness().limiter(Limit.slidingLog(5).perHour());
    List<Charge> charges =
        List.of(Charge.of(one, "key", 3), Charge.of(two, "key", 1), Charge.of(none, "key", 0));

    Receipts receipts = RateLimiter.takeAll(charges);
    assertThat(receipts.areGranted()).isTrue();
    receipts.settleAsync(charge -> charge + 2).toCompletableFuture().join();
    receipts.cancel();
    assertThat(one.peek("key").remaining()).isEqualTo(3);
    assertThat(two.peek("key").remaining()).isEqualTo(2);
    assertThat(none.peek("key").remaining()).isEqualTo(1);
  }

  /** An asynchronous correction completes when it is done, and is applied once. */
  @Test
  default void asyncCorrectionsAreAppliedOnce() {
    RateLimiter limiter = harness().limiter(Limit.slidingLog(50).perHour());
    Reservation less = limiter.reserve("key", 10, Duration.ZERO);
    Reservation more = limiter.reserve("key", 10, Duration.ZERO);
    less.settleAsync(4).toCompletableFuture().join();
    less.settleAsync(0).toCompletableFuture().join();
    more.settleAsync(20).toCompletableFuture().join();
    more.settleAsync(30).toCompletableFuture().join();
    assertThat(limiter.peek("key").remaining()).isEqualTo(26);
    limiter.async().refund("key", 5).toCompletableFuture().join();
    assertThat(limiter.peek("key").remaining()).isEqualTo(31);
  }

  @Test
  default void oneFittingLimitOfAChoiceSuffices() {
    RateLimiter user = harness().limiter(Limit.tokenBucket(9).perHour());
    RateLimiter small = harness().limiter(Limit.fixedWindow(1).perHour());
    RateLimiter large = harness().limiter(Limit.slidingLog(2).perHour());
    Charges charges =
        new Charges(
            List.of(Charge.of(user, "key")),
            List.of(Charge.of(small, "key"), Charge.of(large, "key")));

    assertThat(RateLimiter.take(charges).areGranted()).isTrue();
    assertThat(small.peek("key").remaining()).isZero();
    assertThat(large.peek("key").remaining()).isEqualTo(1);

    Receipts second = AsyncRateLimiter.take(charges).toCompletableFuture().join();
    assertThat(second.areGranted()).isTrue();
    assertThat(second.decisions()).extracting(Decision::allowed).containsExactly(true, false, true);
    assertThat(user.peek("key").remaining()).isEqualTo(7);

    Receipts third = RateLimiter.take(charges);
    assertThat(third.areGranted()).isFalse();
    assertThat(third.decisions()).extracting(Decision::allowed).containsExactly(true, false, false);
    assertThat(third.decisions().get(0).remaining()).isEqualTo(7);
    assertThat(user.peek("key").remaining()).as("nothing was taken").isEqualTo(7);

    second.cancel();
    assertThat(user.peek("key").remaining()).isEqualTo(8);
    assertThat(large.peek("key").remaining()).isEqualTo(1);
    Charge empty = Charge.of(small, "key");
    Receipts refused =
        RateLimiter.take(new Charges(List.of(empty), List.of(Charge.of(large, "key"))));
    assertThat(refused.areGranted()).isFalse();
    assertThat(large.peek("key").remaining()).as("a choice does not bypass the limit").isEqualTo(1);
  }

  @Test
  default void lookRequiresPermitsWithoutTakingThem() {
    RateLimiter user = harness().limiter(Limit.tokenBucket(5).perHour());
    RateLimiter looked = harness().limiter(Limit.slidingLog(2).perHour().countingRejected());
    Charges charges = Charges.of(List.of(Charge.look(looked, "key", 2), Charge.of(user, "key")));

    assertThat(RateLimiter.take(charges).areGranted()).isTrue();
    assertThat(looked.peek("key").remaining()).isEqualTo(2);
    looked.check("key");
    Receipts refused = AsyncRateLimiter.take(charges).toCompletableFuture().join();
    assertThat(refused.areGranted()).isFalse();
    assertThat(refused.decisions()).extracting(Decision::allowed).containsExactly(false, true);
    assertThat(looked.peek("key").remaining()).as("a peek is not a request").isEqualTo(1);
    assertThat(user.peek("key").remaining()).isEqualTo(4);

    Charges only = Charges.of(List.of(Charge.look(looked, "key", 1)));
    assertThat(RateLimiter.take(only).areGranted()).isTrue();
    looked.check("key");
    assertThat(RateLimiter.take(only).areGranted()).isFalse();
    Charges any = new Charges(List.of(), List.of(Charge.look(looked, "key", 1)));
    assertThat(RateLimiter.take(any).areGranted()).isFalse();
    assertThat(looked.peek("key").remaining()).isZero();
  }

  @Test
  default void receiptsFromBeforeAChangeOfLimitsGiveBackNothingTwice() {
    RateLimiter limiter = harness().limiter(Limit.tokenBucket(5).perHour());
    Receipts receipts = RateLimiter.takeAll(List.of(Charge.of(limiter, "key", 3)));
    limiter.reconfigure(Limit.tokenBucket(6).perHour().burst(5));
    receipts.cancel();
    assertThat(limiter.peek("key").remaining()).isLessThanOrEqualTo(5);
    limiter.refund("key", 100);
    assertThat(limiter.peek("key").remaining()).isEqualTo(5);
  }

  /** The later part of a change concerns only keys that are not requested, whenever it runs. */
  @Test
  default void aChangeHoldsAtOnceWhateverBecomesOfItsRest() {
    for (String rest : List.of("never", "twice", "after the next change")) {
      RateLimiter limiter = harness().limiter(Limit.slidingLog(5).perHour());
      for (int i = 0; i < 100; i++) {
        limiter.check("key-" + i, 2);
      }
      Runnable first = limiter.beginReconfigure(List.of(Limit.slidingLog(7).perHour()));
      assertThat(limiter.peek("key-1").remaining()).as(rest).isEqualTo(5);
      assertThat(limiter.check("key-2").remaining()).as(rest).isEqualTo(4);
      if (rest.equals("twice")) {
        first.run();
        first.run();
      }
      Runnable second = limiter.beginReconfigure(List.of(Limit.slidingLog(9).perHour()));
      if (rest.equals("after the next change")) {
        first.run();
        second.run();
      }
      assertThat(limiter.peek("key-2").remaining()).as(rest).isEqualTo(6);
      assertThat(limiter.peek("key-3").remaining()).as(rest).isEqualTo(7);
      assertThat(limiter.peek("unused").remaining()).as(rest).isEqualTo(9);
    }
  }

  @Test
  default void badInputIsRefusedWithItsNameAndValue() {
    RateLimiter limiter = harness().limiter(Limit.tokenBucket(3).perSecond());
    assertThatThrownBy(() -> limiter.check("key", -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cost")
        .hasMessageContaining("-1");
    assertThatThrownBy(() -> limiter.reserve("key", 1, Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("longestWait");
    assertThat(limiter.check("key", 0).remaining()).isEqualTo(3);
    assertThat(limiter.check("k".repeat(1_000_000)).allowed()).isTrue();
  }
}
