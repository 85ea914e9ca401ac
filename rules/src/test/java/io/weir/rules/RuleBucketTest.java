package io.weir.rules;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.rules.file.RuleFiles;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Buckets that are looked at by hand: which one holds for a caller, and when it is full again. */
class RuleBucketTest {
  private final ManualTime time = TimeSource.manual().set(Instant.parse("2026-11-16T12:00:00Z"));

  private RequestLimiter limiter(String yaml) {
    RuleSet rules = RuleFiles.read("r.yaml", yaml.getBytes(UTF_8)).rules().orElseThrow();
    return RequestLimiter.builder(rules).time(time).build();
  }

  /** Six permits, of which one is taken every ten seconds from 12:00:01 on, and four refusals. */
  @ParameterizedTest
  @CsvSource({
    "'algorithm: sliding-log, rate: 6 per minute', 60000", // the newest entry's end
    "'algorithm: sliding-log, rate: 6 per minute, count_rejected: true', 60000",
    "'algorithm: sliding-epochs, rate: 6 per minute, epochs: 6', 59000",
    "'algorithm: sliding-epochs, rate: 6 per minute, epochs: 6, count_rejected: true', 59000",
    "'algorithm: sliding-window, rate: 6 per minute', 59001", // 6 · 1 ms / 60 s of the next one
    "'algorithm: fixed-window, rate: 6 per minute', 9000",
    "'rate: 6 per hour', 3550000", // 6 of ten minutes each, less the 50 s since the first
    "'algorithm: leaky-bucket, rate: 1 per hour, queue: 5', 21550000",
  })
  void reportsWhenBucketIsFullAgain(String limit, long millis) {
    RequestLimiter limiter = limiter("rules: [ { name: r, per: user, limit: { " + limit + " } } ]");
    time.advance(Duration.ofSeconds(1));
    Map<String, String> alice = Map.of("user", "alice");
    for (int i = 0; i < 6; i++) {
      limiter.check(alice::get);
      time.advance(Duration.ofSeconds(i < 5 ? 10 : 0));
    }
    for (int i = 0; i < 4; i++) {
      assertThat(limiter.check(alice::get).allowed()).isFalse();
    }
    Rule rule = limiter.rules().rules().get(0);
    RuleBucket ruleBucket = limiter.buckets(rule, "alice").get(0);
    Duration full = ruleBucket.fullAfter(0).toCompletableFuture().join().orElseThrow();
    long capacity = rule.limits().get(0).capacity();
    time.advance(full.minusMillis(1));
    assertThat(remaining(ruleBucket)).isLessThan(capacity);
    time.advance(Duration.ofMillis(1));
    assertThat(remaining(ruleBucket)).isEqualTo(capacity);
    assertThat(full.toMillis()).isEqualTo(millis);
    assertThat(ruleBucket.fullAfter(0).toCompletableFuture().join()).contains(Duration.ZERO);
  }

  private static long remaining(RuleBucket ruleBucket) {
    return ruleBucket.peek().toCompletableFuture().join().remaining();
  }

  private static final String OVERRIDES =
      """
      attributes:
        tier: { lookup: api_key, map: { k1: pro, k2: partner }, default: free }
        client: { first_of: [api_key, ip] }
      rules:
        - name: by-client
          per: client
          limit: 1 per hour
          overrides: [ { name: pro, match: { tier: pro }, limit: 2 per hour } ]
        - name: by-name
          per: client
          limit: 1 per hour
          overrides: [ { name: known, match: { client: k1 }, limit: 2 per hour } ]
        - name: by-key
          per: api_key
          limit: 1 per hour
          overrides:
            - { name: pro, match: { tier: pro }, limit: 2 per hour }
            - { name: k2, match: { api_key: "k2*" }, limit: 3 per hour }
        - name: by-path
          per: user
          limit: 1 per hour
          overrides:
            - { name: both, match: { user: alice, path: /a }, limit: 2 per hour }
            - { name: bob, match: { user: bob }, limit: 3 per hour }
        - { name: plain, per: user, limit: 1 per hour }
      """;

  /** Nothing is guessed: what depends on more than is given is not known. */
  @ParameterizedTest
  @CsvSource({
    "by-client, client=k1, unknown",
    "by-client, api_key=k1, pro",
    "by-client, api_key=k3, own",
    "by-client, client=k1 tier=pro, pro",
    "by-name, client=k1, known",
    "by-name, client=k2, own",
    "by-name, api_key=k1, known",
    "by-key, api_key=k1, pro",
    "by-key, api_key=k2, k2",
    "by-key, api_key=k2x, k2",
    "by-key, api_key=other, own",
    "by-path, user=alice, unknown",
    "by-path, user=alice path=/a, both",
    "by-path, user=alice path=/b, own",
    "by-path, user=bob, bob",
    "by-path, user=carol, own",
    "plain, user=carol, own",
  })
  void appliesTheLimitsOfARequest(String name, String given, String holds) {
    RequestLimiter limiter = limiter(OVERRIDES);
    Rule rule =
        limiter.rules().rules().stream().filter(r -> r.name().equals(name)).findFirst().get();
    Map<String, String> attributes =
        List.of(given.split(" ")).stream()
            .map(each -> each.split("="))
            .collect(java.util.stream.Collectors.toMap(each -> each[0], each -> each[1]));
    assertThat(words(limiter.applying(rule, attributes::get))).isEqualTo(holds);
  }

  private static String words(Optional<LimitGroup> limitGroup) {
    return limitGroup
        .map(each -> each.ruleOverride().map(RuleOverride::id).orElse("own"))
        .orElse("unknown");
  }

  @Test
  void appliesOverrideByEscapedKey() {
    RequestLimiter limiter =
        limiter(
            "rules: [ { name: r, per: [user, path], limit: 1 per hour, overrides: [ { name: odd,"
                + " match: { user: 'a|b\\c' }, limit: 2 per hour } ] } ]");
    Rule rule = limiter.rules().rules().get(0);
    assertThat(words(limiter.applying(rule, "a\\|b\\\\c|/x"))).isEqualTo("odd");
    assertThat(words(limiter.applying(rule, "a|/x"))).isEqualTo("own");
  }
}
