package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The limiter as its users see it. */
@Timeout(60)
class RateLimiterTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final ManualTime time = TimeSource.manual();

  private RateLimiter limiter(Limit... limits) {
    RateLimiter.Builder builder = RateLimiter.builder().time(time);
    for (Limit limit : limits) {
      builder.limit(limit);
    }
    return builder.build();
  }

  static Stream<Limit> threePerTenSeconds() {
    Duration period = Duration.ofSeconds(10);
    return Stream.of(
        Limit.tokenBucket(3).per(period),
        Limit.leakyBucket(3).per(period).queue(2),
        Limit.fixedWindow(3).per(period),
        Limit.slidingLog(3).per(period),
        Limit.slidingLog(3).per(period).countingRejected(),
        Limit.slidingWindow(3).per(period),
        Limit.slidingEpochs(3).per(period),
        Limit.slidingEpochs(3).per(period).countingRejected());
  }

  // The simple form.

  @Test
  void atMostThreeInAnyTenSecondsForEachUser() {
    RateLimiter limiter = new RateLimiter(3, 10_000);
    Object[][] table = {
      {"A", 0L, true},
      {"A", 1L, true},
      {"B", 5_000_000L, true},
      {"A", 2L, true},
      {"A", 3L, false},
      {"A", 9_999L, false},
      {"B", 5_000_001L, true},
      {"A", 10_000L, true},
      {"A", 10_000L, false},
      {"A", 10_001L, true},
      {"B", 5_000_002L, true},
      {"B", 5_009_999L, false},
      {"B", 5_010_000L, true},
      {"A", 10_001L, false},
    };
    for (Object[] row : table) {
      assertThat(limiter.allow((String) row[0], (long) row[1]))
          .as("%s at %s", row[0], row[1])
          .isEqualTo(row[2]);
    }
    assertThat(limiter.limits()).containsExactly(Limit.slidingLog(3).per(Duration.ofSeconds(10)));
  }

  @Test
  void givenTimesTellAsMuchAsTheClock() {
    RateLimiter limiter = limiter(Limit.tokenBucket(2).per(Duration.ofSeconds(10)));
    assertThat(limiter.checkAt("a", 2, 1000).remaining()).isZero();
    Decision refused = limiter.checkAt("a", 1, 2000);
    assertThat(refused.retryAfter()).contains(Duration.ofMillis(4000));
    assertThat(refused.time()).isEqualTo(Instant.ofEpochMilli(2000));
  }

  @Test
  void aTimeOffTheTimelineIsNamed() {
    RateLimiter limiter = new RateLimiter(3, 10_000);
    assertThat(limiter.allow("a", 0)).isTrue();
    assertThatThrownBy(() -> limiter.allow("a", 1L << 41))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("time 2199023255552 ms");
  }

  // The verbs.

  @ParameterizedTest(name = "{0}")
  @MethodSource("threePerTenSeconds")
  void threePassAndTheFourthWaits(Limit limit) {
    RateLimiter limiter = limiter(limit);
    assertThat(limiter.peek("a").remaining()).isEqualTo(3);
    for (int left = 2; left >= 0; left--) {
      Decision decision = limiter.check("a");
      assertThat(decision.allowed()).isTrue();
      assertThat(decision.remaining()).isEqualTo(left);
      assertThat(decision.retryAfter()).contains(Duration.ZERO);
      assertThat(decision.origin()).isEqualTo(Origin.MEMORY);
      assertThat(decision.limit()).isEqualTo(limit);
      assertThat(decision.cost()).isEqualTo(1);
    }
    Duration wait = limiter.peek("a").retryAfter().orElseThrow();
    assertThat(wait).isPositive();
    assertThat(limiter.tryAcquire("b")).as("somebody else").isTrue();

    time.advance(wait.minusNanos(1));
    assertThat(limiter.peek("a").allowed()).isFalse();
    time.advance(Duration.ofNanos(1));
    assertThat(limiter.tryAcquire("a")).isTrue();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("threePerTenSeconds")
  void tryAcquireAndCheckDecideAlike(Limit limit) {
    RateLimiter checked = limiter(limit);
    RateLimiter tried = limiter(limit);
    long[] steps = {0, 1, 500, 999, 3333, 3334, 0, 5000, 9999, 10_000, 1, 3, 12_345};
    for (int i = 0; i < 300; i++) {
      time.advance(Duration.ofMillis(steps[i % steps.length] * (i % 3)));
      long cost = 1L + i % 4;
      assertThat(tried.tryAcquire("a", cost))
          .as("step %d", i)
          .isEqualTo(checked.check("a", cost).allowed());
      assertThat(tried.peek("a")).isEqualTo(checked.peek("a"));
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("threePerTenSeconds")
  void aPeekSpendsNothingAndAnswersLikeACheck(Limit limit) {
    RateLimiter limiter = limiter(limit);
    for (int i = 0; i < 3; i++) {
      Decision peeked = limiter.peek("a");
      assertThat(limiter.peek("a")).isEqualTo(peeked);
      Decision checked = limiter.check("a");
      assertThat(checked.allowed()).isEqualTo(peeked.allowed());
      assertThat(checked.delay()).isEqualTo(peeked.delay());
      assertThat(checked.remaining()).isEqualTo(peeked.remaining() - 1);
    }
    assertThat(limiter.peek("a").allowed()).isFalse();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("threePerTenSeconds")
  void aCostOfZeroIsAlwaysAllowedAndChangesNothing(Limit limit) {
    RateLimiter limiter = limiter(limit);
    limiter.tryAcquire("a", 3);
    Decision before = limiter.peek("a");
    assertThat(limiter.tryAcquire("a", 0)).isTrue();
    assertThat(limiter.check("a", 0).allowed()).isTrue();
    assertThat(limiter.check("a", 0).delay()).isZero();
    assertThat(limiter.peek("a", 0).remaining()).isZero();
    assertThat(limiter.reserve("a", 0, LONG).granted()).isTrue();
    assertThat(limiter.peek("a")).isEqualTo(before);
    assertThat(limiter.tryAcquire("b", 0)).isTrue();
    assertThat(limiter.check("b", 0).remaining()).isEqualTo(3);
    assertThat(limiter.keys()).isEqualTo(1);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("threePerTenSeconds")
  void aCostAboveCapacityNeverFitsAndIsNotCounted(Limit limit) {
    RateLimiter limiter = limiter(limit);
    for (long cost : new long[] {4, 1L << 31, 1L << 40, Long.MAX_VALUE}) {
      assertThat(limiter.tryAcquire("a", cost)).isFalse();
      Decision decision = limiter.check("a", cost);
      assertThat(decision.allowed()).isFalse();
      assertThat(decision.neverFits()).isTrue();
      assertThat(decision.retryAfter()).isEmpty();
      assertThat(decision.remaining()).isEqualTo(3);
      Reservation reservation = limiter.reserve("a", cost, LONG);
      assertThat(reservation.granted()).isFalse();
      assertThat(reservation.decision().neverFits()).isTrue();
      assertThat(limiter.peek("a", cost).neverFits()).isTrue();
    }
    assertThat(limiter.keys()).isZero();
    assertThat(limiter.tryAcquire("a", 3)).isTrue();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("threePerTenSeconds")
  void refundAndResetGiveBack(Limit limit) {
    RateLimiter limiter = limiter(limit);
    limiter.tryAcquire("a", 3);
    limiter.refund("a", 2);
    assertThat(limiter.peek("a").remaining()).isEqualTo(2);
    limiter.refund("a", Long.MAX_VALUE);
    assertThat(limiter.peek("a").remaining()).as("never above full").isEqualTo(3);
    limiter.refund("nobody", 5);
    limiter.refund("a", 0);
    assertThat(limiter.peek("nobody").remaining()).isEqualTo(3);
    limiter.tryAcquire("a", 3);
    limiter.reset("a");
    assertThat(limiter.peek("a").remaining()).isEqualTo(3);
    assertThat(limiter.check("a", 3).allowed()).isTrue();
    limiter.reset("nobody");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("threePerTenSeconds")
  void tenIdleYearsAreLikeNew(Limit limit) {
    RateLimiter limiter = limiter(limit);
    limiter.tryAcquire("a", 3);
    time.advance(Duration.ofDays(3650));
    assertThat(limiter.peek("a").remaining()).isEqualTo(3);
    assertThat(limiter.tryAcquire("a", 3)).isTrue();
    assertThat(limiter.tryAcquire("a")).isFalse();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("threePerTenSeconds")
  void anyClockWillDo(Limit limit) {
    for (long origin :
        new long[] {Long.MIN_VALUE, -1, 0, 1, Long.MAX_VALUE - Duration.ofDays(1).toNanos()}) {
      time.setNanos(origin);
      RateLimiter limiter = limiter(limit);
      assertThat(limiter.tryAcquire("a", 3)).isTrue();
      assertThat(limiter.tryAcquire("a")).isFalse();
      time.advance(Duration.ofSeconds(30));
      assertThat(limiter.tryAcquire("a", 3)).isTrue();
    }
  }

  // Several limits.

  @Test
  void severalLimitsTakeFromAllOrNone() {
    RateLimiter limiter =
        limiter(Limit.tokenBucket(5).perMinute(), Limit.slidingLog(2).perSecond());
    assertThat(limiter.check("a", 2).allowed()).isTrue();
    Decision refused = limiter.check("a");
    assertThat(refused.limit()).isEqualTo(Limit.slidingLog(2).perSecond());
    assertThat(refused.retryAfter()).contains(Duration.ofSeconds(1));
    assertThat(refused.standings()).extracting(Standing::remaining).containsExactly(3L, 0L);
    assertThat(refused.remaining()).isZero();
    time.advance(Duration.ofSeconds(1));
    assertThat(limiter.tryAcquire("a", 2)).isTrue();
    time.advance(Duration.ofSeconds(1));
    assertThat(limiter.tryAcquire("a", 2)).as("one is left of five").isFalse();
    assertThat(limiter.tryAcquire("a", 1)).isTrue();
    assertThat(limiter.check("a", 3).neverFits()).isTrue();
  }

  @Test
  void aRefusalByOneLimitCountsInTheOther() {
    Limit counting = Limit.slidingLog(3).perMinute().countingRejected();
    for (boolean quick : new boolean[] {true, false}) {
      RateLimiter limiter = limiter(counting, Limit.fixedWindow(1).perSecond());
      assertThat(limiter.tryAcquire("a")).isTrue();
      boolean again = quick ? limiter.tryAcquire("a") : limiter.check("a").allowed();
      assertThat(again).isFalse();
      assertThat(limiter.peek("a").standings())
          .extracting(Standing::remaining)
          .containsExactly(1L, 0L);
      limiter.reserve("a", 1, Duration.ZERO);
      assertThat(limiter.peek("a").standings().get(0).remaining())
          .as("a refused reservation counts nowhere")
          .isEqualTo(1);
    }
  }

  // Waiting.

  @Test
  void acquireIsAtOnceFalseWhenHopeless() throws Exception {
    RateLimiter limiter = limiter(Limit.tokenBucket(1).perMinute());
    assertThat(limiter.acquire("a", LONG)).isTrue();
    long start = System.nanoTime();
    assertThat(limiter.acquire("a", Duration.ofSeconds(59))).isFalse();
    assertThat(limiter.acquire("a", Duration.ZERO)).isFalse();
    assertThat(limiter.acquire("a", 2, LONG)).as("never fits").isFalse();
    assertThat(System.nanoTime() - start).isLessThan(5_000_000_000L);
    time.advance(Duration.ofMinutes(1));
    assertThat(limiter.acquire("a", Duration.ZERO)).as("nothing was taken").isTrue();
  }

  @Test
  void acquireIsHopelessWhereTheTurnIsTooFarAway() throws Exception {
    RateLimiter limiter = limiter(Limit.leakyBucket(1).perMinute().queue(5));
    assertThat(limiter.tryAcquire("a", 3)).isTrue();
    assertThat(limiter.acquire("a", Duration.ofMillis(1))).isFalse();
    assertThat(limiter.peek("a").delay()).isEqualTo(Duration.ofMinutes(3));
  }

  @Test
  void acquireWithExactlyTheWaitIsGranted() throws Exception {
    RateLimiter limiter = limiter(Limit.slidingLog(1).per(Duration.ofMillis(20)));
    assertThat(limiter.tryAcquire("a")).isTrue();
    assertThat(limiter.acquire("a", limiter.peek("a").retryAfter().orElseThrow())).isTrue();
  }

  @Test
  void acquireWaitsForItsTurn() throws Exception {
    RateLimiter limiter = RateLimiter.of(Limit.tokenBucket(1).per(Duration.ofMillis(50)));
    assertThat(limiter.acquire("a", LONG)).isTrue();
    long start = System.nanoTime();
    assertThat(limiter.acquire("a", Duration.ofSeconds(30))).isTrue();
    assertThat(System.nanoTime() - start).isGreaterThan(25_000_000);
    assertThat(limiter.tryAcquire("a")).isFalse();
  }

  @Test
  void anInterruptedWaitGivesBack() throws Exception {
    RateLimiter limiter = limiter(Limit.tokenBucket(1).perMinute());
    assertThat(limiter.tryAcquire("a")).isTrue();
    Duration before = limiter.peek("a").retryAfter().orElseThrow();

    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> limiter.acquire("a", LONG)).isInstanceOf(InterruptedException.class);

    assertThat(Thread.interrupted()).isFalse();
    assertThat(limiter.peek("a").retryAfter()).contains(before);
  }

  @Test
  void aWaitThatIsInterruptedLaterGivesBackToo() throws Exception {
    RateLimiter limiter = limiter(Limit.slidingLog(1).perMinute());
    assertThat(limiter.tryAcquire("a")).isTrue();
    Duration before = limiter.peek("a").resetAfter();
    boolean[] interrupted = new boolean[1];
    Thread waiter =
        new Thread(
            () -> {
              try {
                limiter.acquire("a", LONG);
              } catch (InterruptedException e) {
                interrupted[0] = true;
              }
            });
    waiter.start();
    while (waiter.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    assertThat(limiter.peek("a").retryAfter()).as("its place").contains(Duration.ofMinutes(2));
    waiter.interrupt();
    waiter.join();
    assertThat(interrupted[0]).isTrue();
    assertThat(limiter.peek("a").retryAfter()).contains(before);
  }

  // Changing the limits.

  @ParameterizedTest(name = "{0}")
  @MethodSource("threePerTenSeconds")
  void reconfigureKeepsWhatWasSpent(Limit limit) {
    RateLimiter limiter = limiter(limit);
    for (int i = 0; i < 500; i++) {
      limiter.tryAcquire("k" + i, 2);
    }
    Limit same = more(limit, 3);
    limiter.reconfigure(same);
    assertThat(limiter.limits()).containsExactly(same);
    for (int i = 0; i < 500; i++) {
      assertThat(limiter.peek("k" + i).remaining()).isEqualTo(1);
    }
    assertThat(limiter.peek("nobody").remaining()).isEqualTo(3);
    limiter.reconfigure(more(limit, 1));
    assertThat(limiter.peek("k7").remaining()).isZero();
    limiter.reconfigure(Limit.tokenBucket(2).perHour());
    assertThat(limiter.peek("k7").remaining()).as("another period starts fresh").isEqualTo(2);
  }

  private static Limit more(Limit limit, long permits) {
    Duration period = Duration.ofSeconds(10);
    return switch (limit.algorithm()) {
      case "token-bucket" -> Limit.tokenBucket(permits).per(period);
      case "leaky-bucket" -> new Limit.LeakyBucket(permits, period, permits - 1);
      case "fixed-window" -> Limit.fixedWindow(permits).per(period);
      case "sliding-log" -> Limit.slidingLog(permits).per(period);
      case "sliding-window" -> Limit.slidingWindow(permits).per(period);
      default -> Limit.slidingEpochs(permits).per(period);
    };
  }

  /** The clock may be anywhere: it says nothing about the times of those who bring their own. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("threePerTenSeconds")
  void reconfigureKeepsWhatWasSpentAtGivenTimes(Limit limit) {
    for (long clockMillis : new long[] {-1_000_000_000_000L, 0, 1_000_000_000_000L}) {
      time.set(Instant.ofEpochMilli(clockMillis));
      RateLimiter limiter = limiter(limit);
      limiter.checkAt("early", 2, 5);
      limiter.checkAt("late", 2, 500_000_000_005L);
      limiter.reconfigure(more(limit, 3));
      assertThat(limiter.checkAt("early", 0, 5).remaining()).isEqualTo(1);
      assertThat(limiter.checkAt("late", 0, 500_000_000_005L).remaining()).isEqualTo(1);
    }
  }

  @Test
  void limitsMayBeAddedAndTakenAway() {
    Limit bucket = Limit.tokenBucket(10).perMinute();
    Limit log = Limit.slidingLog(5).perMinute();
    RateLimiter limiter = limiter(bucket);
    limiter.tryAcquire("a", 4);
    limiter.reconfigure(log, bucket);
    assertThat(limiter.peek("a").standings())
        .extracting(Standing::remaining)
        .containsExactly(5L, 6L);
    limiter.tryAcquire("a", 2);
    limiter.reconfigure(log);
    assertThat(limiter.peek("a").remaining()).isEqualTo(3);
    limiter.reconfigure(bucket);
    assertThat(limiter.peek("a").remaining()).as("was gone meanwhile").isEqualTo(10);
  }

  @Test
  void reconfigureBeforeUseIsFine() {
    RateLimiter limiter = limiter(Limit.tokenBucket(10).perMinute());
    limiter.reconfigure(Limit.slidingLog(1).perMinute());
    assertThat(limiter.tryAcquire("a")).isTrue();
    assertThat(limiter.tryAcquire("a")).isFalse();
  }

  // The rest.

  @Test
  void aLimiterTellsAboutItself() {
    RateLimiter limiter =
        RateLimiter.builder().name("api").limit(Limit.slidingLog(1).perMinute()).time(time).build();
    limiter.tryAcquire("a");
    assertThat(limiter.name()).isEqualTo("api");
    assertThat(limiter.keys()).isEqualTo(1);
    assertThat(limiter.overflowed()).isZero();
    assertThat(limiter).hasToString("RateLimiter[api: [sliding-log 1 per 1m], 1 keys]");
    assertThat(RateLimiter.of(Limit.slidingLog(1).perMinute()).name()).isEqualTo("default");
  }

  @Test
  void aStoreMayBeGiven() {
    RateLimiter limiter =
        RateLimiter.builder()
            .limit(Limit.slidingLog(1).perMinute())
            .store(Store.memory())
            .time(time)
            .build();
    assertThat(limiter.tryAcquire("a")).isTrue();
    assertThat(limiter.tryAcquire("a")).isFalse();
  }

  // Bad input.

  @Test
  void noKeyIsRefusedByName() {
    RateLimiter limiter = limiter(Limit.tokenBucket(1).perMinute());
    List<ThrowingCallable> calls =
        List.of(
            () -> limiter.tryAcquire(null),
            () -> limiter.tryAcquire(null, 1),
            () -> limiter.check(null),
            () -> limiter.peek(null),
            () -> limiter.reserve(null),
            () -> limiter.acquire(null, LONG),
            () -> limiter.refund(null, 1),
            () -> limiter.reset(null),
            () -> limiter.allow(null, 0),
            () -> limiter.checkAt(null, 1, 0),
            () -> limiter.async().check(null),
            () -> Charge.of(limiter, null));
    for (var call : calls) {
      assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessage("key");
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE})
  void aCalendarWindowHoldsToTheEndOfTime(long epochMillis) {
    RateLimiter limiter = limiter(Limit.fixedWindow(1).perDay());
    assertThat(limiter.checkAt("a", 1, epochMillis).allowed()).isTrue();
    assertThat(limiter.checkAt("a", 1, epochMillis).allowed()).isFalse();
  }

  @Test
  void theEmptyKeyIsAKey() {
    RateLimiter limiter = limiter(Limit.tokenBucket(1).perMinute());
    assertThat(limiter.tryAcquire("")).isTrue();
    assertThat(limiter.tryAcquire("")).isFalse();
    assertThat(limiter.tryAcquire("a")).isTrue();
  }

  @Test
  void aKeyOfAMegabyteIsAKey() {
    RateLimiter limiter = limiter(Limit.slidingLog(1).perMinute());
    String key = "k".repeat(1 << 20);
    String wide = "語".repeat(1 << 20);
    assertThat(limiter.tryAcquire(key)).isTrue();
    assertThat(limiter.tryAcquire(key)).isFalse();
    assertThat(limiter.tryAcquire(key + "k")).isTrue();
    assertThat(limiter.tryAcquire(wide)).isTrue();
    assertThat(limiter.check(wide).allowed()).isFalse();
  }

  @ParameterizedTest(name = "cost {0}")
  @ValueSource(longs = {-1, Long.MIN_VALUE})
  void aNegativeCostIsRefusedByValue(long cost) {
    RateLimiter limiter = limiter(Limit.tokenBucket(1).perMinute());
    Reservation reservation = limiter.reserve("a");
    List<ThrowingCallable> calls =
        List.of(
            () -> limiter.tryAcquire("a", cost),
            () -> limiter.check("a", cost),
            () -> limiter.peek("a", cost),
            () -> limiter.reserve("a", cost, LONG),
            () -> limiter.acquire("a", cost, LONG),
            () -> limiter.checkAt("a", cost, 0),
            () -> limiter.async().tryAcquire("a", cost),
            () -> Charge.of(limiter, "a", cost));
    expectRefusal(calls, "cost must not be negative, but is " + cost);
    expectRefusal(
        List.of(() -> limiter.refund("a", cost), () -> limiter.async().refund("a", cost)),
        "permits must not be negative, but is " + cost);
    expectRefusal(
        List.of(() -> reservation.settle(cost), () -> reservation.settleAsync(cost)),
        "actualCost must not be negative, but is " + cost);
  }

  private static void expectRefusal(List<ThrowingCallable> calls, String message) {
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }
  }

  @Test
  void aNegativeWaitIsRefusedByValue() {
    RateLimiter limiter = limiter(Limit.tokenBucket(1).perMinute());
    Duration wait = Duration.ofNanos(-1);
    List<ThrowingCallable> calls =
        List.of(
            () -> limiter.acquire("a", wait),
            () -> limiter.reserve("a", 1, wait),
            () -> limiter.async().reserve("a", 1, wait));
    expectRefusal(calls, "longestWait must not be negative, but is PT-0.000000001S");
    assertThatThrownBy(() -> limiter.reserve("a", 1, null)).hasMessage("longestWait");
  }

  @Test
  void anEndlessWaitIsAWait() throws Exception {
    RateLimiter limiter = limiter(Limit.tokenBucket(2).perMinute());
    Duration endless = Duration.ofSeconds(Long.MAX_VALUE);
    assertThat(limiter.acquire("a", endless)).isTrue();
    assertThat(limiter.reserve("a", 1, endless).delay()).isZero();
    assertThat(limiter.reserve("a", 1, endless).delay()).isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void aBadLimitIsRefusedBeforeALimiterExists() {
    assertThatThrownBy(() -> new RateLimiter(-1, 1000)).hasMessageContaining("-1");
    assertThatThrownBy(() -> new RateLimiter(1, 0)).hasMessageContaining("0ms");
    assertThatThrownBy(() -> new RateLimiter(1, -5)).hasMessageContaining("-5ms");
    assertThatThrownBy(() -> new RateLimiter(1, Long.MAX_VALUE))
        .hasMessageContaining("9223372036854775807ms");
    assertThatThrownBy(() -> RateLimiter.builder().build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("limits must not be empty");
    assertThatThrownBy(() -> RateLimiter.builder().limit(null)).hasMessage("limit");
    assertThatThrownBy(() -> RateLimiter.builder().name(null)).hasMessage("name");
    assertThatThrownBy(() -> RateLimiter.builder().time(null)).hasMessage("time");
  }

  @Test
  void aRateOfZeroRefusesAll() throws Exception {
    RateLimiter limiter = new RateLimiter(0, 1000);
    assertThat(limiter.allow("a", 0)).isFalse();
    RateLimiter bucket = limiter(Limit.tokenBucket(0).perSecond());
    assertThat(bucket.tryAcquire("a")).isFalse();
    assertThat(bucket.check("a").neverFits()).isTrue();
    assertThat(bucket.check("a").remaining()).isZero();
    assertThat(bucket.check("a", 0).allowed()).isTrue();
    assertThat(bucket.acquire("a", LONG)).isFalse();
    assertThat(bucket.keys()).isZero();
  }
}
