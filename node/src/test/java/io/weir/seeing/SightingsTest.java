package io.weir.seeing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.Decision;
import io.weir.arbiter.Outcome;
import io.weir.arbiter.RuleTally;
import io.weir.rig.Until;
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

/** The way of decisions from deciding threads to the watchman. */
class SightingsTest {
  private final Seen seen =
      new Seen(
          "rules: [ { name: r, per: user, limit: { algorithm: fixed-window, rate: 1 per hour } }"
              + " ]");

  /** As many as are ranked without a doubt. */
  private static final int USERS = 50;

  /** From now on no request is allowed. */
  private void spendAll() {
    for (int i = 0; i < USERS; i++) {
      seen.ask("user-" + i, 1);
    }
  }

  private long counted() {
    return seen.top(Kind.REFUSED, Window.HOUR).stream().mapToLong(Ranked::count).sum();
  }

  private List<Thread> askers(int threads, int times) {
    List<Thread> all = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      String user = "user-" + t % USERS;
      Thread thread = new Thread(() -> seen.ask(user, times + 1));
      all.add(thread);
      thread.start();
    }
    return all;
  }

  /** Runs rounds while {@code threads} send requests; returns the counted and missed decisions. */
  private String goRoundWhile(List<Thread> threads) throws InterruptedException {
    AtomicBoolean isOver = new AtomicBoolean();
    Thread walker =
        new Thread(
            () -> {
              while (!isOver.get()) {
                seen.watch.watchman().goRound();
              }
            });
    walker.start();
    for (Thread each : threads) {
      each.join();
    }
    isOver.set(true);
    walker.join();
    long missed = seen.told(seen.watch.callers()::missed);
    return (counted() + missed) + ", 1 in " + seen.told(seen.watch.callers()::sampling);
  }

  /** No more than fits is on its way at any time, however slow the walker is. */
  @Test
  void nothingIsLostBetweenThreads() throws InterruptedException {
    for (int i = 1; i <= 10; i++) {
      assertThat(goRoundWhile(askers(4, 4_000))).isEqualTo(i * (4 * 4_001) - 4 + ", 1 in 1");
    }
    assertThat(seen.told(seen.watch.callers()::missed)).isZero();
  }

  /** Many threads at once: all are seen but for a few that were in each other's way. */
  @Test
  void threeHundredThreadsAreNotThinnedOut() throws InterruptedException {
    spendAll();
    assertThat(goRoundWhile(askers(300, 29))).isEqualTo(300 * 30 + ", 1 in 1");
    assertThat(seen.told(seen.watch.callers()::missed)).isLessThan(300);
    for (Thread each : askers(1, 100)) { // a ring that is free again is given again
      each.join();
    }
    assertThat(seen.told(seen.watch.callers()::sampling)).isEqualTo(1);
  }

  /** Each of them is a new thread: none may have a ring of its own. */
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
      Runnable asking = () -> seen.ask(user, 30);
      threads.add((Thread) start.invoke(null, asking));
    }
    assertThat(goRoundWhile(threads)).isEqualTo(300 * 30 + ", 1 in 1");
    assertThat(seen.told(seen.watch.callers()::missed)).isLessThan(300);

    Sightings alone = new Sightings();
    RuleTally rule = seen.arbiter.tally().rules(seen.arbiter::rules).get(0);
    Decision decision = seen.limiter.check(Map.of("user", "a")::get).verdicts().get(0).decision();
    Runnable noting = () -> alone.saw(rule, "key", 0, Outcome.ALLOWED, decision);
    for (int i = 0; i < 40; i++) {
      ((Thread) start.invoke(null, noting)).join();
    }
    assertThat(alone.bytes()).isEqualTo(SharedRings.RINGS * SharedRings.SLOTS * 16L);
  }

  /** However many threads there are, there are no more slots. */
  @Test
  void ringsAreBounded() throws InterruptedException {
    Sightings sightings = new Sightings();
    RuleTally rule = seen.arbiter.tally().rules(seen.arbiter::rules).get(0);
    Decision decision = seen.limiter.check(Map.of("user", "a")::get).verdicts().get(0).decision();
    CountDownLatch isOver = new CountDownLatch(1);
    CountDownLatch noted = new CountDownLatch(200);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      Thread thread =
          new Thread(
              () -> {
                sightings.saw(rule, "key", 0, Outcome.ALLOWED, decision);
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
    assertThat(sightings.bytes()).isEqualTo(65_536 * 16);
    AtomicLong shown = new AtomicLong();
    sightings.drain((number, key, what) -> shown.incrementAndGet());
    assertThat(shown.get() + sightings.missed()).isEqualTo(200);
    isOver.countDown();
    for (Thread each : threads) {
      each.join();
    }
    sightings.close();
    sightings.saw(rule, "key", 0, Outcome.ALLOWED, decision);
    assertThat(sightings.bytes()).as("nothing is kept after the end").isZero();
  }

  /** Nothing of a node may stay in threads that outlive it. */
  @Test
  void aThreadKeepsNothingOfAWatchThatIsClosed() throws InterruptedException {
    WeakReference<String> gone = notedByThisThread();
    Until.holds(
        "it is collected",
        () -> {
          System.gc();
          return gone.get() == null;
        });
  }

  private WeakReference<String> notedByThisThread() {
    String key = "key-" + System.nanoTime();
    Sightings sightings = new Sightings();
    RuleTally rule = seen.arbiter.tally().rules(seen.arbiter::rules).get(0);
    Decision decision = seen.limiter.check(Map.of("user", "a")::get).verdicts().get(0).decision();
    sightings.saw(rule, key, 0, Outcome.ALLOWED, decision);
    return new WeakReference<>(key);
  }

  /** The watchman sees new decisions even while a slow answer is in progress. */
  @Test
  void thereIsALookBetweenTwoAnswers() {
    Watchman watchman = seen.watch.watchman();
    watchman.ask(() -> seen.ask("a", 6));
    var refused = watchman.ask(() -> seen.watch.callers().top(Kind.REFUSED, Window.HOUR, null, 9));
    watchman.goRound();
    assertThat(refused.toCompletableFuture().join()).extracting(Ranked::count).containsExactly(5L);
  }

  @Test
  void whatDoesNotFitIsMissedAndSaidSo() throws InterruptedException {
    int fits = OwnRings.MOST_SLOTS - 1; // one was allowed
    for (Thread each : askers(2, fits + 100)) {
      each.join();
    }
    assertThat(counted()).isEqualTo(2 * fits);
    assertThat(seen.told(seen.watch.callers()::missed)).isEqualTo(200);
    assertThat(seen.told(seen.watch.callers()::sampling)).as("it had too much").isEqualTo(2);
  }

  @Test
  void oneInEightIsOneInEight() {
    Ring ring = new Ring(8);
    long drawn = LongStream.range(0, 80_000).filter(i -> ring.isDrawn(3)).count();
    assertThat(drawn).isBetween(9_500L, 10_500L);
  }

  @Test
  void manyASecondAreSampledAndLaterNoMore() {
    askInRounds("user-0", 400_000);
    seen.pass(Duration.ofSeconds(1));
    assertThat(seen.told(seen.watch.callers()::sampling)).isEqualTo(4);
    askInRounds("user-1", 80_000);
    assertThat(counted()).as("about").isBetween(470_000L, 490_000L);
    seen.pass(Duration.ofSeconds(1)).pass(Duration.ofSeconds(1));
    assertThat(seen.told(seen.watch.callers()::sampling)).isEqualTo(1);
  }

  /** The sampling rate of a period is the lowest rate in it. */
  @Test
  void theThinnestOfEachTimeIsRemembered() {
    Callers callers = seen.watch.callers();
    assertThat(samplings(callers)).isEqualTo("1 1 1 1 1 1");
    askInRounds("user-0", 400_000);
    seen.pass(Duration.ofSeconds(1));
    assertThat(samplings(callers)).isEqualTo("4 4 4 4 4 4");
    seen.pass(Duration.ofSeconds(1)).pass(Duration.ofSeconds(1));
    assertThat(seen.told(callers::sampling)).isEqualTo(1);
    seen.pass(Duration.ofSeconds(60));
    assertThat(samplings(callers)).isEqualTo("1 4 4 4 4 4");
    seen.pass(Duration.ofMinutes(5));
    assertThat(samplings(callers)).isEqualTo("1 4 1 4 4 4");
    seen.pass(Duration.ofHours(1));
    assertThat(samplings(callers)).isEqualTo("1 1 1 1 4 4");
    seen.pass(Duration.ofHours(24));
    assertThat(samplings(callers)).isEqualTo("1 1 1 1 1 4");
    seen.pass(Duration.ofHours(12));
    assertThat(samplings(callers)).isEqualTo("1 1 1 1 1 1");
  }

  private String samplings(Callers callers) {
    return seen.told(
        () ->
            Stream.of(
                    callers.thinnest(Window.MINUTE),
                    callers.thinnest(Window.HOUR),
                    callers.demand("r", "", Grain.FIVE_MINUTES).sampling(),
                    callers.thinnest(Grain.HOUR),
                    callers.thinnest(Grain.DAY),
                    callers.thinnestOfCensus())
                .map(String::valueOf)
                .collect(Collectors.joining(" ")));
  }

  private void askInRounds(String user, int times) {
    for (int asked = 0; asked < times; asked += 8_000) {
      seen.ask(user, 8_000);
      seen.watch.watchman().goRound();
    }
  }

  @Test
  void ringsOfThreadsThatAreGoneGo() throws InterruptedException {
    for (int i = 0; i < 40; i++) {
      for (Thread each : askers(10, 1)) {
        each.join();
      }
      seen.watch.watchman().goRound();
    }
    assertThat(seen.told(seen.watch.callers()::missed)).isZero();
    assertThat(counted()).isEqualTo(40 * 10 * 2 - 10); // each was allowed once
  }

  @Test
  void theWatchmanGoesOnWhateverHappens() {
    Watchman watchman = new Watchman(seen.time);
    List<Long> seconds = new ArrayList<>();
    watchman.eachSecond(
        second -> {
          throw new IllegalStateException("on purpose");
        });
    watchman.eachSecond(seconds::add);
    watchman.goRound();
    watchman.goRound();
    seen.time.advance(Duration.ofMillis(2500));
    watchman.goRound();
    assertThat(seconds).hasSize(2);
    assertThat(seconds.get(1) - seconds.get(0)).isEqualTo(2);
  }

  @Test
  void questionsAreBoundedAndEndWithTheWatch() {
    Watchman watchman = new Watchman(seen.time);
    var answers = new ArrayList<CompletableFuture<Integer>>();
    for (int i = 0; i < 300; i++) {
      answers.add(watchman.ask(() -> 1).toCompletableFuture());
    }
    assertThat(answers.stream().filter(a -> a.isCompletedExceptionally())).hasSize(44);
    watchman.goRound();
    assertThat(answers).allMatch(a -> a.isDone());
    watchman.close();
    var late = watchman.ask(() -> 1).toCompletableFuture();
    assertThatThrownBy(late::join)
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(RejectedExecutionException.class);
  }
}
