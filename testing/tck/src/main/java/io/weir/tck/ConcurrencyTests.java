package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Charge;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.RateLimiter;
import io.weir.Reservation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * Concurrency tests with many threads: no permit too many, and none lost.
 *
 * <p>While the clock stands still, totals must be exact. While it moves, grants are compared with
 * each algorithm's bound. No request is in flight when the clock moves, so each decision used the
 * time that is recorded for it.
 */
interface ConcurrencyTests extends StoreTests {
  /**
   * One limit of each algorithm, and some with a state of more than one word, all of one capacity.
   */
  static List<Limit> limits(long capacity, Duration period) {
    return List.of(
        Limit.tokenBucket(capacity).per(period),
        Limit.leakyBucket(capacity).per(period).queue(capacity - 1),
        Limit.fixedWindow(capacity).per(period),
        Limit.slidingWindow(capacity).per(period),
        Limit.slidingEpochs(capacity).per(period).epochs(4),
        Limit.slidingLog(capacity).per(period));
  }

  private Stream<DynamicTest> forEachLimit(long capacity, Duration period, Check check) {
    return limits(capacity, period).stream()
        .map(limit -> DynamicTest.dynamicTest(limit.algorithm(), () -> check.with(limit)));
  }

  /** A test of one limit. */
  @FunctionalInterface
  interface Check {
    void with(Limit limit) throws Exception;
  }

  /** One or two hot keys: all permits are granted, each once. */
  @TestFactory
  @Tag("slow")
  default Stream<DynamicTest> fewKeysGetExactlyWhatIsThere() {
    needs(Harness.Ability.MANUAL_TIME);
    // Enough to keep all threads busy for longer than one of them may run alone.
    long capacity = Math.min(1_000_000, runs(100) * 50L * runs(100));
    return forEachLimit(
        capacity,
        Duration.ofHours(1),
        limit -> {
          RateLimiter limiter = harness().limiter(limit);
          AtomicLongArray granted = new AtomicLongArray(2);
          ConcurrentRunner.work(
              number -> {
                SplittableRandom random = new SplittableRandom(number);
                for (int key = number % 2, refused = 0; refused < 2; key = 1 - key) {
                  long cost = random.nextLong(1, 4);
                  refused = 0;
                  if (limiter.tryAcquire("key-" + key, cost)) {
                    granted.addAndGet(key, cost);
                  } else {
                    refused += drain(limiter, "key-0", granted, 0);
                    refused += drain(limiter, "key-1", granted, 1);
                  }
                }
                return 0;
              });
          assertThat(granted.get(0)).as("%s", limit).isEqualTo(capacity);
          assertThat(granted.get(1)).as("%s", limit).isEqualTo(capacity);
        });
  }

  private static int drain(RateLimiter limiter, String key, AtomicLongArray granted, int at) {
    if (limiter.tryAcquire(key)) {
      granted.incrementAndGet(at);
      return 0;
    }
    return 1;
  }

  /** Every key is new once, while the tables grow: each gets its share, no more and no less. */
  @TestFactory
  @Tag("slow")
  default Stream<DynamicTest> manyKeysGetExactlyWhatIsTheirs() {
    needs(Harness.Ability.MANUAL_TIME);
    int keys = runs(100) * 100;
    return forEachLimit(
        3,
        Duration.ofHours(1),
        limit -> {
          RateLimiter limiter = harness().limiter(limit);
          AtomicLongArray granted = new AtomicLongArray(keys);
          ConcurrentRunner.work(
              number -> {
                int stride = new int[] {1, 7919, 104_729, 1_299_709}[number];
                for (int pass = 0; pass < 2; pass++) {
                  for (int i = 0; i < keys; i++) {
                    int key = (int) ((long) i * stride % keys);
                    if (limiter.tryAcquire("key-" + key)) {
                      granted.incrementAndGet(key);
                    }
                  }
                }
                return 0;
              });
          for (int key = 0; key < keys; key++) {
            assertThat(granted.get(key)).as("%s, key-%d", limit, key).isEqualTo(3);
          }
        });
  }

  /** Half of what is taken is refunded: the remaining permits are exact in the end. */
  @TestFactory
  @Tag("slow")
  default Stream<DynamicTest> whatIsGivenBackIsNeitherLostNorDoubled() {
    needs(Harness.Ability.MANUAL_TIME);
    long capacity = runs(100) * 50L;
    return forEachLimit(
            capacity,
            Duration.ofHours(1),
            limit -> {
              RateLimiter limiter = harness().limiter(limit);
              long kept =
                  ConcurrentRunner.sum(
                      number -> {
                        SplittableRandom random = new SplittableRandom(number);
                        long mine = 0;
                        for (int i = 0; i < capacity / 2; i++) {
                          long cost = random.nextLong(1, 5);
                          Reservation place = limiter.reserve("key", cost, Duration.ZERO);
                          if (place.granted()) {
                            long actual = random.nextLong(0, cost);
                            place.settle(actual);
                            mine += actual;
                          }
                        }
                        return mine;
                      });
              while (limiter.tryAcquire("key")) {
                kept++;
              }
              assertThat(kept).as("%s", limit).isEqualTo(capacity);
            })
        .filter(test -> !test.getDisplayName().equals("leaky-bucket"));
  }

