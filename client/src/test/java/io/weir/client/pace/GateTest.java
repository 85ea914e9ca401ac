package io.weir.client.pace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.client.VirtualTime;
import io.weir.client.quota.Quota;
import io.weir.client.quota.Quotas;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Who waits and who need not. */
class GateTest {
  private final VirtualTime time = new VirtualTime();
  private final Gate gate = new Gate(time, new SplittableRandom(1), Duration.ofSeconds(60));

  @Test
  void theFirstFeelsTheWayForTheOthers() throws Exception {
    CompletableFuture<Pass> first = enter("/a");
    CompletableFuture<Pass> second = enter("/a");
    assertThat(first).isCompleted();
    assertThat(second).isNotDone();
    first.get().answered(told());
    assertThat(second).isCompleted();
    assertThat(enter("/a")).as("no limit was told of").isCompleted();
  }

  @Test
  void butNotForLongIfItIsSlow() {
    enter("/a");
    List<CompletableFuture<Pass>> others = List.of(enter("/a"), enter("/a"));
    time.pass(Duration.ofSeconds(1));
    assertThat(others).allMatch(CompletableFuture::isDone);
  }

  @Test
  void aloneAllThatIsLeftMayGoAtOnceAndNotOneMore() throws Exception {
    learn("/a", "p", 100, 60, 99, 60);
    learn("/a", "p", 100, 60, 98, 60);
    time.pass(Duration.ofSeconds(1));
    List<CompletableFuture<Pass>> all = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      all.add(enter("/a"));
      CompletableFuture<Pass> last = all.get(i);
      if (last.isDone() && i < 20) { // answers let it go faster
        last.get().answered(told(quota("p", 100, 60, 97 - i, 60)));
      }
    }
    assertThat(all.stream().filter(CompletableFuture::isDone)).hasSize(98);
    time.pass(Duration.ofSeconds(58));
    assertThat(all.stream().filter(CompletableFuture::isDone)).hasSize(98);
    time.pass(Duration.ofSeconds(2));
    assertThat(all.stream().filter(CompletableFuture::isDone)).hasSizeGreaterThan(98);
  }

  /** At first nobody can tell whether others come: half is left to them, for a second. */
  @Test
  void halfIsLeftToOthersForASecond() throws Exception {
    learn("/a", "p", 100, 60, 99, 60);
    for (int left = 98; left >= 50; left--) {
      learn("/a", "p", 100, 60, left, 60);
    }
    CompletableFuture<Pass> next = enter("/a");
    assertThat(next).isNotDone();
    time.pass(Duration.ofSeconds(1));
    assertThat(next).isCompleted();
  }

  @Test
  void whoWouldWaitTooLongIsToldAtOnce() throws Exception {
    learn("/a", "p", 5, 60, 1, 40);
    learn("/a", "p", 5, 60, 0, 40);
    CompletableFuture<Pass> hasty = gate.enter("GET", "/a", after(Duration.ofSeconds(39)));
    assertThatThrownBy(hasty::get)
        .cause()
        .isInstanceOfSatisfying(
            LongWaitException.class,
            e -> {
              assertThat(e.quota().orElseThrow().policy()).isEqualTo("p");
              assertThat(e.expected()).isEqualTo(Duration.ofSeconds(40));
            });
    CompletableFuture<Pass> patient = gate.enter("GET", "/a", after(Duration.ofSeconds(41)));
    assertThat(patient).isNotDone();
    time.pass(Duration.ofSeconds(40));
    assertThat(patient).isCompleted();
  }

  @Test
  void aServerThatSaysNothingIsLeftForYearsIsAskedAgainAfterAMinute() throws Exception {
    enter("/a").get().refused(told(quota("p", 5, 60, 0, 1_000_000)), Duration.ofDays(365));
    CompletableFuture<Pass> next = gate.enter("GET", "/a", after(Duration.ofHours(1)));
    assertThat(next).isNotDone();
    time.pass(Duration.ofSeconds(59));
    assertThat(next).isNotDone();
    time.pass(Duration.ofSeconds(20));
    assertThat(next).isCompleted();
  }

  @Test
  void oneLimitDoesNotHoldUpWhatItDoesNotApplyTo() throws Exception {
    enter("/login").get().refused(told(quota("login", 5, 60, 0, 60)), Duration.ofSeconds(60));
    assertThat(enter("/login")).isNotDone();
    assertThat(enter("/items")).isCompleted();
  }

  @Test
  void pathsWithNumbersAndSiblingsAreJudgedAlike() throws Exception {
    learn("/users/1/orders", "p", 5, 60, 1, 60);
    learn("/users/2/orders", "p", 5, 60, 0, 60);
    assertThat(enter("/users/3/orders")).isNotDone();
    learn("/wiki/Foo", "q", 5, 60, 1, 60);
    learn("/wiki/Bar", "q", 5, 60, 0, 60);
    assertThat(enter("/wiki/Baz")).isNotDone();
    assertThat(enter("/elsewhere")).isCompleted();
  }

  @Test
  void whoWaitsForAWrongLimitIsFreedWhenTheRightOneIsKnown() throws Exception {
    Pass first = enter("/a").get();
    List<CompletableFuture<Pass>> others = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      others.add(enter("/a"));
    }
    assertThat(others).noneMatch(CompletableFuture::isDone);
    first.answered(told());
    assertThat(others).allMatch(CompletableFuture::isDone);
  }

  @Test
  void whoGivesUpTakesNoPlace() throws Exception {
    learn("/a", "p", 5, 60, 1, 40);
    learn("/a", "p", 5, 60, 0, 40);
    CompletableFuture<Pass> first = gate.enter("GET", "/a", after(Duration.ofSeconds(50)));
    CompletableFuture<Pass> second = gate.enter("GET", "/a", after(Duration.ofSeconds(50)));
    first.cancel(false);
    time.pass(Duration.ofSeconds(40));
    assertThat(second).isCompleted();
  }

  private CompletableFuture<Pass> enter(String path) {
    return gate.enter("GET", path, after(Duration.ofMinutes(10)));
  }

  private long after(Duration span) {
    return time.nanos() + span.toNanos();
  }

  private void learn(String path, String name, long limit, long window, long left, long wait)
      throws Exception {
    enter(path).get().answered(told(quota(name, limit, window, left, wait)));
  }

  private static Quotas told(Quota... quotas) {
    return new Quotas(List.of(quotas), Optional.empty());
  }

  private static Quota quota(String name, long limit, long window, long left, long wait) {
    return new Quota(
        name,
        OptionalLong.of(limit),
        Optional.of(Duration.ofSeconds(window)),
        OptionalLong.of(left),
        Optional.of(Duration.ofSeconds(wait)));
  }
}
