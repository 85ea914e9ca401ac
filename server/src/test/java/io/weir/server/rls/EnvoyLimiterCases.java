package io.weir.server.rls;

import static io.weir.server.rls.EnvoyRules.bringTo;
import static io.weir.server.rls.EnvoyRules.domain;
import static io.weir.server.rls.EnvoyRules.key;
import static io.weir.server.rls.EnvoyRules.limit;
import static io.weir.server.rls.Rls.descriptor;
import static io.weir.server.rls.Rls.summary;
import static io.weir.server.rls.Rls.withHits;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.rls.proto.service.RateLimitResponse;
import io.weir.server.rls.proto.service.RateLimitResponse.Code;
import io.weir.server.rls.proto.service.RateLimitResponse.DescriptorStatus;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Cases of {@link EnvoyRatelimitConformanceTest}: the limiter. */
abstract class EnvoyLimiterCases {
  @ParameterizedTest
  @EnumSource
  @DisplayName("a key of each window: the next second counts anew, the same one does not")
  void keyOfEachWindow(RefusalCounting refusalCounting) {
    try (Rls rls = Rls.of(1234, refusalCounting::in, domain("domain", limit("key", "second", 1)))) {
      assertThat(summary(rls.call("domain", key("key")))).containsExactly("OK 0");
      rls.time.advance(Duration.ofMillis(999));
      assertThat(summary(rls.call("domain", key("key")))).containsExactly("OVER_LIMIT 0");
      rls.time.advance(Duration.ofMillis(1));
      assertThat(summary(rls.call("domain", key("key")))).containsExactly("OK 0");
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("share_threshold: one counter for all values of a pattern, at any depth")
  void shareThreshold(RefusalCounting refusalCounting) {
    String rules =
        """
        domain: domain
        descriptors:
          - key: files
            value: files/*
            rate_limit: { unit: hour, requests_per_unit: 10 }
            share_threshold: true
          - key: parent
            descriptors:
              - key: files
                value: nested/*
                rate_limit: { unit: hour, requests_per_unit: 10 }
                share_threshold: true
          - key: files
            value: top/*
            share_threshold: true
            descriptors:
              - key: files
                value: nested/*
                rate_limit: { unit: hour, requests_per_unit: 10 }
                share_threshold: true
        """;
    try (Rls rls = Rls.of(1234, refusalCounting::in, rules)) {
      assertThat(summary(rls.call("domain", descriptor("files", "files/a"))))
          .containsExactly("OK 9");
      assertThat(summary(rls.call("domain", descriptor("files", "files/b"))))
          .containsExactly("OK 8");
      assertThat(summary(rls.call("domain", descriptor("parent", "value1", "files", "nested/a"))))
          .containsExactly("OK 9");
      assertThat(summary(rls.call("domain", descriptor("parent", "value1", "files", "nested/b"))))
          .containsExactly("OK 8");
      assertThat(summary(rls.call("domain", descriptor("parent", "value2", "files", "nested/b"))))
          .containsExactly("OK 9");
      assertThat(summary(rls.call("domain", descriptor("files", "top/a", "files", "nested/a"))))
          .containsExactly("OK 9");
      assertThat(summary(rls.call("domain", descriptor("files", "top/b", "files", "nested/b"))))
          .containsExactly("OK 8");
    }
  }

  @Test
  @DisplayName("an empty key: no limit, OK, remaining 0")
  void emptyKey() {
    try (Rls rls = Rls.of(domain("domain", limit("key", "second", 1)))) {
      DescriptorStatus status = rls.call("domain", descriptor()).getStatuses(0);
      assertThat(status).isEqualTo(DescriptorStatus.newBuilder().setCode(Code.OK).build());
    }
  }

  @ParameterizedTest
  @CsvSource({"false, OVER_LIMIT 0, OVER_LIMIT 3", "true, OK 0, OK 3"})
  @DisplayName("over by an addend (2, then 5 of 5), enforced and in shadow mode")
  void over(boolean isShadow, String envoys, String weirs) {
    String rules = domain("domain", limit("key", "second", 5, "shadow_mode: " + isShadow));
    try (Rls rls = Rls.of(1234, RefusalCounting.ENVOY::in, rules)) {
      bringTo(rls, "key", 2);
      assertThat(summary(rls.call("domain", withHits(key("key"), 5)))).containsExactly(envoys);
    }
    try (Rls rls = Rls.of(1234, RefusalCounting.WEIR::in, rules)) {
      bringTo(rls, "key", 2);
      assertThat(summary(rls.call("domain", withHits(key("key"), 5)))).containsExactly(weirs);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("below: 6 of 10, remaining 4")
  void below(RefusalCounting refusalCounting) {
    try (Rls rls =
        Rls.of(1234, refusalCounting::in, domain("domain", limit("key", "second", 10)))) {
      bringTo(rls, "key", 5);
      RateLimitResponse response = rls.call("domain", key("key"));
      assertThat(response.getOverallCode()).isEqualTo(Code.OK);
      assertThat(summary(response)).containsExactly("OK 4");
    }
  }
}
