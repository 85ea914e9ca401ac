package io.weir.rules.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.rules.RequestLimiter;
import io.weir.rules.match.MalformedRequestException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The decisions on requests of the Envoy form; {@link EnvoyScenario} describes how to read the
 * tables.
 */
class DescriptorCheckTest {
  private static final DescriptorMode QUOTA = new DescriptorMode(false, true, false);
  private static final DescriptorMode SHADOW = new DescriptorMode(false, false, true);
  private static final DescriptorMode QUOTA_AND_SHADOW = new DescriptorMode(false, true, true);

  /** {@code +60} lets so many seconds pass. */
  private static void play(DescriptorMode mode, String rules, String steps) {
    ManualTime time = TimeSource.manual();
    RequestLimiter limiter =
        RequestLimiter.builder(EnvoyScenario.rules(rules)).time(time).descriptors(mode).build();
    int line = 0;
    for (String step : steps.strip().split("\n")) {
      line++;
      if (step.strip().startsWith("+")) {
        time.advance(Duration.ofSeconds(Long.parseLong(step.strip().substring(1))));
        continue;
      }
      String[] parts = step.split("->");
      assertThat(EnvoyScenario.summary(EnvoyScenario.check(limiter, parts[0])))
          .as("line %s: %s", line, step.strip())
          .isEqualTo(parts[1].strip());
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void decidesDocumentedScenarios(String name, DescriptorMode mode, String rules, String steps) {
    play(mode, rules, steps);
  }

  private static Arguments scene(String name, String rules, String steps) {
    return Arguments.of(name, DescriptorMode.DEFAULT, rules, steps);
  }

  static Stream<Arguments> decidesDocumentedScenarios() {
    return Stream.of(
        scene(
            "a window counts down, refuses, and begins anew",
            "a 2/minute",
            """
            a=1  -> OK 1
            a=1  -> OK 0
            a=1  -> OVER !0
            a=2  -> OK 1
            +60
            a=1  -> OK 1
            """),
        scene(
            "nothing limits what the tree does not know",
            "a 2/minute",
            """
            b=1      -> OK -
            b=1 a=1  -> OK - 1
            a=1 b=1  -> OK 0 -
            a=1 b=1  -> OVER !0 -
            b=1 a=1  -> OVER - !0
            """),
        scene(
            "a refused request charges no other limit, and each limit still reports its state",
            """
            a 5/minute
            b 1/minute
            """,
            """
            a=1 b=1  -> OK 4 0
            a=1 b=1  -> OVER 4 !0
            b=1 a=1  -> OVER !0 4
            a=1      -> OK 3
            """),
        scene(
            "two that need the same last permit",
            "a 3/minute",
            """
            a=1 a=1  -> OK 2 1
            a=1 a=1  -> OVER 1 !0
            a=1      -> OK 0
            """),
        scene(
            "hits: a descriptor's own, else the request's, where 0 means 1",
            """
            a 10/minute
            b 10/minute
            """,
            """
            a=1 b=1 *3    -> OK 7 7
            a=1*2 b=1 *3  -> OK 5 4
            a=1 b=1 *0    -> OK 4 3
            a=1*4 b=1*4   -> OVER 4 !3
            a=1*11        -> OVER !4
            """),
        scene(
            "0 hits of one's own only look, and refuse the whole if nothing is left",
            """
            a 2/minute
            b 5/minute
            """,
            """
            a=1*0      -> OK 2
            a=1*2      -> OK 0
            a=1*0      -> OVER !0
            b=1 a=1*0  -> OVER 5 !0
            b=1        -> OK 4
            a=2*0 b=1  -> OK 2 3
            +60
            a=1*0      -> OK 2
            """),
        scene(
            "what is given back can be spent again, and is never refused",
            """
            a 3/minute
            b 1/minute
            """,
            """
            a=1*3       -> OK 0
            a=1*-2      -> OK 2
            a=1*-9      -> OK 3
            a=2*-1      -> OK 3
            a=1 b=1     -> OK 2 0
            a=1*-1 b=1  -> OVER 2 !0
            a=1*0       -> OK 2
            a=1*-1      -> OK 3
            """),
        scene(
            "a limit of 0 refuses everything, looks too",
            "a 0/minute",
            """
            a=1    -> OVER !0
            a=1*0  -> OVER !0
            a=1*-1 -> OK 0
            """),
        scene(
            "a limit that is unlimited",
            """
            a unlimited
            b 1/minute
            """,
            """
            a=1      -> OK ~
            a=1 b=1  -> OK ~ 0
            a=1 b=1  -> OVER ~ !0
            """),
        scene(
            "replaces raises a limit, and the counter of the replaced one is untouched",
            """
            a 1/minute name=low
            b 3/minute replaces=low
            c unlimited replaces=low
            """,
            """
            a=1 b=1  -> OK ^ 2
            a=1 b=1  -> OK ^ 1
            a=1      -> OK 0
            a=1 b=1  -> OK ^ 0
            a=1 b=1  -> OVER ^ !0
            a=1 c=1  -> OK ^ ~
            a=1      -> OVER !0
            """),
        scene(
            "a shadow limit refuses no request, and is charged only if the request is allowed",
            """
            a 1/minute shadow
            b 2/minute
            """,
            """
            a=1      -> OK (0)
            a=1      -> OK (!0)
            a=2 b=1  -> OK (0) 1
            a=1 b=1  -> OK (!0) 0
            a=3 b=1  -> OVER () !0
            a=3*0    -> OK (1)
            a=1*0    -> OK (!0)
            a=3      -> OK (0)
            """),
        scene(
            "S6: one that is tried, and one that is not",
            """
            a 0/minute shadow
            b 0/minute
            """,
            """
            a=1 b=1  -> OVER () !0
            """),
        scene(
            "S21: over, and a quota that is not",
            """
            a 0/minute
            q 1/minute quota
            """,
            """
            a=1 q=1  -> OVER !0 1
            q=1      -> OK 0
            """),
        scene(
            "S22: not over, and the only quota is",
            """
            a 9/minute
            q 0/minute quota
            """,
            """
            a=1 q=1  -> OVER 9 !0
            a=1      -> OK 8
            """),
        scene(
            "S23 to S25: one quota that is left is enough, and those that have it are charged",
            """
            a 9/minute
            q 1/minute quota
            r 2/minute quota
            """,
            """
            a=1 q=1 r=1  -> OK 8 0 1
            a=1 q=1 r=1  -> OK 7 !0 0
            a=1 q=1 r=1  -> OVER 7 !0 !0
            r=1 q=1      -> OVER !0 !0
            a=1 q=1 r=2  -> OK 6 !0 1
            """),
        scene(
            "a quota that is only looked at: hits 0 on the way in, 1 on the way out",
            """
            q 2/minute quota
            r 1/minute quota
            """,
            """
            q=1*0 r=1*0  -> OK 2 1
            r=1          -> OK 0
            q=1*0 r=1*0  -> OK 2 !0
            q=1*2        -> OK 0
            q=1*0 r=1*0  -> OVER !0 !0
            """),
        Arguments.of(
            "S17: all limits in quota mode",
            QUOTA,
            """
            a 1/minute
            b 0/minute
            """,
            """
            a=1 b=1  -> OK 0 !0
            a=1 b=1  -> OVER !0 !0
            c=1      -> OK -
            b=1*-1   -> OK 0
            """),
        Arguments.of(
            "S4: shadow mode for all: nothing is refused, and results show what would have been",
            SHADOW,
            """
            a 1/minute
            b 1/minute
            """,
            """
            a=1      -> OK 0
            a=1      -> OK !0
            a=1 b=1  -> OK !0 1
            """),
        Arguments.of(
            "S26: quota and shadow mode for all",
            QUOTA_AND_SHADOW,
            """
            a 0/minute
            b 0/minute
            """,
            """
            a=1 b=1  -> OK !0 !0
            """),
        Arguments.of(
            "S27: quota beside others, and shadow mode for all",
            SHADOW,
            """
            a 0/minute
            q 0/minute quota
            """,
            """
            a=1 q=1  -> OK !0 !0
            """),
        scene(
            "rules of Weir's own form see the entries as attributes",
            """
            a 9/minute
            rule user 2/minute per=user
            rule all 4/minute
            """,
            """
            a=1          -> OK 8,3
            user=1       -> OK -,1,2
            user=1*2     -> OVER -,!1,2
            user=1 a=1   -> OK -,0,1 7,0
            a=1          -> OVER 7,!0
            user=2*0     -> OVER -,2,!0
            """),
        scene(
            "a rule that is only tried, and one with a cost of its own",
            """
            a 9/minute
            rule tried 1/minute shadow
            rule fixed 7/minute cost=2
            """,
            """
            a=1*4    -> OK 5,5,(!1)
            a=1      -> OK 4,3,(0)
            a=1*0    -> OK 4,3,(!0)
            a=1*-1   -> OK 5,(1)
            a=1      -> OK 4,1,(0)
            a=1      -> OVER 4,!1
            """),
        scene(
            "a limit that callers bring along beats the tree, and counts where the tree's does",
            """
            a 0/minute
            rule all 9/minute
            """,
            """
            a=1@2/minute        -> OK 1,8
            a=1@2/minute        -> OK 0,7
            a=1@2/minute        -> OVER !0,7
            a=2@2/minute        -> OK 1,6
            a=1@3/minute        -> OK 0,5
            b=1@1/HOUR b=2@1/hour  -> OK 0,4 0,3
            a=1@2/minute*-1     -> OK 0,4
            a=1                 -> OVER !0,4
            +60
            a=1@2/minute        -> OK 1,8
            """));
  }

  @Test
  void anUnknownDomainLimitsNothing() {
    RequestLimiter limiter = RequestLimiter.builder(EnvoyScenario.rules("a 0/minute")).build();
    Descriptor limited = Descriptor.of("a", "1").limitedTo(new LimitOverride(0, "minute"));
    DescriptorRequest request =
        new DescriptorRequest("other", List.of(Descriptor.of("a", "1"), limited), 1);
    assertThat(EnvoyScenario.summary(limiter.checkAsync(request).toCompletableFuture().join()))
        .isEqualTo("OK ? ?");
  }

  @Test
  void invalidLimitIsMalformed() {
    RequestLimiter limiter = RequestLimiter.builder(EnvoyScenario.rules("a 1/minute")).build();
    assertThatThrownBy(() -> EnvoyScenario.check(limiter, "a=1@1/unknown"))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessageContaining("unit");
    assertThatThrownBy(() -> new DescriptorRequest("d", List.of(), -1))
        .isInstanceOf(MalformedRequestException.class);
  }

  @Test
  void hugeHitsAreRefused() {
    RequestLimiter limiter = RequestLimiter.builder(EnvoyScenario.rules("a 5/minute")).build();
    String maxHits = "*" + Long.MAX_VALUE;
    assertThat(EnvoyScenario.summary(EnvoyScenario.check(limiter, "a=1" + maxHits)))
        .isEqualTo("OVER !5");
    assertThat(EnvoyScenario.summary(EnvoyScenario.check(limiter, "a=1 a=2 " + maxHits)))
        .isEqualTo("OVER !5 !5");
    assertThat(EnvoyScenario.summary(EnvoyScenario.check(limiter, "a=1*5"))).isEqualTo("OK 0");
    assertThat(EnvoyScenario.summary(EnvoyScenario.check(limiter, "a=1*-" + Long.MAX_VALUE)))
        .isEqualTo("OK 5");
  }
}
