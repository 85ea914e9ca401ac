package io.weir.front;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.TimeSource;
import io.weir.arbiter.RuleFeed;
import io.weir.node.Node;
import io.weir.rig.Logged;
import io.weir.rig.Until;
import io.weir.rules.Held;
import io.weir.rules.file.RuleFiles;
import io.weir.rules.http.HeaderStyle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which requests are held, which are not, and which places are given back. */
@Timeout(60)
class TurnsTest {
  private static final String RULES =
      "rules: [ { name: a, limit: { algorithm: leaky-bucket, rate: 1 per hour, queue: 9 } } ]";

  private final Node node =
      Node.builder(
              RuleFeed.of(
                  RuleFiles.read("rules.yaml", RULES.getBytes(UTF_8)).rules().orElseThrow()))
          .time(TimeSource.manual())
          .open();
  private final Turns turns = new Turns(1);

  @AfterEach
  void close() {
    turns.close();
    node.close();
  }

  private Held held() {
    return node.arbiter().hold(name -> null).toCompletableFuture().join();
  }

  private Held next() {
    held(); // goes at once, or waits as well
    return held();
  }

  private long remaining() {
    return node.arbiter()
        .buckets(node.rules().domains().get(0).allRules().get(0), "")
        .get(0)
        .peek()
        .toCompletableFuture()
        .join()
        .remaining();
  }

  @Test
  void oneMoreThanThereArePlacesIsNotHeldAndCostsNothing() {
    Turns.Place place = turns.hold(next(), () -> {}, () -> {});
    assertThat(place).isNotNull();
    long before = remaining();
    assertThat(turns.hold(held(), () -> {}, () -> {})).isNull();
    assertThat(turns.await(held())).isFalse();
    assertThat(remaining()).isEqualTo(before);
  }

  @Test
  void whoLeavesGivesThePlaceBack() {
    AtomicBoolean hasCome = new AtomicBoolean();
    Turns.Place place = turns.hold(next(), () -> hasCome.set(true), () -> {});
    long before = remaining();
    place.leave();
    place.leave();
    place.run();
    assertThat(remaining()).isEqualTo(before + 1);
    assertThat(hasCome).isFalse();
    assertThat(turns.hold(held(), () -> {}, () -> {})).as("there is a place").isNotNull();
  }

  @Test
  void whoIsInterruptedGivesThePlaceBackAndStaysInterrupted() throws Exception {
    Held turn = next();
    long before = remaining();
    AtomicBoolean isInterrupted = new AtomicBoolean();
    AtomicBoolean isTurn = new AtomicBoolean(true);
    Thread thread =
        new Thread(
            () -> {
              isTurn.set(turns.await(turn));
              isInterrupted.set(Thread.currentThread().isInterrupted());
            });
    thread.start();
    Until.holds("it waits", () -> thread.getState() == Thread.State.TIMED_WAITING);
    thread.interrupt();
    thread.join();
    assertThat(isTurn).isFalse();
    assertThat(isInterrupted).isTrue();
    assertThat(remaining()).isEqualTo(before + 1);
    assertThat(turns.hold(held(), () -> {}, () -> {})).as("there is a place").isNotNull();
  }

  @Test
  void closingNotifiesAllHeldRequestsAndFreesTheirPlaces() throws Exception {
    Turns some = new Turns(9);
    AtomicInteger lost = new AtomicInteger();
    long before = remaining();
    held(); // goes at once
    Held next = held();
    AtomicBoolean isTurn = new AtomicBoolean(true);
    Thread thread = new Thread(() -> isTurn.set(some.await(next)));
    thread.start();
    Until.holds("it waits", () -> thread.getState() == Thread.State.TIMED_WAITING);
    for (int i = 0; i < 3; i++) {
      some.hold(held(), () -> {}, lost::incrementAndGet);
    }
    assertThat(some.held()).isEqualTo(4);
    some.close();
    some.close();
    thread.join();
    assertThat(isTurn).isFalse();
    assertThat(lost).hasValue(3);
    assertThat(some.held()).isZero();
    assertThat(some.hold(held(), () -> {}, lost::incrementAndGet)).isNull();
    assertThat(some.await(held())).isFalse();
    assertThat(remaining()).isGreaterThanOrEqualTo(before - 2); // the thread may leave too soon
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void errorAffectsNoOtherRequest(boolean isThrownAtOnce) throws Exception {
    Judge judge = new Judge(node, HeaderStyle.DEFAULT);
    Error error = new NoClassDefFoundError("thrown on purpose");
    try (Logged log = new Logged("io.weir.front")) {
      CompletableFuture<?> asked =
          isThrownAtOnce
              ? judge.ask(
                  () -> {
                    throw error;
                  })
              : CompletableFuture.failedFuture(error);
      assertThat(judge.step(asked, null)).isInstanceOf(Step.Pass.class);
      assertThat(log.lines()).hasSize(1);
    }
  }

  @Test
  void whoWaitsForADecisionIsInterruptedAfterwards() throws Exception {
    Judge judge = new Judge(node, HeaderStyle.DEFAULT);
    CompletableFuture<Object> asked = new CompletableFuture<>();
    AtomicBoolean isInterrupted = new AtomicBoolean();
    Thread thread =
        new Thread(
            () -> {
              judge.await(asked);
              isInterrupted.set(Thread.currentThread().isInterrupted() && asked.isDone());
            });
    thread.start();
    Until.holds("it waits", () -> thread.getState() == Thread.State.TIMED_WAITING);
    thread.interrupt();
    asked.complete(held());
    thread.join();
    assertThat(isInterrupted).isTrue();
  }
}
