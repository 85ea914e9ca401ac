package io.weir.insight.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.Decision;
import io.weir.decision.RuleCounters;
import io.weir.decision.RuleOutcome;
import io.weir.insight.InsightsFixture;
import io.weir.insight.RankedCaller;
import io.weir.insight.RankingKind;
import io.weir.insight.RankingWindow;
import io.weir.insight.TopCallers;
import io.weir.insight.whatif.Resolution;
import io.weir.rig.Await;
import io.weir.runtime.BackgroundThread;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The way of decisions from deciding threads to the background thread. */
class EventBufferTest {
  private final InsightsFixture insightsFixture =
      new InsightsFixture(
          "rules: [ { name: r, per: user, limit: { algorithm: fixed-window, rate: 1 per hour } }"
              + " ]");

  /** As many as are ranked without a doubt. */
  private static final int USERS = 50;

  /** From now on no request is allowed. */
  private void spendAll() {
    for (int i = 0; i < USERS; i++) {
      insightsFixture.request("user-" + i, 1);
    }
  }

  private long counted() {
    return insightsFixture.top(RankingKind.REFUSED, RankingWindow.HOUR).stream()
        .mapToLong(RankedCaller::count)
        .sum();
  }

  private List<Thread> requesters(int threads, int times) {
    List<Thread> all = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      String user = "user-" + t % USERS;
      Thread thread = new Thread(() -> insightsFixture.request(user, times + 1));
      all.add(thread);
      thread.start();
    }
    return all;
  }

  /** Runs rounds while {@code threads} send requests; returns the counted and missed decisions. */
  private String runRoundsWhile(List<Thread> threads) throws InterruptedException {
    AtomicBoolean isOver = new AtomicBoolean();
    Thread poller =
        new Thread(
            () -> {
              while (!isOver.get()) {
                insightsFixture.thread.runRound();
              }
            });
    poller.start();
    for (Thread each : threads) {
      each.join();
    }
    isOver.set(true);
    poller.join();
    long missed = insightsFixture.query(insightsFixture.insights.topCallers()::missed);
    return (counted() + missed)
        + ", 1 in "
        + insightsFixture.query(insightsFixture.insights.topCallers()::sampling);
  }

  /** The number of events in flight never exceeds the buffer, even with a slow poller. */
  @Test
  void nothingIsLostBetweenThreads() throws InterruptedException {
    for (int i = 1; i <= 10; i++) {
      assertThat(runRoundsWhile(requesters(4, 4_000))).isEqualTo(i * (4 * 4_001) - 4 + ", 1 in 1");
    }
    assertThat(insightsFixture.query(insightsFixture.insights.topCallers()::missed)).isZero();
  }

  /** Many threads at once: all are seen but for a few that were in each other's way. */
  @Test
  void doesNotSampleEventsOfManyThreads() throws InterruptedException {
    spendAll();
    assertThat(runRoundsWhile(requesters(300, 29))).isEqualTo(300 * 30 + ", 1 in 1");
    assertThat(insightsFixture.query(insightsFixture.insights.topCallers()::missed))
        .isLessThan(300);
    for (Thread each : requesters(1, 100)) { // a ring that is free again is given again
      each.join();
    }
    assertThat(insightsFixture.query(insightsFixture.insights.topCallers()::sampling)).isEqualTo(1);
  }

  /** Each virtual thread is new, so none may have its own ring. */
  @Test
  void virtualThreadsShareRings() throws Exception {
    Method start;
    try {
      start = Thread.class.getMethod("startVirtualThread", Runnable.class);
    } catch (NoSuchMethodException e) {
      start = null;
    }
    assumeTrue(start != null, "this Java has no virtual threads");
    spendAll();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 300; t++) {
      String user = "user-" + t % USERS;
      Runnable requests = () -> insightsFixture.request(user, 30);
      threads.add((Thread) start.invoke(null, requests));
    }
    assertThat(runRoundsWhile(threads)).isEqualTo(300 * 30 + ", 1 in 1");
    assertThat(insightsFixture.query(insightsFixture.insights.topCallers()::missed))
        .isLessThan(300);

    EventBuffer alone = new EventBuffer();
    RuleCounters rule =
        insightsFixture
            .decisionEngine
            .decisionCounters()
            .rules(insightsFixture.decisionEngine::rules)
            .get(0);
    Decision decision =
        insightsFixture.limiter.check(Map.of("user", "a")::get).ruleDecisions().get(0).decision();
    Runnable noting = () -> alone.saw(rule, "key", 0, RuleOutcome.ALLOWED, decision);
    for (int i = 0; i < 40; i++) {
      ((Thread) start.invoke(null, noting)).join();
    }
    assertThat(alone.bytes()).isEqualTo(SharedRings.RINGS * SharedRings.SLOTS * 16L);
  }

  /** The number of slots is bounded for any number of threads. */
  @Test
  void ringsAreBounded() throws InterruptedException {
    EventBuffer eventBuffer = new EventBuffer();
    RuleCounters rule =
        insightsFixture
            .decisionEngine
            .decisionCounters()
            .rules(insightsFixture.decisionEngine::rules)
            .get(0);
    Decision decision =
        insightsFixture.limiter.check(Map.of("user", "a")::get).ruleDecisions().get(0).decision();
    CountDownLatch isOver = new CountDownLatch(1);
    CountDownLatch noted = new CountDownLatch(200);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      Thread thread =
          new Thread(
              () -> {
                eventBuffer.saw(rule, "key", 0, RuleOutcome.ALLOWED, decision);
                noted.countDown();
                try {
                  isOver.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              });
      threads.add(thread);
      thread.start();
    }
    noted.await();
    assertThat(eventBuffer.bytes()).isEqualTo(65_536 * 16);
    AtomicLong shown = new AtomicLong();
    eventBuffer.drain((number, key, what) -> shown.incrementAndGet());
    assertThat(shown.get() + eventBuffer.missed()).isEqualTo(200);
    isOver.countDown();
    for (Thread each : threads) {
      each.join();
    }
    eventBuffer.close();
    eventBuffer.saw(rule, "key", 0, RuleOutcome.ALLOWED, decision);
    assertThat(eventBuffer.bytes()).as("nothing is kept after the end").isZero();
  }

  /** Nothing of a node may stay in threads that outlive it. */
  @Test
  void threadsReleaseBuffersOfClosedInsights() throws InterruptedException {
    WeakReference<String> gone = notedByThisThread();
    Await.holds(
        "it is collected",
        () -> {
          System.gc();
          return gone.get() == null;
        });
  }

  private WeakReference<String> notedByThisThread() {
    String key = "key-" + System.nanoTime();
    EventBuffer eventBuffer = new EventBuffer();
    RuleCounters rule =
        insightsFixture
            .decisionEngine
            .decisionCounters()
            .rules(insightsFixture.decisionEngine::rules)
            .get(0);
    Decision decision =
        insightsFixture.limiter.check(Map.of("user", "a")::get).ruleDecisions().get(0).decision();
    eventBuffer.saw(rule, key, 0, RuleOutcome.ALLOWED, decision);
    return new WeakReference<>(key);
  }

  /** The background thread sees new decisions even while a slow query is in progress. */
  @Test
  void buffersAreReadBetweenTwoQueries() {
    BackgroundThread thread = insightsFixture.thread;
    thread.ask(() -> insightsFixture.request("a", 6));
    var refused =
        thread.ask(
            () ->
                insightsFixture
                    .insights
                    .topCallers()
                    .top(RankingKind.REFUSED, RankingWindow.HOUR, null, 9));
    thread.runRound();
    assertThat(refused.toCompletableFuture().join())
        .extracting(RankedCaller::count)
        .containsExactly(5L);
  }

  @Test
  void countsEventsThatDoNotFit() throws InterruptedException {
    int fits = ThreadRings.MAX_SLOTS - 1; // one was allowed
    for (Thread each : requesters(2, fits + 100)) {
      each.join();
    }
    assertThat(counted()).isEqualTo(2 * fits);
    assertThat(insightsFixture.query(insightsFixture.insights.topCallers()::missed)).isEqualTo(200);
    assertThat(insightsFixture.query(insightsFixture.insights.topCallers()::sampling))
        .as("it had too much")
        .isEqualTo(2);
  }

  @Test
  void samplesOneEventInEight() {
    EventRing eventRing = new EventRing(8);
    long drawn = LongStream.range(0, 80_000).filter(i -> eventRing.isDrawn(3)).count();
    assertThat(drawn).isBetween(9_500L, 10_500L);
  }

  @Test
  void samplesHighRatesAndStopsLater() {
    requestInRounds("user-0", 400_000);
    insightsFixture.pass(Duration.ofSeconds(1));
    assertThat(insightsFixture.query(insightsFixture.insights.topCallers()::sampling)).isEqualTo(4);
    requestInRounds("user-1", 80_000);
    assertThat(counted()).as("about").isBetween(470_000L, 490_000L);
    insightsFixture.pass(Duration.ofSeconds(1)).pass(Duration.ofSeconds(1));
    assertThat(insightsFixture.query(insightsFixture.insights.topCallers()::sampling)).isEqualTo(1);
  }

  /** The sampling rate of a period is the lowest rate in it. */
  @Test
  void remembersTheLowestSamplingRateOfEachTime() {
    TopCallers topCallers = insightsFixture.insights.topCallers();
    assertThat(samplings(topCallers)).isEqualTo("1 1 1 1 1 1");
    requestInRounds("user-0", 400_000);
    insightsFixture.pass(Duration.ofSeconds(1));
    assertThat(samplings(topCallers)).isEqualTo("4 4 4 4 4 4");
    insightsFixture.pass(Duration.ofSeconds(1)).pass(Duration.ofSeconds(1));
    assertThat(insightsFixture.query(topCallers::sampling)).isEqualTo(1);
    insightsFixture.pass(Duration.ofSeconds(60));
    assertThat(samplings(topCallers)).isEqualTo("1 4 4 4 4 4");
    insightsFixture.pass(Duration.ofMinutes(5));
    assertThat(samplings(topCallers)).isEqualTo("1 4 1 4 4 4");
    insightsFixture.pass(Duration.ofHours(1));
    assertThat(samplings(topCallers)).isEqualTo("1 1 1 1 4 4");
    insightsFixture.pass(Duration.ofHours(24));
    assertThat(samplings(topCallers)).isEqualTo("1 1 1 1 1 4");
    insightsFixture.pass(Duration.ofHours(12));
    assertThat(samplings(topCallers)).isEqualTo("1 1 1 1 1 1");
  }

  private String samplings(TopCallers topCallers) {
    return insightsFixture.query(
        () ->
            Stream.of(
                    topCallers.thinnest(RankingWindow.MINUTE),
                    topCallers.thinnest(RankingWindow.HOUR),
                    topCallers.demand("r", "", Resolution.FIVE_MINUTES).sampling(),
                    topCallers.thinnest(Resolution.HOUR),
                    topCallers.thinnest(Resolution.DAY),
                    topCallers.thinnestOfCensus())
                .map(String::valueOf)
                .collect(Collectors.joining(" ")));
  }

  private void requestInRounds(String user, int times) {
    for (int sent = 0; sent < times; sent += 8_000) {
      insightsFixture.request(user, 8_000);
      insightsFixture.thread.runRound();
    }
  }

  @Test
  void releasesRingsOfEndedThreads() throws InterruptedException {
    for (int i = 0; i < 40; i++) {
      for (Thread each : requesters(10, 1)) {
        each.join();
      }
      insightsFixture.thread.runRound();
    }
    assertThat(insightsFixture.query(insightsFixture.insights.topCallers()::missed)).isZero();
    assertThat(counted()).isEqualTo(40 * 10 * 2 - 10); // each was allowed once
  }

  @Test
  void backgroundThreadSurvivesExceptions() {
    BackgroundThread thread = new BackgroundThread(insightsFixture.time);
    List<Long> seconds = new ArrayList<>();
    thread.eachSecond(
        second -> {
          throw new IllegalStateException("on purpose");
        });
    thread.eachSecond(seconds::add);
    thread.runRound();
    thread.runRound();
    insightsFixture.time.advance(Duration.ofMillis(2500));
    thread.runRound();
    assertThat(seconds).hasSize(2);
    assertThat(seconds.get(1) - seconds.get(0)).isEqualTo(2);
  }

  @Test
  void queriesAreBoundedAndEndOnClose() {
    BackgroundThread thread = new BackgroundThread(insightsFixture.time);
    var results = new ArrayList<CompletableFuture<Integer>>();
    for (int i = 0; i < 300; i++) {
      results.add(thread.ask(() -> 1).toCompletableFuture());
    }
    assertThat(results.stream().filter(a -> a.isCompletedExceptionally())).hasSize(44);
    thread.runRound();
    assertThat(results).allMatch(a -> a.isDone());
    thread.close();
    var late = thread.ask(() -> 1).toCompletableFuture();
    assertThatThrownBy(late::join)
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(RejectedExecutionException.class);
  }
}
