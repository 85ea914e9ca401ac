package io.weir.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.TimeSource;
import io.weir.decision.RuleSource;
import io.weir.rig.Await;
import io.weir.rig.CapturedLog;
import io.weir.rules.HeldCharge;
import io.weir.rules.file.RuleFiles;
import io.weir.rules.http.HeaderStyle;
import io.weir.runtime.Node;
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
class DelayedRequestsTest {
  private static final String RULES =
      "rules: [ { name: a, limit: { algorithm: leaky-bucket, rate: 1 per hour, queue: 9 } } ]";

  private final Node node =
      Node.builder(
              RuleSource.of(
                  RuleFiles.read("rules.yaml", RULES.getBytes(UTF_8)).rules().orElseThrow()))
          .time(TimeSource.manual())
          .open();
  private final DelayedRequests delayedRequests = new DelayedRequests(1);

  @AfterEach
  void close() {
    delayedRequests.close();
    node.close();
  }

  private HeldCharge heldCharge() {
    return node.decisionEngine().hold(name -> null).toCompletableFuture().join();
  }

  private HeldCharge next() {
    heldCharge(); // goes at once, or waits as well
    return heldCharge();
  }

  private long remaining() {
    return node.decisionEngine()
        .buckets(node.rules().domains().get(0).allRules().get(0), "")
        .get(0)
        .peek()
        .toCompletableFuture()
        .join()
        .remaining();
  }

  @Test
  void excessRequestIsNotHeldAndCostsNothing() {
    DelayedRequests.WaitingRequest waitingRequest =
        delayedRequests.hold(next(), () -> {}, () -> {});
    assertThat(waitingRequest).isNotNull();
    long before = remaining();
    assertThat(delayedRequests.hold(heldCharge(), () -> {}, () -> {})).isNull();
    assertThat(delayedRequests.await(heldCharge())).isFalse();
    assertThat(remaining()).isEqualTo(before);
  }

  @Test
  void abandonedRequestReleasesItsSlot() {
    AtomicBoolean hasCome = new AtomicBoolean();
    DelayedRequests.WaitingRequest waitingRequest =
        delayedRequests.hold(next(), () -> hasCome.set(true), () -> {});
    long before = remaining();
    waitingRequest.leave();
    waitingRequest.leave();
    waitingRequest.run();
    assertThat(remaining()).isEqualTo(before + 1);
    assertThat(hasCome).isFalse();
    assertThat(delayedRequests.hold(heldCharge(), () -> {}, () -> {}))
        .as("there is a place")
        .isNotNull();
  }

  @Test
  void interruptedRequestReleasesItsSlotAndKeepsTheInterrupt() throws Exception {
    HeldCharge turn = next();
    long before = remaining();
    AtomicBoolean isInterrupted = new AtomicBoolean();
    AtomicBoolean isTurn = new AtomicBoolean(true);
    Thread thread =
        new Thread(
            () -> {
              isTurn.set(delayedRequests.await(turn));
              isInterrupted.set(Thread.currentThread().isInterrupted());
            });
    thread.start();
    Await.holds("it waits", () -> thread.getState() == Thread.State.TIMED_WAITING);
    thread.interrupt();
    thread.join();
    assertThat(isTurn).isFalse();
    assertThat(isInterrupted).isTrue();
    assertThat(remaining()).isEqualTo(before + 1);
    assertThat(delayedRequests.hold(heldCharge(), () -> {}, () -> {}))
        .as("there is a place")
        .isNotNull();
  }

  @Test
  void closingNotifiesAllHeldRequestsAndFreesTheirPlaces() throws Exception {
    DelayedRequests some = new DelayedRequests(9);
    AtomicInteger lost = new AtomicInteger();
    long before = remaining();
    heldCharge(); // goes at once
    HeldCharge next = heldCharge();
    AtomicBoolean isTurn = new AtomicBoolean(true);
    Thread thread = new Thread(() -> isTurn.set(some.await(next)));
    thread.start();
    Await.holds("it waits", () -> thread.getState() == Thread.State.TIMED_WAITING);
    for (int i = 0; i < 3; i++) {
      some.hold(heldCharge(), () -> {}, lost::incrementAndGet);
    }
    assertThat(some.held()).isEqualTo(4);
    some.close();
    some.close();
    thread.join();
    assertThat(isTurn).isFalse();
    assertThat(lost).hasValue(3);
    assertThat(some.held()).isZero();
    assertThat(some.hold(heldCharge(), () -> {}, lost::incrementAndGet)).isNull();
    assertThat(some.await(heldCharge())).isFalse();
    assertThat(remaining()).isGreaterThanOrEqualTo(before - 2); // the thread may leave too soon
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void errorAffectsNoOtherRequest(boolean isThrownAtOnce) throws Exception {
    RequestGuard requestGuard = new RequestGuard(node, HeaderStyle.DEFAULT);
    Error error = new NoClassDefFoundError("thrown on purpose");
    try (CapturedLog log = new CapturedLog("io.weir.embedded")) {
      CompletableFuture<?> check =
          isThrownAtOnce
              ? requestGuard.check(
                  () -> {
                    throw error;
                  })
              : CompletableFuture.failedFuture(error);
      assertThat(requestGuard.step(check, null)).isInstanceOf(FilterAction.Pass.class);
      assertThat(log.lines()).hasSize(1);
    }
  }

  @Test
  void defersInterruptUntilTheDecision() throws Exception {
    RequestGuard requestGuard = new RequestGuard(node, HeaderStyle.DEFAULT);
    CompletableFuture<Object> check = new CompletableFuture<>();
    AtomicBoolean isInterrupted = new AtomicBoolean();
    Thread thread =
        new Thread(
            () -> {
              requestGuard.await(check);
              isInterrupted.set(Thread.currentThread().isInterrupted() && check.isDone());
            });
    thread.start();
    Await.holds("it waits", () -> thread.getState() == Thread.State.TIMED_WAITING);
    thread.interrupt();
    check.complete(heldCharge());
    thread.join();
    assertThat(isInterrupted).isTrue();
  }
}
