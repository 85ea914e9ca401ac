package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The combined decision of several rules, and the replacement of rules. */
class RequestLimiterTest {
  private final ManualTime time = TimeSource.manual();

  @Test
  void fewestRemainingDecidesAllowedRequest() {
    RequestLimiter limiter = limiter(log("wide", 5, "user"), log("narrow", 2), log("same", 2));

    RequestDecision requestDecision = limiter.check(Requests.of("user", "1"));

    assertThat(requestDecision.allowed()).isTrue();
    assertThat(decider(requestDecision)).isEqualTo("narrow");
    assertThat(requestDecision.remaining()).isEqualTo(1);
    assertThat(requestDecision.retryAfter()).contains(Duration.ZERO);
    assertThat(requestDecision.ruleDecisions().stream().map(v -> v.rule().name()))
        .containsExactly("wide", "narrow", "same");
  }

  @Test
  void refusalSpendsNothingOfOtherRules() {
    RequestLimiter limiter = limiter(log("user", 1, "user"), log("all", 3));

    limiter.check(Requests.of("user", "1"));
    for (int i = 0; i < 10; i++) {
      RequestDecision refused = limiter.check(Requests.of("user", "1"));
      assertThat(refused.allowed()).isFalse();
      assertThat(decider(refused)).isEqualTo("user");
      assertThat(refused.deciding().orElseThrow().key()).isEqualTo("1");
      assertThat(refused.remaining()).isZero();
    }

    assertThat(limiter.check(Requests.of("user", "2")).remaining()).isZero();
    assertThat(limiter.check(Requests.of("user", "3")).allowed()).isTrue();
    assertThat(decider(limiter.check(Requests.of("user", "4")))).isEqualTo("all");
  }

  @Test
  void longestWaitDecidesRefusal() {
    RequestLimiter limiter =
        limiter(
            rule("second", Limit.slidingLog(1).perSecond()),
            rule("minute", Limit.slidingLog(1).perMinute()),
            rule("two", Limit.slidingLog(2).per(Duration.ofMinutes(1))));

    limiter.check(Requests.of());
    RequestDecision refused = limiter.check(Requests.of());
    assertThat(decider(refused)).isEqualTo("minute");
    assertThat(refused.retryAfter()).contains(Duration.ofMinutes(1));

    RequestDecision never = limiter.check(Requests.of().costing(2));
    assertThat(decider(never)).isEqualTo("second");
    assertThat(never.retryAfter()).isEmpty();
  }

