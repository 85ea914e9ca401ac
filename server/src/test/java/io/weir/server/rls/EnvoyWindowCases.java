package io.weir.server.rls;

import static io.weir.server.rls.EnvoyRules.bringTo;
import static io.weir.server.rls.EnvoyRules.domain;
import static io.weir.server.rls.EnvoyRules.key;
import static io.weir.server.rls.EnvoyRules.limit;
import static io.weir.server.rls.Rls.request;
import static io.weir.server.rls.Rls.summary;
import static io.weir.server.rls.Rls.withHits;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.rls.proto.service.RateLimitResponse;
import io.weir.server.rls.proto.service.RateLimitResponse.Code;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Cases of {@link EnvoyRatelimitConformanceTest}: the fixed-window cache. */
abstract class EnvoyWindowCases {
  @ParameterizedTest(name = "{0}/{1}: at {2}, {3} more: {4}; Weir {5}")
  @CsvSource({
    "10, second,  4, 1, OK 5,         OK 5",
    "20, second,  2, 3, OK 15,        OK 15",
    " 8, second,  5, 2, OK 1,         OK 1",
    "20, second, 16, 3, OK 1,         OK 1",
    "20, second, 19, 3, OVER_LIMIT 0, OVER_LIMIT 1",
    "20, second, 15, 7, OVER_LIMIT 0, OVER_LIMIT 5",
    "10, second, 27, 3, OVER_LIMIT 0, OK 7", // 27 at once never fitted, so they spent nothing
    "10, minute, 10, 1, OVER_LIMIT 0, OVER_LIMIT 0",
    "15, hour,   10, 1, OK 4,         OK 4",
    "15, hour,   12, 1, OK 2,         OK 2",
    "15, hour,   15, 1, OVER_LIMIT 0, OVER_LIMIT 0",
  })
  void counts(long limit, String unit, long before, long hits, String envoys, String weirs) {
    String rules = domain("domain", limit("key", unit, limit));
    try (Rls rls = Rls.of(1_000_000, RefusalCounting.ENVOY::in, rules)) {
      bringTo(rls, "key", before);
      assertThat(summary(rls.call("domain", withHits(key("key"), hits)))).containsExactly(envoys);
    }
    try (Rls rls = Rls.of(1_000_000, RefusalCounting.WEIR::in, rules)) {
      bringTo(rls, "key", before);
      assertThat(summary(rls.call("domain", withHits(key("key"), hits)))).containsExactly(weirs);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("[no limit, 10/min] with addends 0 and 1, at 11: OK without a limit, OVER_LIMIT")
  void addendsWithoutLimit(RefusalCounting refusalCounting) {
    try (Rls rls =
        Rls.of(1234, refusalCounting::in, domain("domain", limit("key2", "minute", 10)))) {
      bringTo(rls, "key2", 10);
      RateLimitResponse response =
          rls.call("domain", withHits(key("key1"), 0), withHits(key("key2"), 1));
      assertThat(response.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
      assertThat(summary(response)).containsExactly("OK 0", "OVER_LIMIT 0");
      assertThat(response.getStatuses(0).hasCurrentLimit()).isFalse();
      assertThat(response.getStatuses(1).getDurationUntilReset().getSeconds()).isEqualTo(26);
    }
  }

  @Test
  @DisplayName("[10/h addend 0 at 11, 10/day addend 1 at 12]: both OVER_LIMIT")
  void addendZeroOverLimit() {
    String rules = domain("domain", limit("key1", "hour", 10), limit("key2", "day", 10));
    try (Rls rls = Rls.of(1_000_000, RefusalCounting.ENVOY::in, rules)) {
      bringTo(rls, "key1", 11);
      bringTo(rls, "key2", 12);
      RateLimitResponse response =
          rls.call("domain", withHits(key("key1"), 0), withHits(key("key2"), 1));
      assertThat(summary(response)).containsExactly("OVER_LIMIT 0", "OVER_LIMIT 0");
      assertThat(response.getStatuses(0).getDurationUntilReset().getSeconds())
          .isEqualTo(3600 - (1_000_000 - 997_200));
      assertThat(response.getStatuses(1).getDurationUntilReset().getSeconds())
          .isEqualTo(86_400 - (1_000_000 - 950_400));
    }
  }

  @Test
  @DisplayName("addend 0 exactly at the limit: Envoy's counting lets one more pass, Weir does not")
  void addendZeroAtLimit() {
    String rules = domain("domain", limit("key", "hour", 2));
    try (Rls rls = Rls.of(1234, RefusalCounting.ENVOY::in, rules)) {
      bringTo(rls, "key", 2);
      assertThat(summary(rls.call("domain", withHits(key("key"), 0)))).containsExactly("OK 0");
    }
    try (Rls rls = Rls.of(1234, RefusalCounting.WEIR::in, rules)) {
      bringTo(rls, "key", 2);
      assertThat(summary(rls.call("domain", withHits(key("key"), 0))))
          .containsExactly("OVER_LIMIT 0");
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("a shadow rule of 15/h: always OK, current_limit sent, remaining down to 0")
  void shadowRule(RefusalCounting refusalCounting) {
    String rules = domain("domain", limit("key", "hour", 15, "shadow_mode: true"));
    try (Rls rls = Rls.of(1_000_000, refusalCounting::in, rules)) {
      bringTo(rls, "key", 10);
      assertThat(summary(rls.call("domain", key("key")))).containsExactly("OK 4");
      bringTo(rls, "key", 1);
      assertThat(summary(rls.call("domain", key("key")))).containsExactly("OK 2");
      bringTo(rls, "key", 2);
      for (int i = 0; i < 3; i++) {
        RateLimitResponse response = rls.call("domain", key("key"));
        assertThat(summary(response)).containsExactly("OK 0");
        assertThat(response.getStatuses(0).getCurrentLimit().getRequestsPerUnit()).isEqualTo(15);
        assertThat(response.getOverallCode()).isEqualTo(Code.OK);
      }
    }
  }

  @Test
  @DisplayName("STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT, which is Weir's way: 15/h beside 14/h")
  void stopIncrementWhenOverLimit() {
    String rules = domain("domain", limit("key1", "hour", 15), limit("key2", "hour", 14));
    try (Rls rls = Rls.of(1_000_000, RefusalCounting.WEIR::in, rules)) {
      bringTo(rls, "key1", 10);
      bringTo(rls, "key2", 10);
      assertThat(summary(rls.call("domain", key("key1"), key("key2"))))
          .containsExactly("OK 4", "OK 3");
      assertThat(
              summary(
                  rls.call(request("domain", key("key1"), key("key2")).setHitsAddend(2).build())))
          .containsExactly("OK 2", "OK 1");
      RateLimitResponse third =
          rls.call(request("domain", key("key1"), key("key2")).setHitsAddend(2).build());
      assertThat(third.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
      assertThat(summary(third)).containsExactly("OK 2", "OVER_LIMIT 1");
    }
  }
}
