package io.weir.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.Await;
import io.weir.rig.RedisProcess;
import io.weir.rules.envoy.Descriptor;
import io.weir.rules.envoy.DescriptorRequest;
import io.weir.rules.envoy.LimitOverride;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** {@code /metrics}: what is counted, and what is not. */
class MetricsTest {
  private static final String RULES =
      """
      rules:
        - { name: user, per: user, limit: 2 per hour }
        - { name: all, match: { kind: all }, limit: 1 per hour }
        - { name: tried, match: { kind: tried }, mode: shadow, limit: 1 per hour }
        - { name: slow, match: { kind: slow }, limit: { algorithm: leaky-bucket, rate: 1 per second } }
        - { name: none, mode: off, limit: 1 per hour }
      """;

  @Test
  void everyRuleCountsWhatBecameOfItsRequests() {
    try (Admin admin = new Admin(RULES)) {
      admin.decide(Map.of("user", "a"));
      admin.decide(Map.of("user", "a", "kind", "all"));
      admin.decide(Map.of("user", "a"));
      admin.decide(Map.of("user", "b", "kind", "all"));
      admin.decide(Map.of("kind", "tried"));
      admin.decide(Map.of("kind", "tried"));
      admin.decide(Map.of("kind", "slow"));
      admin.decide(Map.of("kind", "slow"));
      admin.decide(Map.of("kind", "other"));

      assertThat(lines(admin, "weir_decisions_total"))
          .containsExactlyInAnyOrder(
              "weir_decisions_total{outcome=\"allowed\",rule=\"user\"} 2.0",
              "weir_decisions_total{outcome=\"denied\",rule=\"user\"} 1.0",
              "weir_decisions_total{outcome=\"allowed\",rule=\"all\"} 1.0",
              "weir_decisions_total{outcome=\"denied\",rule=\"all\"} 1.0",
              "weir_decisions_total{outcome=\"allowed\",rule=\"tried\"} 1.0",
              "weir_decisions_total{outcome=\"denied\",rule=\"tried\"} 0.0",
              "weir_decisions_total{outcome=\"shadow_denied\",rule=\"tried\"} 1.0",
              "weir_decisions_total{outcome=\"allowed\",rule=\"slow\"} 1.0",
              "weir_decisions_total{outcome=\"denied\",rule=\"slow\"} 0.0",
              "weir_decisions_total{outcome=\"delayed\",rule=\"slow\"} 1.0");
      assertThat(lines(admin, "weir_unmatched_total")).containsExactly("weir_unmatched_total 1.0");
      assertThat(lines(admin, "weir_near_limit_total{rule=\"user\"}"))
          .as("the second of two")
          .containsExactly("weir_near_limit_total{rule=\"user\"} 1.0");
    }
  }

  /** To Prometheus the first value of a series is no increase. */
  @Test
  void exportsEveryOutcomeOfARuleFromTheStart() {
    try (Admin admin = new Admin(RULES)) {
      assertThat(lines(admin, "weir_decisions_total"))
          .allMatch(line -> line.endsWith(" 0.0"))
          .filteredOn(line -> !line.contains("allowed") && !line.contains("\"denied\""))
          .containsExactlyInAnyOrder(
              "weir_decisions_total{outcome=\"shadow_denied\",rule=\"tried\"} 0.0",
              "weir_decisions_total{outcome=\"delayed\",rule=\"slow\"} 0.0");
      assertThat(lines(admin, "weir_fallback_total")).as("memory is never away").isEmpty();
    }
  }

  @Test
  void exportsEveryOutcomeOfAnOverrideFromTheStart() {
    String rules =
        """
        rules:
          - name: r
            per: user
            limit: 5 per second
            overrides:
              - { match: { user: slow }, limit: { algorithm: leaky-bucket, rate: 5 per second } }
        """;
    try (Admin admin = new Admin(rules)) {
      assertThat(lines(admin, "weir_decisions_total"))
          .contains("weir_decisions_total{outcome=\"delayed\",rule=\"r\"} 0.0");
    }
  }

  @Test
  void seriesDoNotGrowWithCallers() {
    try (Admin admin = new Admin(RULES)) {
      admin.decide(Map.of("user", "first"));
      int before = lines(admin, "weir_").size();
      for (int i = 0; i < 1000; i++) {
        admin.decide(Map.of("user", "secret-" + i));
      }

      String page = admin.send("GET /metrics");
      assertThat(lines(admin, "weir_")).hasSize(before);
      assertThat(page).doesNotContain("secret");
      assertThat(lines(admin, "weir_keys")).containsExactly("weir_keys{rule=\"user\"} 2.0");
      assertThat(lines(admin, "weir_overflow_total"))
          .containsExactly("weir_overflow_total{rule=\"user\"} 999.0");
    }
  }

