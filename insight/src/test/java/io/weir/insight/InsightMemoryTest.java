package io.weir.insight;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Origin;
import io.weir.decision.RuleCounters;
import io.weir.decision.RuleOutcome;
import io.weir.insight.event.ThreadRings;
import io.weir.insight.series.DecisionHistory;
import io.weir.rules.Problem;
import io.weir.rules.RequestLimiter;
import io.weir.rules.SourceLocation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The memory for callers is bounded, for any number of callers and any keys. */
@Tag("slow")
class InsightMemoryTest {
  private static final int RULES = 10_000;
  private static final int KEYS = 1_000_000;
  private static final Limit LIMIT = Limit.fixedWindow(10).perHour();

  private static Decision decision(long left, long waitNanos) {
    return Decision.of(
        1, Duration.ZERO, List.of(LimitStatus.of(LIMIT, left, waitNanos, 1, 1)), 0, Origin.MEMORY);
  }

  private static long used() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  /** Each rule has a hundred callers, all of them refused and all of them near the limit. */
  @ParameterizedTest
  @CsvSource({"203.0.113., 40", "ключ-, 128", "x, 400"})
  void tenThousandRulesAndAMillionKeys(String prefix, int length) {
    InsightsFixture insightsFixture =
        new InsightsFixture(
            IntStream.range(0, RULES)
                .mapToObj(i -> "{ name: r" + i + ", per: user, limit: 9 per hour }")
                .collect(Collectors.joining(", ", "rules: [ ", " ]")));
    List<RuleCounters> rules =
        insightsFixture
            .decisionEngine
            .decisionCounters()
            .rules(insightsFixture.decisionEngine::rules);
    Decision refused = decision(0, 1_000);
    Decision near = decision(1, 0);
    String filling = prefix.repeat(length);
    insightsFixture.thread.runRound();
    long before = used();

    for (int i = 0; i < KEYS; i++) {
      String key = i + filling.substring(0, length - 7);
      RuleCounters rule = rules.get(i % RULES);
      insightsFixture.insights.decisionListener().saw(rule, key, 0, RuleOutcome.DENIED, refused);
      insightsFixture.insights.decisionListener().saw(rule, key, 0, RuleOutcome.ALLOWED, near);
      if (i % 4_000 == 3_999) {
        insightsFixture.pass(Duration.ofMillis(500)); // two rounds
      }
    }

    TopCallers topCallers = insightsFixture.insights.topCallers();
    long grown = used() - before;
    assertThat(topCallers.missed()).isZero();
    assertThat(topCallers.sampling()).isEqualTo(1);
    assertThat(grown).isLessThan(42L << 20);
    assertThat(topCallers.bytes()).isBetween(grown / 3, grown * 3);
    assertThat(
            insightsFixture.query(
                () -> topCallers.top(RankingKind.REFUSED, RankingWindow.HOUR, null, 1000)))
        .hasSize(1000);
    assertThat(insightsFixture.query(() -> topCallers.census("r77")).callers())
        .isBetween(60L, 140L);
  }

  /** As many as have a ring, and some that share. */
  private static final int THREADS = ThreadRings.MAX_RINGS + 8;

  private static final int BATCH = 200; // 80,000 decisions a second

  private static String rules(String mode) {
    return IntStream.range(0, RULES)
        .mapToObj(i -> "{ name: r" + i + ", match: { path: /" + i + " }, per: user, mode: " + mode)
        .map(rule -> rule + ", limit: { algorithm: fixed-window, rate: 1 per 24h } }")
        .collect(Collectors.joining(", ", "rules: [ ", " ]"));
  }