  @Test
  void longestDelayApplies() {
    RequestLimiter limiter =
        limiter(
            rule("slow", Limit.leakyBucket(1).perSecond().queue(5)),
            rule("fast", Limit.leakyBucket(10).perSecond().queue(5)));

    limiter.check(Requests.of());
    assertThat(limiter.check(Requests.of()).delay()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void withoutARuleEverythingIsAllowed() {
    RequestDecision requestDecision = limiter().check(Requests.of());

    assertThat(requestDecision.allowed()).isTrue();
    assertThat(requestDecision.deciding()).isEmpty();
    assertThat(requestDecision.ruleDecisions()).isEmpty();
    assertThat(requestDecision.retryAfter()).contains(Duration.ZERO);
    assertThat(requestDecision.delay()).isZero();
  }

  @Test
  void shadowRuleIsChargedIfAllowedAndNeverRefuses() {
    RequestLimiter limiter = limiter(shadow(log("shadow", 2)), log("user", 1, "user"));

    RequestDecision first = limiter.check(Requests.of("user", "1"));
    assertThat(first.ruleDecisions()).hasSize(1);
    assertThat(first.shadows()).singleElement().matches(v -> v.decision().remaining() == 1);

    assertThat(limiter.check(Requests.of("user", "1")).shadows()).isEmpty();
    assertThat(limiter.check(Requests.of("user", "2")).shadows())
        .singleElement()
        .matches(v -> v.decision().remaining() == 0);

    RequestDecision third = limiter.check(Requests.of("user", "3"));
    assertThat(third.allowed()).isTrue();
    assertThat(decider(third)).isEqualTo("user");
    assertThat(third.shadows()).singleElement().matches(v -> !v.decision().allowed());
  }

  @Test
  void reloadKeepsSpentPermits() {
    RequestLimiter limiter = limiter(log("r", 3, "user"), log("gone", 100));
    Request request = Requests.of("user", "1");
    limiter.check(request);
    limiter.check(request);

    limiter.reload(rules(log("new", 100), log("r", 5, "user")));
    assertThat(limiter.check(request).remaining()).isEqualTo(2);

    limiter.reload(rules(log("r", 1, "user")));
    assertThat(limiter.check(request).allowed()).isFalse();

    limiter.reload(rules(log("renamed", 1, "user")));
    assertThat(limiter.check(request).allowed()).isTrue();
  }

  @Test
  void aChangedAlgorithmPeriodOrPerStartsFresh() {
    Request request = Requests.of("user", "1");
    RequestLimiter limiter = limiter(log("r", 1, "user"));
    limiter.check(request);
    assertThat(limiter.check(request).allowed()).isFalse();

    limiter.reload(rules(rule("r", Limit.slidingLog(1).perMinute(), "user")));
    assertThat(limiter.check(request).allowed()).isTrue();
    limiter.reload(rules(rule("r", Limit.slidingWindow(1).perMinute(), "user")));
    assertThat(limiter.check(request).allowed()).isTrue();
    limiter.reload(rules(rule("r", Limit.slidingWindow(1).perMinute())));
    assertThat(limiter.check(request).allowed()).isTrue();
  }

  @Test
  void modesMayChangeInUse() {
    RequestLimiter limiter = limiter(shadow(log("r", 1)));
    limiter.check(Requests.of());
    assertThat(limiter.check(Requests.of()).allowed()).isTrue();

    limiter.reload(rules(log("r", 1)));
    assertThat(limiter.check(Requests.of()).allowed()).isFalse();
  }

  @Test
  void recordedTimesOfOneKeyDoNotEvictOthers() {
    ManualTime recorded = TimeSource.recorded();
    RequestLimiter limiter =
        RequestLimiter.builder(rules(log("r", 1, "user"), log("ip", 5, "ip")))
            .time(recorded)
            .build();
    recorded.setNanos(0);
    limiter.check(Requests.of("user", "early", "ip", "a"));
    for (int i = 0; i < 10_000; i++) {
      recorded.setNanos(1_000_000_000_000L + i * 1_000_000L);
      limiter.check(Requests.of("user", "late-" + i, "ip", "b-" + i));
    }
    recorded.setNanos(1_000_000);
    assertThat(limiter.check(Requests.of("user", "early", "ip", "a")).allowed()).isFalse();
  }

  /** What a later request has made forgotten must not let an earlier one pass. */
  @Test
  void timesThatGoBackGrantNoMoreThanInOrder() {
    RuleSet rules = rules(rule("r", Limit.slidingLog(3).per(Duration.ofSeconds(10))));
    assertThat(allowedAt(rules, 0, 0, 0, 1, 2, 3, 100_000)).isEqualTo(4);
    assertThat(allowedAt(rules, 0, 0, 0, 100_000, 1, 2, 3)).isEqualTo(4);
    assertThat(allowedAt(rules, 100_000, 0, 1, 2)).isEqualTo(1);
  }

  /** Logs are often a little out of order, and then nothing is lost either. */
  @Test
  void decidesSmallClockStepsBackAsInOrder() {
    RuleSet rules = rules(rule("r", Limit.slidingLog(3).per(Duration.ofSeconds(10))));
    assertThat(allowedAt(rules, 0, 1000, 2000, 3000, 10_000, 11_000, 12_000, 13_000)).isEqualTo(6);
    assertThat(allowedAt(rules, 1000, 0, 3000, 2000, 11_000, 10_500, 12_000, 13_000)).isEqualTo(6);
  }

  @Test
  void whicheverTimeComesFirstTheOthersGoOn() {
    RuleSet rules = rules(rule("r", Limit.tokenBucket(1).perMinute(), "user"));
    ManualTime recorded = TimeSource.recorded();
    RequestLimiter limiter = RequestLimiter.builder(rules).time(recorded).build();
    recorded.set(Instant.parse("2098-01-01T00:00:00Z"));
    assertThat(limiter.check(Requests.of("user", "x")).allowed()).isTrue();
    for (String time :
        List.of("2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z", "2027-01-01T00:00:00Z")) {
      recorded.set(Instant.parse(time));
      assertThat(limiter.check(Requests.of("user", "a")).allowed()).as(time).isTrue();
      assertThat(limiter.check(Requests.of("user", "a")).allowed()).as(time).isFalse();
    }
  }

  private static long allowedAt(RuleSet rules, long... millis) {
    ManualTime recorded = TimeSource.recorded();
    RequestLimiter limiter = RequestLimiter.builder(rules).time(recorded).build();
    return Arrays.stream(millis)
        .filter(
            time -> {
              recorded.setNanos(time * 1_000_000);
              return limiter.check(Requests.of()).allowed();
            })
        .count();
  }

  private RequestLimiter limiter(Rule... rules) {
    return RequestLimiter.builder(rules(rules)).time(time).build();
  }

  private static RuleSet rules(Rule... rules) {
    return RuleSet.of(new Domain(Rule.DEFAULT_DOMAIN, Map.of(), Arrays.asList(rules)));
  }

  private static Rule log(String name, int permits, String... per) {
    return rule(name, Limit.slidingLog(permits).perSecond(), per);
  }

  private static Rule rule(String name, Limit limit, String... per) {
    return Rule.named(name).per(per).limit(limit).build();
  }

  private static Rule shadow(Rule rule) {
    return Rule.named(rule.name())
        .per(rule.per())
        .limits(rule.limits())
        .policy(Policy.DEFAULT.with(Policy.Mode.SHADOW))
        .build();
  }

  private static String decider(RequestDecision requestDecision) {
    return requestDecision.deciding().map(ruleDecision -> ruleDecision.rule().name()).orElseThrow();
  }
}
