package io.weir.rules.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleDecision;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Descriptors that many threads check while the rules are replaced. */
@Timeout(120)
class DescriptorReloadTest {
  private static final int THREADS = 4;

  private final ManualTime time = TimeSource.manual();
  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
  private final AtomicBoolean isStopped = new AtomicBoolean();
  private final AtomicLong granted = new AtomicLong();
  private final AtomicLong checked = new AtomicLong();

  @AfterEach
  void stop() throws InterruptedException {
    isStopped.set(true);
    threads.shutdownNow();
    assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
  }

  private RequestLimiter limiter(String rules, boolean counting) {
    return RequestLimiter.builder(EnvoyScenario.rules(rules))
        .time(time)
        .descriptors(new DescriptorMode(counting, false, false))
        .build();
  }

  @Test
  void spentPermitsSurviveReload() {
    RequestLimiter limiter = limiter("a 5/minute", false);
    assertThat(EnvoyScenario.summary(EnvoyScenario.check(limiter, "a=1*3"))).isEqualTo("OK 2");
    limiter.reload(EnvoyScenario.rules("b 1/minute\na 4/minute\nrule all 9/minute"));
    assertThat(EnvoyScenario.summary(EnvoyScenario.check(limiter, "a=1"))).isEqualTo("OK 0,8");
    limiter.reload(EnvoyScenario.rules("a 4/hour"));
    assertThat(EnvoyScenario.summary(EnvoyScenario.check(limiter, "a=1")))
        .as("another period")
        .isEqualTo("OK 3");
    limiter.reload(EnvoyScenario.rules("b 1/minute"));
    assertThat(EnvoyScenario.summary(EnvoyScenario.check(limiter, "a=1"))).isEqualTo("OK -");
  }

  /** One descriptor takes the fast path, several the general one. */
  @ParameterizedTest(name = "{0}, counting {1}")
  @CsvSource({"a=1, false", "a=1, true", "a=1 b=1, false", "a=1 b=1, true", "a=1 q=1 r=1, false"})
  void grantsExactlyTheLimitDuringReloadsOfOtherRules(String request, boolean counting)
      throws Exception {
    int permits = 20_000;
    String scarce = "a " + permits + "/day\n";
    String roomy = "b 2000000/day\nr 2000000/day quota\nq 1000/day quota\n";
    RequestLimiter limiter = limiter(scarce + roomy, counting);
    List<Future<Void>> callers =
        call(
            () -> {
              DescriptorDecision decision = EnvoyScenario.check(limiter, request);
              granted.addAndGet(decision.allowed() ? 1 : 0);
              checked.incrementAndGet();
            });
    int reloads = 0;
    while (checked.get() < permits * 3L / 2 || reloads < 200) {
      String other = reloads++ % 3 == 0 ? "" : "c 1/day\n";
      limiter.reload(EnvoyScenario.rules(other + roomy + scarce));
      assertThat(granted.get()).isLessThanOrEqualTo(permits);
    }
    finish(callers);
    assertThat(granted).hasValue(permits);
  }

  @Test
  void decidesEachRequestByOneRuleSet() throws Exception {
    RequestLimiter limiter = limiter(generation(0), false);
    List<Future<Void>> callers =
        call(
            () -> {
              DescriptorDecision decision = EnvoyScenario.check(limiter, "a=1 b=1 t=1");
              List<RuleDecision> ruleDecisions = new ArrayList<>();
              decision
                  .descriptorResults()
                  .forEach(
                      descriptorResult ->
                          ruleDecisions.addAll(descriptorResult.requestDecision().ruleDecisions()));
              decision
                  .descriptorResults()
                  .forEach(
                      descriptorResult ->
                          ruleDecisions.addAll(descriptorResult.requestDecision().shadows()));
              assertThat(ruleDecisions).hasSize(6);
              for (RuleDecision ruleDecision : ruleDecisions) {
                assertThat(ruleDecision.decision().limit())
                    .isEqualTo(ruleDecision.rule().limits().get(0))
                    .isEqualTo(ruleDecisions.get(0).rule().limits().get(0));
              }
              checked.incrementAndGet();
            });
    for (int i = 1; i < 500 || checked.get() < 500; i++) {
      limiter.reload(EnvoyScenario.rules(generation(i)));
    }
    finish(callers);
  }

  private static String generation(int number) {
    String limit = (1_000_000_000L + number) + "/day";
    return "a " + limit + "\nb " + limit + "\nt " + limit + " shadow\nrule all " + limit;
  }

  private List<Future<Void>> call(Runnable request) {
    Callable<Void> calling =
        () -> {
          while (!isStopped.get()) {
            request.run();
          }
          return null;
        };
    List<Future<Void>> callers = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      callers.add(threads.submit(calling));
    }
    return callers;
  }

  private void finish(List<Future<Void>> callers) throws Exception {
    isStopped.set(true);
    for (Future<Void> caller : callers) {
      caller.get(10, TimeUnit.SECONDS);
    }
  }
}