  /**
   * The memory of all observers, measured by what becomes free without them. It includes all rings
   * at their fullest, the callers, the history and counters of 10,000 rules, and the changes. A
   * million callers send two requests each, spread over the rules. Then requests follow a realistic
   * distribution: a few callers of a few rules send most of them.
   */
  @Test
  void everythingThatObservesIsBelow64MiB() throws Exception {
    Everything all = new Everything();
    for (int i = 0; i < 2; i++) { // so that callers are counted in three halves of a day
      all.run((thread, turn) -> thread * (RULES / THREADS) + turn % (RULES / THREADS), 8 * RULES);
      all.insightsFixture.pass(Duration.ofHours(12));
    }
    all.run((thread, i) -> (long) thread * (KEYS / THREADS) + i % (KEYS / THREADS), 2 * KEYS);
    all.limiter.reload(
        InsightsFixture.rules(rules("shadow"))); // and so there are three outcomes of each
    Random random = new Random(7);
    long[] drawn = new long[1 << 16];
    for (int i = 0; i < drawn.length; i++) {
      drawn[i] = (long) Math.min(KEYS - 1, 1 / (random.nextDouble() + 1e-7)) - 1; // P(> n) is 1/n
    }
    all.run((thread, i) -> drawn[(int) ((thread * 7919L + i) & (drawn.length - 1))], KEYS);
    all.changes();
    assertThat(all.topCallers().missed()).isZero();
    assertThat(all.topCallers().sampling()).isEqualTo(1);
    assertThat(all.counted()).isEqualTo(3L * KEYS + 16 * RULES);

    long reported = all.bytes();
    all.fill();
    long with = used();
    RequestLimiter kept = all.limiter;
    all.end();
    all = null;
    long observing = with - used();
    assertThat(kept.rules()).isNotNull();
    System.out.printf(
        "observing %d rules and %d callers by %d threads takes %.1f MiB, and is told to take %.1f%n",
        RULES, KEYS, THREADS, observing / 1048576.0, reported / 1048576.0);
    assertThat(observing).isBetween(8L << 20, 64L << 20);
    assertThat(reported).isBetween(observing / 3, observing * 3);
  }

  /** The next caller of each thread. */
  private interface Turns {
    long caller(int thread, long turn);
  }

  /** A decision path with all that observes it, in virtual time. */
  private static final class Everything {
    private final InsightsFixture insightsFixture = new InsightsFixture(rules("enforce"));
    private final RequestLimiter limiter = insightsFixture.limiter;
    private final ActivityHistory activityHistory = insightsFixture.insights.activityHistory();
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private final CyclicBarrier together = new CyclicBarrier(THREADS);

    TopCallers topCallers() {
      return insightsFixture.insights.topCallers();
    }

    /** All threads send a batch at once; then one round runs, and time advances. */
    void run(Turns turns, int requests) throws Exception {
      for (int from = 0; from < requests / THREADS; from += BATCH) {
        int first = from;
        List<Callable<Void>> batches = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
          int thread = t;
          batches.add(
              () -> {
                together.await(); // so that no thread has two of them
                for (int i = first; i < first + BATCH; i++) {
                  long caller = turns.caller(thread, i);
                  insightsFixture.request("198.51.100.7/caller-" + caller, "/" + caller % RULES);
                }
                return null;
              });
        }
        for (Future<Void> each : threads.invokeAll(batches)) {
          each.get();
        }
        insightsFixture.pass(Duration.ofMillis(100));
      }
    }

    /** Fills all rings without a round. */
    void fill() throws Exception {
      Decision near = decision(1, 0);
      List<RuleCounters> counted =
          insightsFixture
              .decisionEngine
              .decisionCounters()
              .rules(insightsFixture.decisionEngine::rules);
      List<Callable<Void>> batches = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        batches.add(
            () -> {
              together.await();
              for (int i = 0; i < 2 * ThreadRings.MAX_SLOTS; i++) {
                String key = "198.51.100.7/caller-" + i % KEYS;
                insightsFixture
                    .insights
                    .decisionListener()
                    .saw(counted.get(i % RULES), key, 0, RuleOutcome.ALLOWED, near);
              }
              return null;
            });
      }
      for (Future<Void> each : threads.invokeAll(batches)) {
        each.get();
      }
      assertThat(topCallers().missed()).isPositive();
    }

    /** As many as are kept, and as long as they may be. */
    void changes() {
      Problem problem =
          new Problem(
              Problem.Severity.ERROR, new SourceLocation("rules.yaml", 1, 1), "x".repeat(2_500));
      for (int i = 0; i < 150; i++) {
        activityHistory.changes().rejected(Collections.nCopies(100, problem));
      }
    }

    long counted() throws Exception {
      return recall(decisionHistory -> decisionHistory.totals().all());
    }

    long bytes() throws Exception {
      return topCallers().bytes() + recall(DecisionHistory::bytes);
    }

    private <T> T recall(Function<DecisionHistory, T> query) throws Exception {
      var result = activityHistory.recall(query).toCompletableFuture();
      insightsFixture.thread.runRound();
      return result.get();
    }

    /** The threads go, and what they noted with them. */
    void end() throws InterruptedException {
      threads.shutdown();
      assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }
  }
}
