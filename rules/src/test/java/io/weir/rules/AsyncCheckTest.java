package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.TimeSource;
import io.weir.rules.envoy.DescriptorDecision;
import io.weir.rules.envoy.DescriptorMode;
import io.weir.rules.envoy.EnvoyScenario;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests to a store that responds later: no thread waits, and reloads may happen in between. */
@Timeout(60)
class AsyncCheckTest {
  private static final String RULES =
      """
      a 5/minute
      b 2/minute
      s 1/minute shadow
      q 1/minute quota
      r 9/minute quota
      rule user 3/minute per=user
      rule path 2/minute per=path
      rule tried 1/minute per=user shadow
      rule tried2 9/minute per=user shadow
      """;

  private final ConcurrentLinkedQueue<Runnable> responses = new ConcurrentLinkedQueue<>();

  private RequestLimiter limiter(String rules, DescriptorMode mode) {
    return RequestLimiter.builder(EnvoyScenario.rules(rules))
        .store(RemoteBuckets.store(responses::add))
        .time(TimeSource.manual())
        .descriptors(mode)
        .build();
  }

  /** Runs the pending responses of the store until none are left. */
  private <T> T completed(CompletionStage<T> stage) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    assertThat(future).as("the store has not responded").isNotDone();
    respond();
    return future.getNow(null);
  }

  private void respond() {
    for (Runnable response = responses.poll(); response != null; response = responses.poll()) {
      response.run();
    }
  }

  @Test
  void requestsAreChargedLikeThoseOfMemory() {
    RequestLimiter limiter = limiter(RULES, DescriptorMode.DEFAULT);
    RequestLimiter memory =
        RequestLimiter.builder(EnvoyScenario.rules(RULES)).time(TimeSource.manual()).build();
    String[][] requests = {
      {"user", "1"},
      {"path", "/"},
      {"user", "1", "path", "/"},
      {"user", "1", "path", "/"},
      {"user", "1"}
    };
    for (String[] request : requests) {
      RequestDecision requestDecision = completed(limiter.checkAsync(Requests.of(request)));
      RequestDecision expected = memory.check(Requests.of(request));
      assertThat(requestDecision.ruleDecisions()).isEqualTo(expected.ruleDecisions());
      assertThat(requestDecision.shadows()).isEqualTo(expected.shadows());
    }
    assertThat(limiter.checkAsync(Requests.of("ip", "1.2.3.4"))).isCompleted();
  }

  /** Each request against a limiter of its own, which 3 questions before have used. */
  @ParameterizedTest
  @CsvSource({
    "a=1",
    "a=1*0",
    "a=1*-2",
    "a=1 b=1",
    "a=1 b=1*2",
    "b=1 a=2 s=1",
    "b=1*9 a=1 s=1*0",
    "s=1 s=2 s=1*0",
    "q=1 r=1",
    "q=1 a=1",
    "q=1 a=1 r=1*99",
    "q=1*0 r=1*0 a=2*0",
    "a=1*-1 b=1*9",
    "user=1 a=1",
    "user=1*9 a=1 path=/x",
    "path=/x path=/y user=2",
    "a=1@1/hour a=2@7/hour*7",
    "x=1 x=2"
  })
  void descriptorsDecideAsInMemory(String request) {
    for (int mode = 0; mode < 8; mode++) {
      DescriptorMode of = new DescriptorMode((mode & 1) > 0, (mode & 2) > 0, (mode & 4) > 0);
      RequestLimiter limiter = limiter(RULES, of);
      RequestLimiter memory =
          RequestLimiter.builder(EnvoyScenario.rules(RULES))
              .time(TimeSource.manual())
              .descriptors(of)
              .build();
      for (String each : List.of("a=1*4", "b=1 q=1", "s=1 user=1", request, request, "r=1")) {
        CompletionStage<DescriptorDecision> stage = limiter.checkAsync(EnvoyScenario.request(each));
        respond();
        assertThat(EnvoyScenario.summary(stage.toCompletableFuture().getNow(null)))
            .as("%s in %s", each, of)
            .isEqualTo(EnvoyScenario.summary(EnvoyScenario.check(memory, each)));
      }
    }
  }

  @Test
  void settlesHeldChargeLater() {
    RequestLimiter limiter = limiter(RULES, DescriptorMode.DEFAULT);
    Requests request = Requests.of("user", "1", "path", "/");
    HeldCharge heldCharge = completed(limiter.hold(request.costing(2)));
    assertThat(heldCharge.requestDecision().ruleDecisions())
        .extracting(v -> v.decision().remaining())
        .containsExactly(1L, 0L);
    completed(heldCharge.settle(1).thenApply(nothing -> true));
    RequestDecision after = completed(limiter.checkAsync(request));
    assertThat(after.ruleDecisions())
        .extracting(v -> v.decision().remaining())
        .containsExactly(1L, 0L);
  }

  /**
   * Rules change between the request and the response. The request starts again with the new rules.
   */
  @ParameterizedTest
  @CsvSource({"a=1, OK 6", "a=1 b=1, OK 6 1", "a=1 s=1, OK 6 (0)"})
  void restartsRequestAfterReloadInBetween(String request, String summary) {
    String before = "a 5/minute\nb 2/minute\ns 1/minute shadow";
    RequestLimiter limiter = limiter(before, DescriptorMode.DEFAULT);
    completed(limiter.checkAsync(EnvoyScenario.request("a=9 s=9"))); // opens the limiters
    CompletionStage<DescriptorDecision> stage = limiter.checkAsync(EnvoyScenario.request(request));
    limiter.reload(EnvoyScenario.rules("a 7/minute\nb 2/minute\ns 1/minute shadow"));
    respond();
    DescriptorDecision decision = stage.toCompletableFuture().getNow(null);
    assertThat(EnvoyScenario.summary(decision)).isEqualTo(summary);
    assertThat(EnvoyScenario.summary(completed(limiter.checkAsync(EnvoyScenario.request("a=1")))))
        .as("what was taken for the first attempt was given back")
        .isEqualTo("OK 5");
  }

  @Test
  void grantsExactlyTheLimitToConcurrentResponses() throws Exception {
    int permits = 2_000;
    ExecutorService store = Executors.newFixedThreadPool(3);
    try {
      RequestLimiter limiter =
          RequestLimiter.builder(EnvoyScenario.rules("a " + permits + "/day\nb 100000/day"))
              .store(RemoteBuckets.store(store))
              .time(TimeSource.manual())
              .build();
      AtomicLong granted = new AtomicLong();
      for (int round = 0; round < 60; round++) { // waits for each round, so that refusals settle
        List<CompletableFuture<?>> questions = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
          String request = i % 2 == 0 ? "a=1" : "a=1 b=1";
          questions.add(
              limiter
                  .checkAsync(EnvoyScenario.request(request))
                  .thenAccept(decision -> granted.addAndGet(decision.allowed() ? 1 : 0))
                  .toCompletableFuture());
        }
        CompletableFuture.allOf(questions.toArray(CompletableFuture[]::new))
            .get(20, TimeUnit.SECONDS);
        assertThat(granted.get()).isLessThanOrEqualTo(permits);
      }
      assertThat(granted).hasValue(permits);
    } finally {
      store.shutdownNow();
    }
  }
}
