package io.weir.rules.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.rules.RequestLimiter;
import io.weir.rules.match.MalformedRequestException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** More limits in requests than a process can keep. */
class OverrideLimitersTest {
  private final ManualTime time = TimeSource.manual();
  private final RequestLimiter limiter =
      RequestLimiter.builder(EnvoyScenario.rules("a 1/minute")).time(time).build();

  private String check(String request) {
    return EnvoyScenario.summary(EnvoyScenario.check(limiter, request));
  }

  private void flood(int from, int to, String unit) {
    for (int i = from; i < to; i++) {
      assertThat(check("x=" + i + "@" + i + "/" + unit)).isEqualTo("OK " + (i - 1));
      time.advance(Duration.ofNanos(1000));
    }
  }

  /** A thousand limits per year block no other caller, and affect only their own kind. */
  @Test
  void inventedOverridesDoNotAffectOtherCallers() {
    assertThat(check("login=1@2/year")).isEqualTo("OK 1");
    assertThat(check("login=1@2/year")).isEqualTo("OK 0");
    flood(1, 1 + 2 * OverrideLimiters.MAX_LIMITS, "year");
    assertThat(check("login=1@2/year")).as("of another kind").isEqualTo("OVER !0");
    assertThat(check("other=1@7/day")).as("a new kind").isEqualTo("OK 6");
    int last = 2 * OverrideLimiters.MAX_LIMITS;
    assertThat(check("x=1@" + last + "/year")).as("kept").isEqualTo("OK " + (last - 2));
    assertThat(check("x=1@2/year")).as("its counter is kept").isEqualTo("OVER !0");
    assertThat(check("a=1")).as("the tree needs no place").isEqualTo("OK 0");
  }

  @Test
  void limitsOfOneWindowShareACounter() {
    for (int i = 0; i < 5; i++) {
      assertThat(check("x=1@5/minute")).isEqualTo("OK " + (4 - i));
    }
    assertThat(check("x=1@5/minute")).isEqualTo("OVER !0");
    assertThat(check("x=1@10/minute")).isEqualTo("OK 4");
    assertThat(check("x=1@5/minute*0")).isEqualTo("OVER !0");
    assertThat(check("x=1@5/hour")).as("another window").isEqualTo("OK 4");
    assertThat(check("x=2@5/minute")).as("another caller").isEqualTo("OK 4");
    assertThat(check("x=1@10/minute*-4")).isEqualTo("OK 8");
    assertThat(check("x=1@5/minute")).isEqualTo("OK 2");
    time.advance(Duration.ofMinutes(1));
    assertThat(check("x=1@5/minute")).isEqualTo("OK 4");
  }

  @ParameterizedTest(name = "counting {0}")
  @ValueSource(booleans = {false, true})
  void limitSharesTheCounterOfTheConfiguredOne(boolean counting) {
    RequestLimiter limiter =
        RequestLimiter.builder(EnvoyScenario.rules("a 5/minute\nt 5/tokens"))
            .time(time)
            .descriptors(new DescriptorMode(counting, false, false))
            .build();
    Function<String, String> check =
        request -> EnvoyScenario.summary(EnvoyScenario.check(limiter, request));
    assertThat(check.apply("a=1*3")).isEqualTo("OK 2");
    assertThat(check.apply("a=1@20/minute*9")).isEqualTo("OK 8");
    assertThat(check.apply("a=1")).isEqualTo("OVER !0");
    int refused = counting ? 1 : 0;
    assertThat(check.apply("a=1@20/minute")).isEqualTo("OK " + (7 - refused));
    assertThat(check.apply("a=1@2000000/minute")).isEqualTo("OK " + (1999986 - refused));
    assertThat(check.apply("a=1@4/minute")).isEqualTo("OVER !0");
    assertThat(check.apply("a=1@5/hour")).isEqualTo("OK 4");
    assertThat(check.apply("t=1*5")).isEqualTo("OK 0");
    assertThat(check.apply("t=1@5/minute")).as("a bucket is no window").isEqualTo("OK 4");
    limiter.reload(EnvoyScenario.rules("a 30/minute"));
    assertThat(check.apply("a=1*0")).isEqualTo("OK " + (counting ? 14 : 16));
    assertThat(check.apply("a=1@20/minute")).isEqualTo("OK " + (counting ? 3 : 5));
    time.advance(Duration.ofMinutes(1));
    assertThat(check.apply("a=1")).isEqualTo("OK 29");
  }

  /** Several threads check both limits at once: no window has more than the larger. */
  @Test
  void limitsOnOneCounterNeverGrantMoreThanTheLarger() throws Exception {
    RequestLimiter shared =
        RequestLimiter.builder(EnvoyScenario.rules("a 1000/year")).time(time).build();
    List<String> requests = List.of("a=1", "a=1@700/year", "a=1@1500/year");
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try {
      List<Future<Integer>> granted = new ArrayList<>();
      for (String request : requests) {
        granted.add(
            threads.submit(
                () -> {
                  int count = 0;
                  for (int i = 0; i < 3000; i++) {
                    count += EnvoyScenario.check(shared, request).allowed() ? 1 : 0;
                  }
                  return count;
                }));
      }
      int all = 0;
      for (Future<Integer> each : granted) {
        all += each.get(30, TimeUnit.SECONDS);
      }
      assertThat(all).isEqualTo(1500);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void keepsRecentlyUsedLimits() {
    flood(1, 1 + OverrideLimiters.MAX_LIMITS, "day");
    time.advance(Duration.ofSeconds(1));
    assertThat(check("x=1@5/day")).isEqualTo("OK 3");
    time.advance(Duration.ofSeconds(1));
    flood(5000, 5000 + OverrideLimiters.MAX_LIMITS - 1, "day");
    assertThat(check("x=1@5/day")).isEqualTo("OK 2");
  }

  @Test
  void tableIsBoundedForManyKinds() {
    for (int i = 1; i <= OverrideLimiters.MAX_LIMITS; i++) {
      assertThat(check("k" + i + "=1@5/day")).isEqualTo("OK 4");
    }
    assertThatThrownBy(() -> check("new=1@5/day"))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessageContaining("too many different limit overrides");
    assertThat(check("k7=1@6/day")).as("takes its own place").isEqualTo("OK 4");
    assertThat(check("k8=1@5/day")).isEqualTo("OK 3");
    time.advance(Duration.ofDays(2));
    assertThat(check("new=1@5/day")).as("what is over makes room").isEqualTo("OK 4");
  }

  @Test
  void removesViewsWithExpiredCounters() {
    flood(1, 11, "hour");
    flood(1, 1 + OverrideLimiters.MAX_LIMITS - 10, "minute");
    time.advance(Duration.ofSeconds(71));
    flood(5000, 5000 + OverrideLimiters.MAX_LIMITS - 10, "minute");
    assertThat(check("x=1@2/hour")).as("was in use").isEqualTo("OK 0");
  }

  @Test
  void removesViewsThatSpentNothing() {
    assertThat(check("x=1@7/year")).isEqualTo("OK 6");
    for (int i = 1; i < OverrideLimiters.MAX_LIMITS; i++) {
      assertThat(check("y=1*0@" + i + "/year")).isEqualTo("OK " + i);
    }
    time.advance(Duration.ofSeconds(10));
    for (int i = 1; i <= OverrideLimiters.MAX_LIMITS - 2; i++) {
      assertThat(check("x=v" + i + "@" + (5000 + i) + "/year")).isEqualTo("OK " + (4999 + i));
    }
    assertThat(check("x=1@7/year")).as("has spent").isEqualTo("OK 5");
  }
}
