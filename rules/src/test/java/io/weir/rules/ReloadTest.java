package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rules that are replaced again and again while requests are checked. */
@Timeout(120)
class ReloadTest {
  private static final int THREADS = 4;
  private static final int RELOADS = 2000;

  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
  private final AtomicBoolean isStopped = new AtomicBoolean();

  @AfterEach
  void stop() throws InterruptedException {
    isStopped.set(true);
    threads.shutdownNow();
    assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  @Tag("slow")
  void decidesEachRequestByOneRuleSet() throws Exception {
    RequestLimiter limiter = limiter(generation(0));
    List<Future<Long>> callers =
        call(
            i -> {
              RequestDecision requestDecision = limiter.check(Requests.of("user", "u" + i % 100));
              List<RuleDecision> ruleDecisions = new ArrayList<>(requestDecision.ruleDecisions());
              ruleDecisions.addAll(requestDecision.shadows());
              assertThat(ruleDecisions).hasSize(3);
              for (RuleDecision ruleDecision : ruleDecisions) {
                assertThat(ruleDecision.decision().limit())
                    .isEqualTo(ruleDecision.rule().limits().get(0));
                assertThat(ruleDecision.rule().limits())
                    .as("limits of one generation")
                    .isEqualTo(ruleDecisions.get(0).rule().limits());
              }
            });
    for (int i = 1; i <= RELOADS; i++) {
      limiter.reload(generation(i));
    }
    assertThat(requestsOf(callers)).isGreaterThan(RELOADS);
  }

  /** Three rules, the last only tried, which change their limits together. */
  private static RuleSet generation(int number) {
    Limit limit = Limit.fixedWindow(1_000_000_000L + number).per(Duration.ofDays(1));
    return rules(
        Rule.named("user").per("user").limit(limit).build(),
        Rule.named("all").limit(limit).build(),
        Rule.named("tried").limit(limit).policy(Policy.DEFAULT.with(Policy.Mode.SHADOW)).build());
  }

  @Test
  void reloadLosesAndDuplicatesNoDecision() throws Exception {
    int permits = 50_000;
    Rule counted = Rule.named("counted").limit(Limit.slidingLog(permits).perHour()).build();
    RequestLimiter limiter = limiter(rules(counted));
    AtomicLong allowed = new AtomicLong();
    AtomicLong checked = new AtomicLong();
    List<Future<Long>> callers =
        call(
            i -> {
              if (limiter.check(Requests.of("user", "u" + i % 10)).allowed()) {
                allowed.incrementAndGet();
              }
              checked.incrementAndGet();
            });
    int reloads = 0;
    while (checked.get() < 2L * permits || reloads < RELOADS) {
      Rule roomy =
          Rule.named(reloads % 50 == 0 ? "passing" : "roomy")
              .limit(Limit.tokenBucket(1_000_000_000L + reloads % 3).perHour())
              .build();
      limiter.reload(reloads % 2 == 0 ? rules(roomy, counted) : rules(counted, roomy));
      reloads++;
      assertThat(allowed.get()).isLessThanOrEqualTo(permits);
    }
    requestsOf(callers);
    assertThat(allowed).hasValue(permits);
  }

  @Test
  void limitThatIsOnlyRaisedGrantsExactlyTheLast() throws Exception {
    int permits = 50_000;
    RequestLimiter limiter = limiter(single(permits));
    AtomicLong allowed = new AtomicLong();
    AtomicLong checked = new AtomicLong();
    List<Future<Long>> callers =
        call(
            i -> {
              RequestDecision requestDecision = limiter.check(Requests.of());
              RuleDecision ruleDecision = requestDecision.ruleDecisions().get(0);
              assertThat(ruleDecision.decision().limit())
                  .isEqualTo(ruleDecision.rule().limits().get(0));
              allowed.addAndGet(requestDecision.allowed() ? 1 : 0);
              checked.incrementAndGet();
            });
    int reloads = 0;
    while (checked.get() < 2L * permits || reloads < RELOADS) {
      limiter.reload(single(permits + ++reloads));
    }
    long last = checked.get();
    while (checked.get() < last + 100) {
      Thread.onSpinWait();
    }
    requestsOf(callers);
    for (int i = 0; i < reloads; i++) { // what the last reloads added may not have been taken yet
      allowed.addAndGet(limiter.check(Requests.of()).allowed() ? 1 : 0);
    }
    assertThat(allowed).hasValue(permits + reloads);
  }

  private static RuleSet single(int permits) {
    return rules(Rule.named("alone").limit(Limit.slidingLog(permits).perHour()).build());
  }

  @Test
  @Tag("slow")
  void removedRulesFreeTheirMemory() {
    RequestLimiter limiter = limiter(rules());
    fill(limiter, 0, 20);
    long before = usedBytes();
    fill(limiter, 20, 120); // 100 rules of 20,000 keys each weigh about 44 MB
    assertThat(usedBytes() - before).isLessThan(10_000_000);
  }

  private static void fill(RequestLimiter limiter, int from, int to) {
    for (int i = from; i < to; i++) {
      limiter.reload(
          rules(Rule.named("r" + i).per("user").limit(Limit.slidingWindow(9).perHour()).build()));
      for (int user = 0; user < 20_000; user++) {
        limiter.check(Requests.of("user", "u" + user));
      }
    }
  }

  private static long usedBytes() {
    Runtime runtime = Runtime.getRuntime();
    long min = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      System.gc();
      min = Math.min(min, runtime.totalMemory() - runtime.freeMemory());
    }
    return min;
  }

  private RequestLimiter limiter(RuleSet rules) {
    return RequestLimiter.builder(rules).time(TimeSource.manual()).build();
  }

  private static RuleSet rules(Rule... rules) {
    return RuleSet.of(new Domain(Rule.DEFAULT_DOMAIN, Map.of(), Arrays.asList(rules)));
  }

  private interface Caller {
    void call(long request);
  }

  private List<Future<Long>> call(Caller caller) {
    Callable<Long> calling =
        () -> {
          long requests = 0;
          while (!isStopped.get()) {
            caller.call(requests++);
          }
          return requests;
        };
    List<Future<Long>> callers = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      callers.add(threads.submit(calling));
    }
    return callers;
  }

  private long requestsOf(List<Future<Long>> callers) throws Exception {
    isStopped.set(true);
    long sum = 0;
    for (Future<Long> caller : callers) {
      sum += caller.get(10, TimeUnit.SECONDS);
    }
    return sum;
  }
}
