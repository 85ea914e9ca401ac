package io.weir.rules.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Origin;
import io.weir.Store;
import io.weir.TimeSource;
import io.weir.rig.RedisProcess;
import io.weir.rules.HeldCharge;
import io.weir.rules.RequestLimiter;
import io.weir.rules.Requests;
import io.weir.rules.RuleBucket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Descriptors with counters in a real Redis. Windows are years, so that none ends midway. */
@Timeout(120)
class DescriptorsOnRedisTest {
  private static final String RULES =
      """
      a 20/year
      b 10/year
      s 1/year shadow
      q 1/year quota
      r 9/year quota
      rule user 3/year per=user
      """;

  private static RedisProcess redis;
  private static Store firstStore;
  private static Store secondStore;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
    String url = redis.url() + "?timeout=20s";
    firstStore = Store.open(url);
    secondStore = Store.open(url);
  }

  @AfterAll
  static void stop() {
    firstStore.close();
    secondStore.close();
    redis.close();
  }

  @BeforeEach
  void empty() {
    redis.flush();
  }

  private static RequestLimiter limiter(Store store, String rules, boolean counting) {
    return RequestLimiter.builder(EnvoyScenario.rules(rules))
        .store(store)
        .descriptors(new DescriptorMode(counting, false, false))
        .build();
  }

  private static DescriptorDecision check(RequestLimiter limiter, String request) throws Exception {
    return limiter
        .checkAsync(EnvoyScenario.request(request))
        .toCompletableFuture()
        .get(30, TimeUnit.SECONDS);
  }

  @ParameterizedTest(name = "counting {0}")
  @CsvSource({"false", "true"})
  void decidesAsInMemory(boolean counting) throws Exception {
    RequestLimiter limiter = limiter(firstStore, RULES, counting);
    RequestLimiter memory =
        RequestLimiter.builder(EnvoyScenario.rules(RULES))
            .time(TimeSource.manual())
            .descriptors(new DescriptorMode(counting, false, false))
            .build();
    List<String> requests =
        List.of(
            "a=1 b=1",
            "a=1*0",
            "a=1*4 b=1*9",
            "a=1 b=1",
            "a=1*0 b=1*0",
            "a=1*-2",
            "b=1*-1 a=1*99",
            "s=1 s=1 a=1",
            "q=1 r=1",
            "q=1 r=1",
            "q=1 r=1*9",
            "q=1*0 r=1*0",
            "user=1 a=1",
            "user=1*9 a=1",
            "a=1@2/year",
            "a=1@2/year*2");
    for (String request : requests) {
      assertThat(EnvoyScenario.summary(check(limiter, request)))
          .as(request)
          .isEqualTo(EnvoyScenario.summary(EnvoyScenario.check(memory, request)));
    }
  }

  @ParameterizedTest(name = "{0}, counting {1}")
  @CsvSource({"a=1, false", "a=1 b=1, false", "a=1, true", "a=1 b=1, true"})
  void twoNodesTogetherGrantExactlyTheLimit(String request, boolean counting) throws Exception {
    int permits = 300;
    String rules = "a " + permits + "/year\nb 2000000/year";
    List<RequestLimiter> nodes =
        List.of(limiter(firstStore, rules, counting), limiter(secondStore, rules, counting));
    AtomicLong granted = new AtomicLong();
    List<CompletableFuture<?>> stages = new ArrayList<>();
    for (int i = 0; i < 2 * permits; i++) {
      stages.add(
          nodes
              .get(i * 7 % 3 % 2)
              .checkAsync(EnvoyScenario.request(request))
              .thenAccept(decision -> granted.addAndGet(decision.allowed() ? 1 : 0))
              .toCompletableFuture());
    }
    CompletableFuture.allOf(stages.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
    assertThat(granted.get()).isLessThanOrEqualTo(permits);
    // In a race for the last permits, a request may have been refused because of a permit that was
    // given back a moment later.
    while (check(nodes.get(0), request).allowed()) {
      granted.incrementAndGet();
    }
    assertThat(granted).hasValue(permits);
  }

  @Test
  void limitOverridesShareTheConfiguredCounter() throws Exception {
    RequestLimiter one = limiter(firstStore, "a 20/year", false);
    RequestLimiter other = limiter(secondStore, "a 20/year", false);
    assertThat(EnvoyScenario.summary(check(one, "a=1*15"))).isEqualTo("OK 5");
    assertThat(EnvoyScenario.summary(check(other, "a=1@50/year*30"))).isEqualTo("OK 5");
    assertThat(EnvoyScenario.summary(check(one, "a=1"))).isEqualTo("OVER !0");
    assertThat(EnvoyScenario.summary(check(one, "a=1@46/year"))).isEqualTo("OK 0");
    assertThat(EnvoyScenario.summary(check(other, "x=1@9/year*5"))).isEqualTo("OK 4");
    assertThat(EnvoyScenario.summary(check(one, "x=1@7/year"))).isEqualTo("OK 1");
  }

  @Test
  void settlesHeldChargeInRedis() throws Exception {
    RequestLimiter limiter = limiter(firstStore, "rule user 9/year per=user", false);
    Requests ann = Requests.of("user", "ann");
    HeldCharge heldCharge =
        limiter.hold(ann.costing(0)).toCompletableFuture().get(30, TimeUnit.SECONDS);
    heldCharge.settle(4).toCompletableFuture().get(30, TimeUnit.SECONDS);
    heldCharge = limiter.hold(ann.costing(5)).toCompletableFuture().get(30, TimeUnit.SECONDS);
    assertThat(heldCharge.requestDecision().remaining()).isZero();
    heldCharge.settle(2).toCompletableFuture().get(30, TimeUnit.SECONDS);
    RuleBucket ruleBucket = limiter.buckets(limiter.rules().rules().get(0), ann).get(0);
    assertThat(ruleBucket.peek().toCompletableFuture().get(30, TimeUnit.SECONDS).remaining())
        .isEqualTo(3);
  }

  @Test
  void failurePolicyDecidesWhileRedisIsDown() throws Exception {
    String rules =
        """
        allow 5/year
        deny 5/year on_failure=deny
        error 5/year on_failure=error
        local 5/year on_failure=local
        """;
    try (RedisProcess doomed = RedisProcess.start();
        Store store = Store.open(doomed.url() + "?timeout=20s")) {
      RequestLimiter limiter = limiter(store, rules, false);
      RequestLimiter counting = limiter(store, rules, true);
      assertThat(EnvoyScenario.summary(check(limiter, "local=1 deny=1"))).isEqualTo("OK 4 4");
      doomed.kill();
      for (RequestLimiter each : List.of(limiter, counting)) {
        assertThat(EnvoyScenario.summary(check(each, "allow=1"))).isEqualTo("OK 0");
        assertThat(EnvoyScenario.summary(check(each, "deny=1 error=1"))).isEqualTo("OVER !0 !0");
        assertThat(EnvoyScenario.summary(check(each, "error=1"))).isEqualTo("ERROR !0");
      }
      DescriptorDecision local = check(limiter, "local=1*5");
      assertThat(local.allowed()).as("one of 5 was spent before").isFalse();
      assertThat(
              local
                  .descriptorResults()
                  .get(0)
                  .requestDecision()
                  .ruleDecisions()
                  .get(0)
                  .decision()
                  .origin())
          .isEqualTo(Origin.LOCAL);
    }
  }
}
