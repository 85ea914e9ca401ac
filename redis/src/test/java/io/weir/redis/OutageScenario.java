package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.Origin;
import io.weir.RateLimiter;
import io.weir.rig.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

/**
 * A store under load while something happens to its Redis.
 *
 * <p>Callers of each {@link OnFailure} check all the time. None may ever see an exception, wait
 * without a decision, or get a decision that its policy does not allow for. Those under {@code
 * deny} keep a ledger: what they were granted is in Redis, and at most what was not answered
 * besides.
 */
final class OutageScenario implements AutoCloseable {
  private static final long CAPACITY = 1_000_000_000;
  private static final Duration DECADE = Duration.ofDays(3650);
  private static final int ENOUGH = 60;
  private static final Duration MAX_WAIT = Duration.ofSeconds(90);

  private final RedisStore store;
  private final String name;
  private final List<CallerLoad> callerLoad = new ArrayList<>();
  private final long start = System.nanoTime();
  private String phase = "calm";
  private long phaseStart = start;

  /**
   * For drills in which Redis fails: soon enough noticed, and yet not by each moment that a busy
   * machine takes. Where it must not fail, see {@link RedisSuite#patient}.
   */
  static RedisSettings settings(String url) {
    return RedisSettings.parse(url)
        .withLeastNodes(1) // on_failure: local decides also if Redis is away from the start
        .withTimeout(Duration.ofMillis(300))
        .withConnectTimeout(Duration.ofSeconds(3));
  }

  /** Opens a store and sets the callers going, on twelve keys each. */
  OutageScenario(String name, RedisSettings settings) {
    this(name, settings, true);
  }

  /**
   * Opens a store while Redis does not reply. Local shares refuse until the longest limit is over,
   * here a decade: an earlier process of this node may have spent its share.
   */
  static OutageScenario openedInOutage(String name, RedisSettings settings) {
    return new OutageScenario(name, settings, false);
  }

  private OutageScenario(String name, RedisSettings settings, boolean hasShare) {
    this.name = name;
    this.store = RedisStore.open(settings);
    List<String> keys = IntStream.range(0, 12).mapToObj(i -> "key-" + i).toList();
    for (OnFailure policy : List.of(OnFailure.ALLOW, OnFailure.DENY, OnFailure.LOCAL)) {
      RateLimiter limiter =
          RateLimiter.builder()
              .store(store)
              .name("drill-" + policy)
              .limit(Limit.fixedWindow(CAPACITY).per(DECADE))
              .limit(Limit.tokenBucket(CAPACITY).per(DECADE))
              .onFailure(policy)
              .build();
      callerLoad.add(new CallerLoad(limiter, policy, hasShare, keys));
    }
  }

  RedisStore store() {
    return store;
  }

  /** Redis decides, and has done so for a while. */
  OutageScenario awaitRedis() {
    for (CallerLoad each : callerLoad) {
      Await.holds(
          () ->
              "decisions under "
                  + each.policy()
                  + " by Redis: "
                  + each.phaseResults()
                  + store.status(),
          MAX_WAIT,
          () -> each.phaseResults().byRedisInARow() >= ENOUGH);
    }
    return this;
  }

  /** Redis does not decide, and has not for a while. */
  OutageScenario awaitFallback() {
    for (CallerLoad each : callerLoad) {
      Await.holds(
          () -> "decisions under " + each.policy() + " without Redis: " + each.phaseResults(),
          MAX_WAIT,
          () -> each.phaseResults().undecided() >= ENOUGH);
    }
    return this;
  }

  /** Checks on for a while, by Redis or by the policy. */
  OutageScenario goOn() {
    for (CallerLoad each : callerLoad) {
      PhaseResults phaseResults = each.phaseResults();
      long before = all(phaseResults);
      Await.holds("decisions under " + each.policy(), () -> all(phaseResults) - before >= ENOUGH);
    }
    return this;
  }

  private static long all(PhaseResults phaseResults) {
    return phaseResults.undecided() + phaseResults.by(Origin.STORE) + phaseResults.by(Origin.CACHE);
  }

  /** Counts anew from here. */
  OutageScenario phase(String next) {
    printResults();
    phase = next;
    phaseStart = System.nanoTime();
    callerLoad.forEach(CallerLoad::nextPhase);
    return this;
  }

  /** No decision was made without Redis in this phase. */
  OutageScenario verifyAllDecided() {
    long undecided = callerLoad.stream().mapToLong(each -> each.phaseResults().undecided()).sum();
    assertThat(undecided).as(() -> name + ", " + phase + ": " + store.status()).isZero();
    return this;
  }

  private void printResults() {
    long millis = (System.nanoTime() - phaseStart) / 1_000_000;
    for (CallerLoad each : callerLoad) {
      System.out.printf("   %-28s %-9s %6d ms  %s%n", name, phase, millis, each.phaseResults());
    }
  }

  /** Ends the load: every check was decided, and none wrongly. */
  OutageScenario stop() throws InterruptedException {
    for (CallerLoad each : callerLoad) {
      assertThat(each.stop()).as("all under %s are decided", each.policy()).isTrue();
    }
    printResults();
    for (CallerLoad each : callerLoad) {
      for (PhaseResults phaseResults : each.tallies()) {
        assertThat(phaseResults.wrongs()).as(name).isEmpty();
      }
    }
    return this;
  }

  /** What was granted is in Redis, where Redis has forgotten nothing. */
  OutageScenario verifyLedger() {
    for (CallerLoad each : callerLoad) {
      if (each.policy() == OnFailure.DENY) {
        long granted = each.tallies().stream().mapToLong(PhaseResults::allowedByRedis).sum();
        long unknown = each.tallies().stream().mapToLong(PhaseResults::undecided).sum();
        long spent = 0;
        for (String key : each.keys()) {
          spent += CAPACITY - remaining(each.limiter(), key);
        }
        assertThat(spent).as(name).isBetween(granted, granted + unknown);
      }
    }
    return this;
  }

  private static long remaining(RateLimiter limiter, String key) {
    AtomicReference<Decision> decision = new AtomicReference<>(limiter.peek(key));
    Await.holds(
        "Redis reports what remains",
        () -> decision.updateAndGet(before -> limiter.peek(key)).origin() == Origin.STORE);
    return decision.get().remaining();
  }

  /** Limits hold again: of many concurrent checks, exactly so many pass. */
  OutageScenario verifyLimits() throws Exception {
    int permits = 100;
    RateLimiter limiter =
        RateLimiter.builder()
            .store(store)
            .name("after-" + System.nanoTime())
            .limit(Limit.slidingLog(permits).per(DECADE))
            .onFailure(OnFailure.DENY)
            .build();
    long undecidedBefore = store.status().fallbacks();
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      Callable<Integer> check =
          () -> {
            int granted = 0;
            for (int i = 0; i < permits; i++) {
              granted += limiter.tryAcquire("key") ? 1 : 0;
            }
            return granted;
          };
      int granted = 0;
      for (Future<Integer> each : threads.invokeAll(Collections.nCopies(8, check))) {
        granted += each.get();
      }
      long unknown = store.status().fallbacks() - undecidedBefore;
      assertThat(granted).as(name).isLessThanOrEqualTo(permits);
      assertThat(granted + unknown).as(name).isGreaterThanOrEqualTo(permits);
    } finally {
      threads.shutdownNow();
    }
    return this;
  }

  @Override
  public void close() {
    callerLoad.forEach(CallerLoad::close);
    store.close();
  }
}
