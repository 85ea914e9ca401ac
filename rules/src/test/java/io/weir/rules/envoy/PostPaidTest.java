package io.weir.rules.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.Store;
import io.weir.TimeSource;
import io.weir.rig.RedisProcess;
import io.weir.rules.Domain;
import io.weir.rules.RemoteBuckets;
import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleSet;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Costs that are known only afterwards: {@code settle: request} of a descriptor. */
@Timeout(60)
class PostPaidTest {
  private static final String PEEK = "a=1*0";
  private final ManualTime time = TimeSource.manual();

  private RequestLimiter limiter(String rules) {
    return RequestLimiter.builder(EnvoyScenario.rules(rules)).time(time).build();
  }

  private static String check(RequestLimiter limiter, String request) throws Exception {
    return EnvoyScenario.summary(
        limiter
            .checkAsync(EnvoyScenario.request(request))
            .toCompletableFuture()
            .get(30, TimeUnit.SECONDS));
  }

  @Test
  void chargeThatDoesNotFitSpendsNothingByDefault() throws Exception {
    RequestLimiter limiter = limiter("a 100/minute");
    check(limiter, "a=1*95");
    for (int i = 0; i < 21; i++) {
      assertThat(check(limiter, PEEK)).isEqualTo("OK 5");
      assertThat(check(limiter, "a=1*60")).isEqualTo("OVER !5");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"100/minute", "100/tokens"})
  void chargeIsMadeInFullAndTheNextRequestIsRefused(String rate) throws Exception {
    RequestLimiter limiter = limiter("a " + rate + " settle=request");
    assertThat(check(limiter, PEEK)).isEqualTo("OK 100");
    assertThat(check(limiter, "a=1*95")).isEqualTo("OK 100");
    assertThat(check(limiter, PEEK)).isEqualTo("OK 5");
    assertThat(check(limiter, "a=1*60")).as("the fifth permit was left").isEqualTo("OK 5");
    assertThat(check(limiter, PEEK)).isEqualTo("OVER !0");
    assertThat(check(limiter, "a=1*60")).isEqualTo("OVER !0");
    time.advance(Duration.ofMinutes(2));
    assertThat(check(limiter, PEEK)).startsWith("OK");
  }

  @Test
  void tokenBucketGoesBelowZeroByTheExcess() throws Exception {
    RequestLimiter limiter = limiter("a 60/tokens settle=request");
    check(limiter, "a=1*59");
    check(limiter, "a=1*31"); // owes 30, at one a second
    time.advance(Duration.ofSeconds(30));
    assertThat(check(limiter, PEEK)).isEqualTo("OVER !0");
    time.advance(Duration.ofSeconds(1));
    assertThat(check(limiter, PEEK)).isEqualTo("OK 1");
  }

  @Test
  void everyLimitOfOneDescriptorIsCharged() throws Exception {
    DescriptorNode.RateLimit limits =
        DescriptorNode.RateLimit.of(
            Limit.tokenBucket(60).perMinute(), Limit.fixedWindow(100).perHour());
    DescriptorNode node =
        DescriptorNode.of("a", "").limited(limits).with(DescriptorNode.Flag.POST_PAID);
    RuleSet rules =
        RuleSet.of(
            new Domain(
                EnvoyScenario.DOMAIN,
                Map.of(),
                List.of(),
                DescriptorTree.of(EnvoyScenario.DOMAIN, List.of(node))));
    RequestLimiter limiter = RequestLimiter.builder(rules).time(time).build();
    assertThat(check(limiter, "a=1*70")).isEqualTo("OK 60");
    assertThat(check(limiter, PEEK)).isEqualTo("OVER !0");
    time.advance(Duration.ofSeconds(30));
    assertThat(check(limiter, PEEK)).as("of the bucket 20, of the window 30").isEqualTo("OK 20");
    assertThat(check(limiter, "a=1*40")).isEqualTo("OK 20");
    time.advance(Duration.ofMinutes(2));
    assertThat(check(limiter, PEEK)).as("the window is full").isEqualTo("OVER !0");
  }

