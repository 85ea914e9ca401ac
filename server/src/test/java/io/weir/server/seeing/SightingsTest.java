package io.weir.server.seeing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The way from those who decide to the one who looks. */
class SightingsTest {
  private final Seen seen =
      new Seen(
          "rules: [ { name: r, per: user, limit: { algorithm: fixed-window, rate: 1 per hour } }"
              + " ]");

  private long counted() {
    return seen.top(Kind.THROTTLED, Window.HOUR).stream().mapToLong(Ranked::count).sum();
  }

  private List<Thread> askers(int threads, int times) {
    List<Thread> all = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      String user = "user-" + t;
      Thread thread = new Thread(() -> seen.ask(user, times + 1));
      all.add(thread);
      thread.start();
    }
    return all;
  }

  @Test
  void nothingIsLostBetweenThreads() throws InterruptedException {
    AtomicBoolean isOver = new AtomicBoolean();
    Thread walker =
        new Thread(
            () -> {
              while (!isOver.get()) {
                seen.watch.watchman().goRound();
              }
            });
    walker.start();
    for (Thread each : askers(4, 20_000)) {
      each.join();
    }
    isOver.set(true);
    walker.join();

    long missed = seen.told(seen.watch.callers()::missed);
    int sampling = seen.told(seen.watch.callers()::sampling);
    if (sampling == 1 && missed == 0) {
      assertThat(counted()).isEqualTo(4 * 20_000);
    } else {
      assertThat(counted()).isLessThan(2 * 4 * 20_000);
    }
  }

  @Test
  void whatDoesNotFitIsMissedAndSaidSo() throws InterruptedException {
    int fits = Ring.SLOTS - 1; // one was allowed
    for (Thread each : askers(2, fits + 100)) {
      each.join();
    }
    assertThat(counted()).isEqualTo(2 * fits);
    assertThat(seen.told(seen.watch.callers()::missed)).isEqualTo(200);
    assertThat(seen.told(seen.watch.callers()::sampling)).as("it had too much").isEqualTo(2);
  }

  @Test
  void oneInEightIsOneInEight() {
    Ring ring = new Ring(Thread.currentThread());
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
