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
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which requests wait and which do not. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RequestQueueTest {
  private final VirtualTime time = new VirtualTime();
  private final RequestQueue requestQueue =
      new RequestQueue(time, new SplittableRandom(1), Duration.ofSeconds(60));

  @Test
  void firstRequestProbesBeforeOthersAreSent() throws Exception {
    CompletableFuture<SendSlot> first = enter("/a");
    CompletableFuture<SendSlot> second = enter("/a");
    assertThat(first).isCompleted();
    assertThat(second).isNotDone();
    first.get(1, TimeUnit.SECONDS).responded(quotas());
    assertThat(second).isCompleted();
    assertThat(enter("/a")).as("no limit was reported").isCompleted();
  }

  @Test
  void aSlowServerDoesNotBlockUnknownLimitsForLong() {
    enter("/a");
    List<CompletableFuture<SendSlot>> others = List.of(enter("/a"), enter("/a"));
    time.pass(Duration.ofSeconds(1));
    assertThat(others).allMatch(CompletableFuture::isDone);
  }

  @Test
  void singleClientSendsAllRemainingAtOnce() throws Exception {
    learn("/a", "p", 100, 60, 99, 60);
    learn("/a", "p", 100, 60, 98, 60);
    time.pass(Duration.ofSeconds(1));
    List<CompletableFuture<SendSlot>> all = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      all.add(enter("/a"));
      CompletableFuture<SendSlot> last = all.get(i);
      if (last.isDone() && i < 20) { // responses let it send faster
        last.get(1, TimeUnit.SECONDS).responded(quotas(quota("p", 100, 60, 97 - i, 60)));
      }
    }
    assertThat(all.stream().filter(CompletableFuture::isDone)).hasSize(98);
    time.pass(Duration.ofSeconds(58));
    assertThat(all.stream().filter(CompletableFuture::isDone)).hasSize(98);
    time.pass(Duration.ofSeconds(2));
    assertThat(all.stream().filter(CompletableFuture::isDone)).hasSizeGreaterThan(98);
  }

  /** At first a client cannot know of others: half is left to them, for a second. */
  @Test
  void leavesHalfToOtherClientsForASecond() throws Exception {
    learn("/a", "p", 100, 60, 99, 60);
    for (int left = 98; left >= 50; left--) {
      learn("/a", "p", 100, 60, left, 60);
    }
    CompletableFuture<SendSlot> next = enter("/a");
    assertThat(next).isNotDone();
    time.pass(Duration.ofSeconds(1));
    assertThat(next).isCompleted();
  }

  @Test
  void failsAtOnceIfTheWaitIsTooLong() throws Exception {
    learn("/a", "p", 5, 60, 1, 40);
    learn("/a", "p", 5, 60, 0, 40);
    CompletableFuture<SendSlot> hasty =
        requestQueue.enter("GET", "/a", after(Duration.ofSeconds(39)));
    assertThatThrownBy(() -> hasty.get(1, TimeUnit.SECONDS))
        .cause()
        .isInstanceOfSatisfying(
            LongWaitException.class,
            e -> {
              assertThat(e.quota().orElseThrow().policy()).isEqualTo("p");
              assertThat(e.expected()).isEqualTo(Duration.ofSeconds(40));
            });
    CompletableFuture<SendSlot> patient =
        requestQueue.enter("GET", "/a", after(Duration.ofSeconds(41)));
    assertThat(patient).isNotDone();
    time.pass(Duration.ofSeconds(40));
    assertThat(patient).isCompleted();
  }

  /** Five have room after 20 s, the next five a minute later. */
  @Test
  void failsAtOnceIfTheQueueIsTooLong() throws Exception {
    learn("/a", "p", 5, 60, 1, 20);
    learn("/a", "p", 5, 60, 0, 20);
    List<CompletableFuture<SendSlot>> all = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      all.add(requestQueue.enter("GET", "/a", after(Duration.ofSeconds(50))));
    }
    assertThat(all.subList(0, 5)).noneMatch(CompletableFuture::isDone);
    assertThat(all.get(5)).isCompletedExceptionally();
    assertThat(requestQueue.enter("GET", "/a", after(Duration.ofSeconds(100)))).isNotDone();
  }

  /** Both in a refusal and in another response, also the first one. */
  @ParameterizedTest
  @CsvSource({"true", "false"})
  void retriesAfterAMinuteIfTheResetIsYearsAway(boolean refuses) throws Exception {
    long years = Duration.ofDays(365).toSeconds();
    Quotas quotas = quotas(quota("p", 5, years, 0, years));
    SendSlot first = enter("/a").get(1, TimeUnit.SECONDS);
    if (refuses) {
      first.refused(quotas, Duration.ofDays(365));
    } else {
      first.responded(quotas);
    }
    CompletableFuture<SendSlot> next = requestQueue.enter("GET", "/a", after(Duration.ofHours(1)));
    assertThatThrownBy(() -> next.get(1, TimeUnit.SECONDS))
        .as("fails at once if the wait can be foreseen")
        .cause()
        .isInstanceOfSatisfying(
            LongWaitException.class,
            e -> assertThat(e.expected()).isGreaterThan(Duration.ofDays(364)));
    time.pass(Duration.ofSeconds(59));
    assertThat(enter("/a")).isCompletedExceptionally();
    time.pass(Duration.ofSeconds(20));
    assertThat(enter("/a")).isCompletedWithValueMatching(sendSlot -> true);
    assertThat(enter("/a")).as("one is enough to find out").isNotDone();
  }

  @Test
  void stopsAtZeroRemainingInTheFirstResponse() throws Exception {
    learn("/a", "p", 5, 60, 0, 40);
    CompletableFuture<SendSlot> next = enter("/a");
    time.pass(Duration.ofSeconds(39));
    assertThat(next).isNotDone();
    time.pass(Duration.ofSeconds(1));
    assertThat(next).isCompleted();
  }

  /** Errors, redirects and what a cache between gives often say nothing of limits. */
  @Test
  void responseWithoutLimitHeadersChangesNothing() throws Exception {
    learn("/a", "p", 5, 60, 2, 40);
    SendSlot silent = enter("/a").get(1, TimeUnit.SECONDS);
    time.pass(Duration.ofSeconds(1));
    SendSlot speaking = enter("/a").get(1, TimeUnit.SECONDS);
    speaking.responded(quotas(quota("p", 5, 60, 0, 40)));
    silent.responded(quotas());
    CompletableFuture<SendSlot> next = enter("/a");
    assertThat(next).isNotDone();
    time.pass(Duration.ofSeconds(40));
    assertThat(next).isCompleted();
  }

  /** Of a proxy, say, that could not reach the server: what that limits is as unknown as before. */
  @Test
  void errorWithoutLimitHeadersDoesNotEndProbing() throws Exception {
    SendSlot first = enter("/a").get(1, TimeUnit.SECONDS);
    List<CompletableFuture<SendSlot>> others = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      others.add(enter("/a"));
    }
    first.failed();
    assertThat(others.stream().filter(CompletableFuture::isDone)).hasSizeBetween(1, 2);
    others.get(0).get(1, TimeUnit.SECONDS).responded(quotas(quota("p", 5, 60, 3, 40)));
    time.pass(Duration.ofSeconds(30));
    assertThat(others.stream().filter(CompletableFuture::isDone)).hasSizeLessThanOrEqualTo(5);
  }

  @Test
  void failedRequestTeachesNothingAboutRelatedPaths() throws Exception {
    learn("/api/a", "p", 5, 60, 2, 40);
    time.pass(Duration.ofSeconds(1));
    enter("/api/x").get(1, TimeUnit.SECONDS).failed();
    time.pass(Duration.ofSeconds(1));
    learn("/api/b", "p", 5, 60, 0, 40);
    assertThat(enter("/api/c")).as("p applies to all paths").isNotDone();
  }

  /** A server without limits may have nothing but errors to say. */
  @Test
  void errorsAloneRaiseConcurrencyStepByStep() throws Exception {
    List<CompletableFuture<SendSlot>> all = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      all.add(enter("/a"));
    }
    for (int round = 0; round < 50; round++) {
      List<CompletableFuture<SendSlot>> gone =
          all.stream().filter(CompletableFuture::isDone).toList();
      assertThat(gone).hasSizeLessThanOrEqualTo(32);
      all.removeAll(gone);
      for (CompletableFuture<SendSlot> sendSlot : gone) {
        sendSlot.get(1, TimeUnit.SECONDS).failed();
      }
    }
    assertThat(all).isEmpty();
  }

  @Test
  void refusalWithoutLimitNameDoesNotChangeRemaining() throws Exception {
    learn("/a", "p", 5, 60, 2, 40);
    SendSlot first = enter("/a").get(1, TimeUnit.SECONDS);
    time.pass(Duration.ofSeconds(1));
    SendSlot second = enter("/a").get(1, TimeUnit.SECONDS);
    first.responded(quotas(quota("p", 5, 60, 0, 40)));
    second.refused(quotas(), Duration.ofSeconds(1));
    CompletableFuture<SendSlot> next = enter("/a");
    time.pass(Duration.ofSeconds(30));
    assertThat(next).isNotDone();
  }

  /** A server may remove limits: a limit that is not reported again ends with its reset. */
  @Test
  void forgetsLimitWhenItsResetHasPassed() throws Exception {
    learn("/a", "p", 5, 60, 0, 40);
    time.pass(Duration.ofSeconds(41));
    enter("/a").get(1, TimeUnit.SECONDS).responded(quotas());
    List<CompletableFuture<SendSlot>> all = List.of(enter("/a"), enter("/a"), enter("/a"));
    assertThat(all).allMatch(CompletableFuture::isDone);
  }

  @Test
  void refusalStopsAtAnyExhaustedLimit() throws Exception {
    enter("/a")
        .get(1, TimeUnit.SECONDS)
        .refused(
            quotas(quota("p", 5, 10, 0, 10), quota("q", 50, 60, 0, 40)), Duration.ofSeconds(10));
    CompletableFuture<SendSlot> next = enter("/a");
    time.pass(Duration.ofSeconds(38));
    assertThat(next).isNotDone();
  }

  @Test
  void exhaustedLimitDoesNotDelayOtherPaths() throws Exception {
    enter("/login")
        .get(1, TimeUnit.SECONDS)
        .refused(quotas(quota("login", 5, 60, 0, 60)), Duration.ofSeconds(60));
    assertThat(enter("/login")).isNotDone();
    assertThat(enter("/items")).isCompleted();
  }

  @Test
  void pathsWithNumbersAndSiblingsShareALimit() throws Exception {
    learn("/users/1/orders", "p", 5, 60, 1, 60);
    learn("/users/2/orders", "p", 5, 60, 0, 60);
    assertThat(enter("/users/3/orders")).isNotDone();
    learn("/wiki/Foo", "q", 5, 60, 1, 60);
    learn("/wiki/Bar", "q", 5, 60, 0, 60);
    assertThat(enter("/wiki/Baz")).isNotDone();
    assertThat(enter("/elsewhere")).isCompleted();
  }

  @Test
  void movesWaitersToTheRightLimitWhenItIsKnown() throws Exception {
    SendSlot first = enter("/a").get(1, TimeUnit.SECONDS);
    List<CompletableFuture<SendSlot>> others = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      others.add(enter("/a"));
    }
    assertThat(others).noneMatch(CompletableFuture::isDone);
    first.responded(quotas());
    assertThat(others).allMatch(CompletableFuture::isDone);
  }

  @Test
  void cancelledWaitersTakeNoPlace() throws Exception {
    learn("/a", "p", 5, 60, 1, 40);
    learn("/a", "p", 5, 60, 0, 40);
    CompletableFuture<SendSlot> first =
        requestQueue.enter("GET", "/a", after(Duration.ofSeconds(50)));
    CompletableFuture<SendSlot> second =
        requestQueue.enter("GET", "/a", after(Duration.ofSeconds(50)));
    first.cancel(false);
    time.pass(Duration.ofSeconds(40));
    assertThat(second).isCompleted();
  }

  /** It does not count for later requests either. */
  @Test
  void cancelledWaitersDoNotDelayLaterOnes() throws Exception {
    learn("/a", "p", 1, 1, 0, 1);
    time.pass(Duration.ofSeconds(2));
    learn("/a", "p", 1, 1, 0, 1);
    for (int i = 0; i < 50; i++) {
      enter("/a").cancel(false);
    }
    CompletableFuture<SendSlot> next =
        requestQueue.enter("GET", "/a", after(Duration.ofSeconds(5)));
    time.pass(Duration.ofSeconds(2));
    assertThat(next).isCompletedWithValueMatching(sendSlot -> true);
  }

  /** Requests may use permits that have come back since, however long the other responses take. */
  @Test
  void requestsWithoutResponseDoNotDelayOthersForLong() throws Exception {
    for (int left = 9; left > 5; left--) {
      learn("/a", "p", 10, 10, left, 1);
    }
    time.pass(Duration.ofSeconds(5));
    for (int i = 0; i < 10; i++) {
      enter("/a");
    }
    time.pass(Duration.ofSeconds(1));
    CompletableFuture<SendSlot> next = enter("/a");
    time.pass(Duration.ofSeconds(3));
    assertThat(next).isCompletedWithValueMatching(sendSlot -> true);
  }

  /** As a request does that cannot be sent: each lets the next go. */
  @Test
  void manyConsecutiveFailuresDoNotOverflowTheStack() throws Exception {
    SendSlot first = enter("/a").get(1, TimeUnit.SECONDS);
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      all.add(enter("/a").thenAccept(SendSlot::lost));
    }
    first.lost();
    time.pass(Duration.ofMillis(1));
    assertThat(all.stream().filter(CompletableFuture::isCompletedExceptionally)).isEmpty();
    assertThat(all).allMatch(CompletableFuture::isDone);
  }

  private CompletableFuture<SendSlot> enter(String path) {
    return requestQueue.enter("GET", path, after(Duration.ofMinutes(10)));
  }

  private long after(Duration span) {
    return time.nanos() + span.toNanos();
  }

  private void learn(String path, String name, long limit, long window, long left, long wait)
      throws Exception {
    enter(path).get(1, TimeUnit.SECONDS).responded(quotas(quota(name, limit, window, left, wait)));
  }

  private static Quotas quotas(Quota... quotas) {
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