  @Test
  void limitsThatCallersBringAlongAreOneSeries() {
    String rules =
        """
        domain: shop
        descriptors:
          - { key: user, rate_limit: { unit: hour, requests_per_unit: 1 } }
        """;
    try (Admin admin = new Admin(rules)) {
      Descriptor known = Descriptor.of("user", "a");
      decide(admin, known);
      decide(admin, known);
      for (int i = 1; i < 10; i++) {
        decide(admin, Descriptor.of("any" + i, "a").limitedTo(new LimitOverride(i, "hour")));
      }

      assertThat(lines(admin, "weir_decisions_total"))
          .containsExactlyInAnyOrder(
              "weir_decisions_total{outcome=\"allowed\",rule=\"shop.user\"} 1.0",
              "weir_decisions_total{outcome=\"denied\",rule=\"shop.user\"} 1.0",
              "weir_decisions_total{outcome=\"allowed\",rule=\"shop (overrides)\"} 9.0",
              "weir_decisions_total{outcome=\"denied\",rule=\"shop (overrides)\"} 0.0");
    }
  }

  @Test
  void countersOutliveAChangeOfTheirRule() {
    try (Admin admin =
        new Admin("rules: [ { name: a, limit: 9 per hour }, { name: b, limit: 9 per hour } ]")) {
      admin.decide(Map.of());
      admin.feed.replace(
          Admin.rules("rules: [ { name: c, limit: 9 per hour }, { name: a, limit: 5 per hour } ]"));
      admin.decide(Map.of());

      assertThat(lines(admin, "weir_decisions_total"))
          .filteredOn(line -> line.contains("allowed"))
          .containsExactlyInAnyOrder(
              "weir_decisions_total{outcome=\"allowed\",rule=\"c\"} 1.0",
              "weir_decisions_total{outcome=\"allowed\",rule=\"a\"} 2.0");
    }
  }

  @Test
  void everyDecisionIsTimed() {
    try (Admin admin = new Admin(RULES)) {
      for (int i = 0; i < 5000; i++) {
        admin.decide(Map.of("user", "a"));
      }

      List<String> times = lines(admin, "weir_decision_seconds");
      assertThat(times.get(0)).startsWith("weir_decision_seconds_bucket{le=\"1.0E-7\"} ");
      String count = times.get(times.size() - 2);
      assertThat(count).startsWith("weir_decision_seconds_count ");
      long timed = value(count);
      assertThat(timed).isEqualTo(5000);
      assertThat(times.get(times.size() - 3))
          .isEqualTo("weir_decision_seconds_bucket{le=\"+Inf\"} " + timed);
      assertThat(times.get(times.size() - 1)).startsWith("weir_decision_seconds_sum ");
    }
  }

  @Test
  void everyLineIsOneThatPrometheusReads() {
    try (Admin admin = new Admin(RULES)) {
      String response = admin.send("GET /metrics");

      assertThat(response).containsIgnoringCase("content-type: text/plain; version=0.0.4");
      assertThat(Admin.body(response)).endsWith("\n");
      assertThat(Admin.body(response).lines())
          .allMatch(
              line ->
                  line.matches("# (HELP|TYPE) (weir|jvm|process|system)_[a-z0-9_]+ .+")
                      || line.matches("[a-z0-9_]+(\\{([a-z]+=\"[^\"]*\",?)+\\})? ([-0-9.E]+|NaN)"));
    }
  }

  @Test
  void showsHealthOfRemoteStore() {
    try (RedisProcess redis = RedisProcess.start()) {
      String rules = "rules: [ { name: r, per: user, limit: 5 per hour, on_failure: deny } ]";
      try (Admin admin =
          new Admin(rules, redis.url() + "?timeout=20s&connect_timeout=20s", Optional.empty())) {
        admin.decide(Map.of("user", "a"));
        assertThat(lines(admin, "weir_breaker_state")).hasSize(1).allMatch(l -> l.endsWith(" 0.0"));
        long errors = value(lines(admin, "weir_store_errors_total").get(0));
        assertThat(lines(admin, "weir_fallback_total"))
            .as("the first is an increase")
            .containsExactly("weir_fallback_total{policy=\"deny\",rule=\"r\"} 0.0");
        assertThat(Admin.body(admin.send("GET /health/ready"))).contains("\"store\":\"up\"");

        redis.kill();
        Await.holds(
            "the breaker is open",
            () -> {
              admin.decide(Map.of("user", "a"));
              return lines(admin, "weir_breaker_state").get(0).endsWith(" 2.0");
            });
        assertThat(lines(admin, "weir_fallback_total"))
            .hasSize(1)
            .allMatch(line -> line.startsWith("weir_fallback_total{policy=\"deny\",rule=\"r\"} "));
        assertThat(value(lines(admin, "weir_store_errors_total").get(0))).isGreaterThan(errors);
        assertThat(admin.send("GET /health/ready"))
            .as("unready for another reason only")
            .contains("\"reasons\":[\"starting or draining\"],\"store\":\"down\"");
        assertThat(admin.send("GET /v1/keys?rule=r&user=a")).startsWith("HTTP/1.1 503 ");
      }
    }
  }

  private static void decide(Admin admin, Descriptor descriptor) {
    admin
        .decisionEngine
        .decide(new DescriptorRequest("shop", List.of(descriptor), 1))
        .toCompletableFuture()
        .join();
  }

  private static long value(String line) {
    return (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
  }

  private static List<String> lines(Admin admin, String begin) {
    return Admin.body(admin.send("GET /metrics")).lines().filter(l -> l.startsWith(begin)).toList();
  }
}