  /** Two limiters, of which the second has less: the first is not charged for what it refuses. */
  @TestFactory
  @Tag("slow")
  default Stream<DynamicTest> chargesMadeTogetherAreCountedTogether() {
    needs(Harness.Ability.MANUAL_TIME);
    long capacity = runs(100) * 10L;
    return forEachLimit(
            capacity,
            Duration.ofHours(1),
            limit -> {
              RateLimiter plenty = harness().limiter(limit);
              RateLimiter scarce = harness().limiter(Limit.slidingLog(capacity / 2).per(SCARCE));
              ConcurrentRunner.Job<Long> job =
                  number -> {
                    long mine = 0;
                    for (int i = 0; i < capacity / 3; i++) {
                      Decision decision =
                          RateLimiter.checkAll(
                              Charge.of(plenty, "user"), Charge.of(scarce, "everybody"));
                      mine += decision.allowed() ? 1 : 0;
                    }
                    return mine;
                  };
              long granted = ConcurrentRunner.sum(job);
              assertThat(granted).as("%s", limit).isLessThanOrEqualTo(capacity / 2);
              assertThat(plenty.peek("user").remaining()).isEqualTo(capacity - granted);
              assertThat(scarce.peek("everybody").remaining()).isEqualTo(capacity / 2 - granted);
            })
        .filter(test -> !test.getDisplayName().equals("leaky-bucket"));
  }

  Duration SCARCE = Duration.ofHours(2);

  /**
   * The limit is raised repeatedly: spent permits are kept, and all of the last limit is granted.
   */
  @TestFactory
  @Tag("slow")
  default Stream<DynamicTest> nothingIsLostOrDoubledWhileLimitsChange() {
    needs(Harness.Ability.MANUAL_TIME);
    int rounds = runs(100) * 200;
    int capacity = rounds / 10;
    int change = rounds / 20;
    return forEachLimit(
            capacity,
            Duration.ofHours(1),
            limit -> {
              RateLimiter limiter = harness().limiter(limit);
              AtomicLongArray granted = new AtomicLongArray(50);
              ConcurrentRunner.work(
                  number -> {
                    for (int i = 0; i < rounds; i++) {
                      if (number == 0 && i % change == 0) {
                        limiter.reconfigure(
                            limits(capacity + i / change, Duration.ofHours(1)).stream()
                                .filter(limit::sharesBucketsWith)
                                .findFirst()
                                .orElseThrow());
                      }
                      int key = (i + number) % 50;
                      if (limiter.tryAcquire("key-" + key)) {
                        granted.incrementAndGet(key);
                      }
                    }
                    return 0;
                  });
              for (int key = 0; key < 50; key++) {
                long spent = granted.get(key);
                assertThat(limiter.peek("key-" + key).remaining())
                    .as("%s, key-%d", limit, key)
                    .isEqualTo(capacity + 19 - spent);
              }
            })
        .filter(test -> !test.getDisplayName().endsWith("-bucket"));
  }

  /** Time moves, entries expire, keys come and go: no key ever gets more than the bound. */
  @TestFactory
  @Tag("slow")
  default Stream<DynamicTest> noKeyExceedsTheBoundWhileTimeMoves() {
    needs(Harness.Ability.MANUAL_TIME);
    return forEachLimit(
        5,
        Duration.ofMillis(40),
        limit -> {
          RateLimiter limiter = harness().limiter(limit);
          ReadWriteLock time = new ReentrantReadWriteLock(true);
          int rounds = runs(100) * 60;
          List<List<List<AlgorithmBounds.Grant>>> byThread =
              ConcurrentRunner.work(number -> walkOn(limiter, time, number, rounds));
          for (int key = 0; key < KEYS; key++) {
            List<AlgorithmBounds.Grant> grants = new ArrayList<>();
            for (List<List<AlgorithmBounds.Grant>> byKey : byThread) {
              grants.addAll(byKey.get(key));
            }
            grants.sort(Comparator.comparingLong(AlgorithmBounds.Grant::nanos));
            assertThat(grants).as("%s, key-%d", limit, key).isNotEmpty();
            AlgorithmBounds.verify(limit, grants);
          }
          harness().advance(Duration.ofMillis(80));
          for (int key = 0; key < KEYS; key++) {
            assertThat(limiter.peek("key-" + key).remaining()).as("%s", limit).isEqualTo(5);
          }
        });
  }

  int KEYS = 20;

  /** Sends requests for known and new keys, and moves the clock now and then. */
  private List<List<AlgorithmBounds.Grant>> walkOn(
      RateLimiter limiter, ReadWriteLock time, int number, int rounds) {
    SplittableRandom random = new SplittableRandom(number);
    List<List<AlgorithmBounds.Grant>> grants = new ArrayList<>();
    for (int key = 0; key < KEYS; key++) {
      grants.add(new ArrayList<>());
    }
    for (int i = 0; i < rounds; i++) {
      if (random.nextInt(20) == 0) {
        time.writeLock().lock();
        try {
          harness().advance(Duration.ofMillis(random.nextInt(1, 12)));
        } finally {
          time.writeLock().unlock();
        }
      }
      time.readLock().lock();
      try {
        limiter.tryAcquire("stranger-" + random.nextInt(5000));
        int key = random.nextInt(KEYS);
        long cost = random.nextLong(1, 4);
        if (random.nextInt(10) == 0) {
          limiter.reserve("key-" + key, cost, Duration.ZERO).cancel();
        } else if (limiter.check("key-" + key, cost).allowed()) {
          long now = harness().epochNanos();
          grants.get(key).add(new AlgorithmBounds.Grant(now, cost, now));
        }
      } finally {
        time.readLock().unlock();
      }
    }
    return grants;
  }
}