  @Test
  void chargeDoesNotDependOnOtherDescriptors() throws Exception {
    RequestLimiter limiter = limiter("a 100/minute settle=request\nb 1/minute\ns 5/minute shadow");
    check(limiter, "b=1");
    assertThat(check(limiter, "a=1*60 b=1 s=1")).isEqualTo("OVER 100 !0 ()");
    assertThat(check(limiter, PEEK)).isEqualTo("OK 40");
    assertThat(check(limiter, PEEK + " b=2")).isEqualTo("OK 40 0");
    check(limiter, "a=1*60");
    assertThat(check(limiter, PEEK + " b=3")).as("a look decides").isEqualTo("OVER !0 1");
    assertThat(check(limiter, "b=3")).isEqualTo("OK 0");
  }

  @Test
  void shadowedDescriptorIsChargedAndRefusesNothing() throws Exception {
    RequestLimiter limiter = limiter("a 100/minute settle=request shadow");
    assertThat(check(limiter, "a=1*300")).isEqualTo("OK (100)");
    assertThat(check(limiter, PEEK)).isEqualTo("OK (!0)");
    assertThat(check(limiter, "a=1*1")).isEqualTo("OK (!0)");
  }

  @Test
  void hitsCanBeGivenBack() throws Exception {
    RequestLimiter limiter = limiter("a 100/minute settle=request");
    check(limiter, "a=1*80");
    assertThat(check(limiter, "a=1*-30")).isEqualTo("OK 50");
  }

  @ParameterizedTest(name = "on_failure={0}")
  @ValueSource(strings = {"allow", "error"})
  void appliesOnFailureWithoutTheStore(String policy) throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        Store store = Store.open(redis.url() + "?timeout=2s")) {
      RequestLimiter limiter =
          RequestLimiter.builder(
                  EnvoyScenario.rules("a 9/minute settle=request on_failure=" + policy))
              .store(store)
              .build();
      redis.kill();
      assertThat(check(limiter, "a=1*5")).startsWith(policy.equals("allow") ? "OK" : "ERROR");
    }
  }

  @ParameterizedTest(name = "counting={0}")
  @ValueSource(booleans = {false, true})
  void decidesInRedisAsInMemory(boolean counting) throws Exception {
    String rules = "a 100/year settle=request\nt 100/tokens settle=request\nb 5/year";
    DescriptorMode mode = new DescriptorMode(counting, false, false);
    try (RedisProcess redis = RedisProcess.start();
        Store one = Store.open(redis.url() + "?timeout=20s");
        Store other = Store.open(redis.url() + "?timeout=20s")) {
      RequestLimiter first =
          RequestLimiter.builder(EnvoyScenario.rules(rules)).store(one).descriptors(mode).build();
      RequestLimiter second =
          RequestLimiter.builder(EnvoyScenario.rules(rules)).store(other).descriptors(mode).build();
      RequestLimiter memory =
          RequestLimiter.builder(EnvoyScenario.rules(rules)).time(time).descriptors(mode).build();
      int turn = 0;
      for (String request :
          List.of("a=1*95", PEEK, "a=1*60 b=1", PEEK, "a=1*60", PEEK + " b=1", "a=1*-50", PEEK)) {
        assertThat(check(turn++ % 2 == 0 ? first : second, request))
            .as(request)
            .isEqualTo(check(memory, request));
      }
      check(first, "t=1*150");
      assertThat(check(second, "t=1*0")).isEqualTo("OVER !0");
    }
  }

  @Test
  void decidesTheSameWithAnAsynchronousStore() throws Exception {
    RequestLimiter limiter =
        RequestLimiter.builder(EnvoyScenario.rules("a 100/year settle=request"))
            .store(RemoteBuckets.store(ForkJoinPool.commonPool()))
            .build();
    assertThat(check(limiter, "a=1*95")).isEqualTo("OK 100");
    assertThat(check(limiter, "a=1*60")).isEqualTo("OK 5");
    assertThat(check(limiter, PEEK)).isEqualTo("OVER !0");
  }
}
