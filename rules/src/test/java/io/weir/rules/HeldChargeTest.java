package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.rules.envoy.Descriptor;
import io.weir.rules.envoy.DescriptorMatch;
import io.weir.rules.envoy.DescriptorMode;
import io.weir.rules.envoy.EnvoyScenario;
import io.weir.rules.match.MalformedRequestException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Charges that are corrected afterwards, and buckets that are changed by hand. */
class HeldChargeTest {
  private static final String RULES =
      """
      rule user 10/minute per=user
      rule fixed 10/minute cost=3
      rule tried 10/minute shadow
      """;

  private final ManualTime time = TimeSource.manual();
  private final RequestLimiter limiter =
      RequestLimiter.builder(EnvoyScenario.rules(RULES)).time(time).build();
  private final Request ann = Requests.of("user", "ann");

  private HeldCharge hold(long cost) {
    return limiter
        .hold(Requests.of("user", "ann").costing(cost))
        .toCompletableFuture()
        .getNow(null);
  }

  private List<Long> remaining() {
    return limiter.rules().rules().stream()
        .flatMap(rule -> limiter.buckets(rule, ann).stream())
        .map(ruleBucket -> ruleBucket.peek().toCompletableFuture().join().remaining())
        .toList();
  }

  /** A rule with a cost of its own keeps it, unless everything is given back. */
  @ParameterizedTest
  @CsvSource({
    "4, 4, 6, 7, 6",
    "4, 1, 9, 7, 9",
    "4, 9, 1, 7, 1",
    "4, 99, 0, 7, 0",
    "4, 0, 10, 10, 10",
    "0, 5, 5, 7, 5",
    "0, 0, 10, 10, 10",
  })
  void isCorrected(long held, long actual, long user, long fixed, long tried) {
    HeldCharge charge = hold(held);
    assertThat(charge.requestDecision().allowed()).isTrue();
    charge.settle(actual).toCompletableFuture().join();
    assertThat(remaining()).containsExactly(user, fixed, tried);
    charge.settle(1).toCompletableFuture().join();
    assertThat(remaining()).as("once").containsExactly(user, fixed, tried);
  }

  @Test
  void chargeThatIsNotSettledStays() {
    hold(4);
    assertThat(remaining()).containsExactly(6L, 7L, 6L);
  }

  @Test
  void aRefusalHoldsNothing() {
    HeldCharge refused = hold(11);
    assertThat(refused.requestDecision().allowed()).isFalse();
    refused.settle(5).toCompletableFuture().join();
    assertThat(remaining()).containsExactly(10L, 10L, 10L);
    assertThatThrownBy(() -> refused.settle(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void refundsTheWindowThatWasCharged() {
    HeldCharge charge = hold(4);
    time.advance(Duration.ofMinutes(1));
    hold(2);
    charge.settle(0).toCompletableFuture().join();
    assertThat(remaining()).containsExactly(8L, 7L, 8L);
  }

  @Test
  void aReloadInBetweenGrantsNothingTwice() {
    HeldCharge charge = hold(4);
    limiter.reload(EnvoyScenario.rules("rule user 8/minute per=user"));
    charge.settle(1).toCompletableFuture().join();
    assertThat(remaining().get(0)).isLessThanOrEqualTo(7);
  }

  @Test
  void bucketsAreResetAndGranted() {
    hold(9);
    Rule user = limiter.rules().rules().get(0);
    RuleBucket ruleBucket = limiter.buckets(user, ann).get(0);
    assertThat(ruleBucket.key()).isEqualTo("ann");
    assertThat(ruleBucket.limitGroup().rule()).isEqualTo(user);
    ruleBucket.grant(2).toCompletableFuture().join();
    assertThat(remaining()).startsWith(3L);
    ruleBucket.reset().toCompletableFuture().join();
    assertThat(remaining()).startsWith(10L);
    assertThat(limiter.buckets(user, Requests.of("user", "bob"))).hasSize(1);
  }

  @Test
  void refusesBucketsWithoutKeyOrRuleInForce() {
    Rule user = limiter.rules().rules().get(0);
    assertThatThrownBy(() -> limiter.buckets(user, Requests.of()))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessage("'user' is missing: rule 'user' has a bucket for each");
    Rule removed = Rule.named("gone").domain(EnvoyScenario.DOMAIN).build();
    assertThatThrownBy(() -> limiter.buckets(removed, ann))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessage("rule 'gone' is not in force");
  }

  @ParameterizedTest
  @CsvSource({"false, 2", "true, 2"})
  void descriptorsHaveBucketsToo(boolean counting, long left) {
    RequestLimiter proxied =
        RequestLimiter.builder(EnvoyScenario.rules("a 5/minute"))
            .time(time)
            .descriptors(new DescriptorMode(counting, false, false))
            .build();
    EnvoyScenario.check(proxied, "a=1*3");
    DescriptorMatch.Limited found =
        (DescriptorMatch.Limited)
            proxied.rules().find(EnvoyScenario.DOMAIN, List.of(Descriptor.of("a", "1"))).get(0);
    RuleBucket ruleBucket = proxied.buckets(found.rule(), Requests.of("a", "1")).get(0);
    assertThat(ruleBucket.key()).isEqualTo(found.key());
    assertThat(ruleBucket.peek().toCompletableFuture().join().remaining()).isEqualTo(left);
    EnvoyScenario.check(proxied, "a=1*2");
    assertThat(ruleBucket.peek().toCompletableFuture().join().allowed()).isFalse();
    ruleBucket.grant(1).toCompletableFuture().join();
    assertThat(ruleBucket.peek().toCompletableFuture().join().allowed()).isTrue();
  }
}
