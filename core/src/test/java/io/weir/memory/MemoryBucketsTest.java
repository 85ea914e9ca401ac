package io.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.RateLimiter;
import io.weir.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Many keys: forgotten when nothing is spent, kept apart up to a number, shared beyond it. */
class MemoryBucketsTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** Addresses of one network, which share an overflow bucket. */
  private static final String X = "192.0.2.1";

  private static final String Y = "192.0.2.2";
  private static final String Z = "192.0.2.3";

  private final ManualTime time = TimeSource.manual();

  /** A word a key, several words, and several limits. */
  static Stream<List<Limit>> limits() {
    return Stream.of(
        List.of(Limit.tokenBucket(2).perMinute()),
        List.of(Limit.fixedWindow(2).perMinute()),
        List.of(Limit.slidingWindow(2).perMinute()),
        List.of(Limit.slidingLog(2).perMinute()),
        List.of(Limit.slidingEpochs(2).perMinute()),
        List.of(Limit.tokenBucket(2).perMinute(), Limit.slidingLog(5).perMinute()));
  }

  private RateLimiter limiter(long maxKeys, List<Limit> limits) {
    RateLimiter.Builder builder = RateLimiter.builder().time(time).maxKeys(maxKeys);
    for (Limit limit : limits) {
      builder.limit(limit);
    }
    return builder.build();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("limits")
  void keysWithNothingSpentVanishInPassing(List<Limit> limits) {
    RateLimiter limiter = limiter(1_000_000, limits);
    for (int i = 0; i < 20_000; i++) {
      limiter.tryAcquire("k" + i);
    }
    assertThat(limiter.keys()).isEqualTo(20_000);
    time.advance(MINUTE.multipliedBy(3));
    limiter.tryAcquire("stays", 2);
    for (int i = 0; i < 3000; i++) {
      time.advance(Duration.ofMillis(1));
      limiter.tryAcquire("stays", 2);
    }
    assertThat(limiter.keys()).isLessThan(100);
    assertThat(limiter.tryAcquire("stays", 2)).isFalse();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("limits")
  void keepsKeysWhileSomethingIsSpent(List<Limit> limits) {
    RateLimiter limiter = limiter(1_000_000, limits);
    for (int i = 0; i < 5000; i++) {
      assertThat(limiter.tryAcquire("k" + i, 2)).isTrue();
      time.advance(Duration.ofMillis(1));
      limiter.tryAcquire("passer-by" + i);
    }
    for (int i = 0; i < 5000; i++) {
      assertThat(limiter.tryAcquire("k" + i, 2)).as("k%d", i).isFalse();
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("limits")
  void givenTimesOfOneKeyExpireNoOtherKey(List<Limit> limits) {
    RateLimiter limiter = limiter(1_000_000, limits);
    for (int i = 0; i < 2000; i++) {
      assertThat(limiter.checkAt("k" + i, 2, i % 2 == 0 ? 0 : 1_000_000_000L).allowed()).isTrue();
    }
    for (int i = 0; i < 2000; i++) {
      assertThat(limiter.allow("k" + i, i % 2 == 0 ? 0 : 1_000_000_000L)).isFalse();
      time.advance(MINUTE);
      limiter.tryAcquire("by the clock");
    }
    for (int i = 0; i < 2000; i++) {
      assertThat(limiter.allow("k" + i, i % 2 == 0 ? 0 : 1_000_000_000L)).isFalse();
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("limits")
  void newKeysShareTheOverflowWhileTheTableIsFull(List<Limit> limits) {
    RateLimiter limiter = limiter(10, limits);
    for (int i = 0; i < 10; i++) {
      assertThat(limiter.tryAcquire("k" + i, 2)).isTrue();
    }
    assertThat(limiter.overflowed()).isZero();
    assertThat(limiter.tryAcquire(X)).isTrue();
    assertThat(limiter.check(Y).allowed()).isTrue();
    assertThat(limiter.tryAcquire(Z)).as("x and y have spent it").isFalse();
    assertThat(limiter.check(Z).allowed()).isFalse();
    assertThat(limiter.peek(X).remaining()).isZero();
    assertThat(limiter.overflowed()).isGreaterThanOrEqualTo(4);
    assertThat(limiter.keys()).isEqualTo(10);
    for (int i = 0; i < 10; i++) {
      assertThat(limiter.tryAcquire("k" + i)).as("no bucket was dropped").isFalse();
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("limits")
  void aKeyThatGetsItsOwnPlaceStartsWithACopyOfTheOverflow(List<Limit> limits) {
    RateLimiter limiter = limiter(10, limits);
    for (int i = 0; i < 10; i++) {
      limiter.tryAcquire("k" + i);
    }
    assertThat(limiter.tryAcquire(X, 2)).isTrue();
    limiter.reset("k0");
    limiter.reset("k1");
    limiter.reset("k2");
    limiter.reset("k3");
    limiter.reset("k4");
    assertThat(limiter.tryAcquire(Y)).as("it may have been x").isFalse();
    assertThat(limiter.tryAcquire(X)).isFalse();
    time.advance(MINUTE.multipliedBy(3));
    assertThat(limiter.tryAcquire(X, 2)).isTrue();
    assertThat(limiter.tryAcquire(Y, 2)).isTrue();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("limits")
  void roomIsMadeWhenTheTableIsFullOfOldKeys(List<Limit> limits) {
    RateLimiter limiter = limiter(10, limits);
    for (int i = 0; i < 10; i++) {
      limiter.tryAcquire("k" + i, 2);
    }
    time.advance(MINUTE.multipliedBy(3));
    for (int i = 0; i < 10; i++) {
      assertThat(limiter.tryAcquire("n" + i, 2)).isTrue();
    }
    assertThat(limiter.overflowed()).isZero();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("limits")
  void floodOfOneNetworkLocksOutFewNewcomersOfOthers(List<Limit> limits) {
    RateLimiter limiter = limiter(10, limits);
    for (int i = 0; i < 10; i++) {
      limiter.tryAcquire("k" + i);
    }
    for (int i = 0; i < 256; i++) {
      limiter.tryAcquire("192.0.2." + i);
    }
    assertThat(limiter.tryAcquire("192.0.2.7")).as("its network has spent the bucket").isFalse();
    int allowed = 0;
    for (int i = 0; i < 100; i++) {
      allowed += limiter.tryAcquire("198.51." + i + ".1") ? 1 : 0;
    }
    assertThat(allowed).as("of 100 networks, with two permits a bucket").isGreaterThan(90);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("limits")
  void newcomersWithoutAddressAreSpreadToo(List<Limit> limits) {
    RateLimiter limiter = limiter(10, limits);
    for (int i = 0; i < 10; i++) {
      limiter.tryAcquire("k" + i);
    }
    int allowed = 0;
    for (int i = 0; i < 100; i++) {
      allowed += limiter.tryAcquire("user-" + i) ? 1 : 0;
      assertThat(limiter.tryAcquire("user-" + i, 2)).as("never more than the limit").isFalse();
    }
    assertThat(allowed).isGreaterThan(80);
  }

  @Test
  void theOverflowMayHaveItsOwnSize() {
    RateLimiter limiter =
        RateLimiter.builder()
            .limit(Limit.tokenBucket(2).perMinute())
            .overflow(Limit.tokenBucket(4).perMinute())
            .maxKeys(1)
            .time(time)
            .build();
    limiter.tryAcquire("a");
    for (int i = 0; i < 4; i++) {
      assertThat(limiter.tryAcquire("192.0.2." + i)).isTrue();
    }
    assertThat(limiter.tryAcquire("192.0.2.9")).isFalse();
    assertThat(limiter.check("192.0.2.9").limit()).isEqualTo(Limit.tokenBucket(4).perMinute());
  }

  @Test
  void peekAtAFullTableReadsTheOverflowBucket() {
    RateLimiter limiter =
        RateLimiter.builder()
            .limit(Limit.tokenBucket(10).perMinute())
            .overflow(Limit.tokenBucket(1).perMinute())
            .maxKeys(1)
            .time(time)
            .build();
    limiter.tryAcquire("a");
    assertThat(limiter.peek("b").remaining()).isEqualTo(1);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("limits")
  void manyKeysKeepTheirsThroughAChangeOfLimits(List<Limit> limits) {
    RateLimiter limiter = limiter(1_000_000, limits);
    for (int i = 0; i < 10_000; i++) {
      limiter.tryAcquire("k" + i, 1 + i % 2);
    }
    if (limits.size() == 1) {
      limiter.reconfigure(limits.get(0));
    } else {
      limiter.reconfigure(limits.get(1), limits.get(0));
    }
    for (int i = 0; i < 10_000; i++) {
      assertThat(limiter.peek("k" + i).remaining()).as("k%d", i).isEqualTo(1 - i % 2);
    }
    assertThat(limiter.keys()).isEqualTo(10_000);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("limits")
  void theOverflowKeepsItsOwnThroughAChangeOfLimits(List<Limit> limits) {
    RateLimiter limiter = limiter(1, limits);
    limiter.tryAcquire("a");
    limiter.tryAcquire(X, 2);
    long before = limiter.overflowed();
    assertThat(before).isPositive();
    limiter.reconfigure(limits.get(0));
    assertThat(limiter.tryAcquire(Y)).isFalse();
    assertThat(limiter.overflowed()).isGreaterThan(before);
    assertThat(limiter.peek("a").remaining()).isEqualTo(1);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("limits")
  void clockSetFarBackFreezesNoKey(List<Limit> limits) {
    time.advance(Duration.ofDays(100));
    RateLimiter limiter = limiter(100, limits);
    limiter.tryAcquire("a", 2);
    time.advance(Duration.ofDays(-50));
    assertThat(limiter.tryAcquire("a")).as("nothing twice").isFalse();
    time.advance(MINUTE.multipliedBy(2));
    assertThat(limiter.tryAcquire("a")).isTrue();
  }

  @Test
  void whatIsSpentOnTheOverflowCanBeGivenBackThere() {
    RateLimiter limiter = limiter(1, List.of(Limit.slidingLog(3).perMinute()));
    limiter.tryAcquire("a");
    limiter.tryAcquire(X);
    var reservation = limiter.reserve(Y, 2, Duration.ZERO);
    assertThat(limiter.peek(Z).remaining()).isZero();
    reservation.cancel();
    Decision after = limiter.peek(Z);
    assertThat(after.remaining()).isEqualTo(2);
    limiter.refund(X, 1);
    assertThat(limiter.peek(Z).remaining()).isEqualTo(3);
  }

  /** The last place goes to one of two threads with the same new key; the other must find it. */
  @Test
  void keyInLastPlaceIsKnownToOtherThreads() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      for (int round = 0; round < 1000; round++) {
        RateLimiter limiter = limiter(1, List.of(Limit.tokenBucket(1).perHour()));
        limiter.peek("k");
        AtomicInteger arrived = new AtomicInteger();
        Callable<Boolean> request =
            () -> {
              arrived.incrementAndGet();
              while (arrived.get() < 2) {
                Thread.onSpinWait();
              }
              return limiter.tryAcquire("k");
            };
        Future<Boolean> one = threads.submit(request);
        Future<Boolean> other = threads.submit(request);
        assertThat(one.get()).as("exactly one of two in round %d", round).isNotEqualTo(other.get());
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("limits")
  void theOverflowBucketOutlivesAnyNumberOfChanges(List<Limit> limits) {
    RateLimiter limiter = limiter(1, limits);
    limiter.tryAcquire("in");
    assertThat(limiter.tryAcquire("out", 2)).isTrue();
    Limit[] others = limits.subList(1, limits.size()).toArray(Limit[]::new);
    limiter.reconfigure(limits.get(0), others);
    limiter.reconfigure(limits.get(0), others);
    assertThat(limiter.tryAcquire("out", 2)).isFalse();
  }

  @Test
  void aChangeForWhichTheClockFailsChangesNothing() {
    AtomicBoolean broken = new AtomicBoolean();
    TimeSource clock =
        () -> {
          if (broken.get()) {
            throw new IllegalStateException("the clock is broken");
          }
          return 0;
        };
    Limit limit = Limit.tokenBucket(2).perMinute();
    RateLimiter limiter = RateLimiter.builder().limit(limit).time(clock).build();
    limiter.tryAcquire("k", 2);
    broken.set(true);
    assertThatThrownBy(() -> limiter.reconfigure(Limit.tokenBucket(3).perMinute()))
        .hasMessage("the clock is broken");
    broken.set(false);
    assertThat(limiter.peek("k").limit()).isEqualTo(limit);
    limiter.reconfigure(limit);
    assertThat(limiter.tryAcquire("k")).isFalse();
  }

  /** The clock moves with each call, so that some are samples and the key gets hot. */
  @Test
  void aHotKeyIsChargedOnceWhateverHappensToItsPlace() {
    RateLimiter limiter = RateLimiter.builder().limit(oneMillion(0)).time(time).build();
    int taken = 0;
    for (int i = 0; i < 60_000; i++) {
      time.setNanos(i);
      assertThat(limiter.tryAcquire("hot")).isTrue();
      taken++;
      if (i % 1000 == 0) {
        for (int stranger = 0; stranger < 300; stranger++) {
          limiter.tryAcquire("stranger " + i + " " + stranger);
        }
      }
      if (i % 7000 == 0) {
        limiter.reconfigure(oneMillion(1 + i));
        assertThat(limiter.peek("hot").remaining()).isEqualTo(1_000_001 + i - taken);
      }
    }
  }

  private static Limit oneMillion(int more) {
    return Limit.fixedWindow(1_000_000 + more).perYear();
  }

  @Test
  void threadsTakeAHotKeyExactlyAsOftenAsThereArePermitsWhileLimitsChange() throws Exception {
    int permits = 150_000;
    RateLimiter limiter = RateLimiter.of(Limit.fixedWindow(permits).perYear());
    ExecutorService pool = Executors.newFixedThreadPool(3);
    List<Future<Integer>> grants = new ArrayList<>();
    for (int thread = 0; thread < 3; thread++) {
      grants.add(
          pool.submit(
              () -> {
                int granted = 0;
                for (int i = 0; i < permits; i++) {
                  granted += limiter.tryAcquire("hot") ? 1 : 0;
                }
                return granted;
              }));
    }
    for (int i = 0; i < 200; i++) {
      limiter.reconfigure(Limit.fixedWindow(permits).perYear());
      limiter.tryAcquire("stranger " + i);
    }
    int total = 0;
    for (Future<Integer> granted : grants) {
      total += granted.get();
    }
    pool.shutdown();
    assertThat(total).isEqualTo(permits);
  }
}
