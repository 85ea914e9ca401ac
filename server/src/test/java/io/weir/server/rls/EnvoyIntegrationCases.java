package io.weir.server.rls;

import static io.weir.server.rls.EnvoyRules.domain;
import static io.weir.server.rls.EnvoyRules.key;
import static io.weir.server.rls.EnvoyRules.limit;
import static io.weir.server.rls.Rls.descriptor;
import static io.weir.server.rls.Rls.summary;
import static io.weir.server.rls.Rls.withHits;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.Await;
import io.weir.server.rls.proto.descriptor.RateLimitDescriptor;
import io.weir.server.rls.proto.service.RateLimitResponse;
import io.weir.server.rls.proto.service.RateLimitResponse.Code;
import io.weir.server.rls.proto.service.RateLimitResponse.DescriptorStatus;
import io.weir.server.rls.proto.service.RateLimitResponse.RateLimit.Unit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Cases of {@link EnvoyRatelimitConformanceTest}: the integration tests. */
abstract class EnvoyIntegrationCases {
  private static final String BASIC = domain("basic", limit("key1", "second", 50));
  private static final String ANOTHER =
      domain("another", limit("key2", "minute", 20), limit("key3", "hour", 10));

  @ParameterizedTest
  @EnumSource
  @DisplayName("unknown domain: OK. 50/s: remaining 49 and all of current_limit")
  void basic(RefusalCounting refusalCounting) {
    try (Rls rls = Rls.of(1234, refusalCounting::in, BASIC, ANOTHER)) {
      assertThat(rls.call("foo", descriptor("hello", "world")))
          .isEqualTo(
              RateLimitResponse.newBuilder()
                  .setOverallCode(Code.OK)
                  .addStatuses(DescriptorStatus.newBuilder().setCode(Code.OK))
                  .build());
      DescriptorStatus status = rls.call("basic", descriptor("key1", "foo")).getStatuses(0);
      assertThat(summary(status)).isEqualTo("OK 49");
      assertThat(status.getCurrentLimit().getRequestsPerUnit()).isEqualTo(50);
      assertThat(status.getCurrentLimit().getUnit()).isEqualTo(Unit.SECOND);
      assertThat(status.getCurrentLimit().getName()).isEmpty();
      assertThat(status.getDurationUntilReset().getSeconds()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("20/min asked 25 times: remaining 19 to 0, OVER_LIMIT from the 21st")
  void countsDown(RefusalCounting refusalCounting) {
    try (Rls rls = Rls.of(1200, refusalCounting::in, BASIC, ANOTHER)) {
      for (int i = 0; i < 25; i++) {
        assertThat(summary(rls.call("another", descriptor("key2", "x"))))
            .containsExactly(i < 20 ? "OK " + (19 - i) : "OVER_LIMIT 0");
      }
      assertThat(summary(rls.call("another", descriptor("key2", "y")))).containsExactly("OK 19");
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("20/min beside 10/h asked 15 times: the first counts on, or stays at 10")
  void twoDescriptors(RefusalCounting refusalCounting) {
    try (Rls rls = Rls.of(1200, refusalCounting::in, BASIC, ANOTHER)) {
      for (int i = 0; i < 15; i++) {
        RateLimitResponse response =
            rls.call("another", descriptor("key2", "x"), descriptor("key3", "x"));
        assertThat(response.getOverallCode()).isEqualTo(i < 10 ? Code.OK : Code.OVER_LIMIT);
        int spent = refusalCounting == RefusalCounting.ENVOY ? i + 1 : Math.min(i + 1, 10);
        assertThat(summary(response))
            .containsExactly("OK " + (20 - spent), i < 10 ? "OK " + (9 - i) : "OVER_LIMIT 0");
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("duration_until_reset shrinks as time goes by")
  void durationShrinks(RefusalCounting refusalCounting) {
    try (Rls rls = Rls.of(1200, refusalCounting::in, BASIC, ANOTHER)) {
      for (int second = 0; second < 60; second += 20) {
        DescriptorStatus status = rls.call("another", descriptor("key2", "x")).getStatuses(0);
        assertThat(status.getDurationUntilReset().getSeconds()).isEqualTo(60 - second);
        rls.time.advance(Duration.ofSeconds(20));
      }
    }
  }

  @Test
  @DisplayName("reload: a domain comes, and goes again")
  void reload(@TempDir Path directory) throws IOException {
    Files.writeString(directory.resolve("basic.yaml"), BASIC);
    try (Rls rls = Rls.watching(directory)) {
      RateLimitDescriptor.Builder entry = withHits(descriptor("key1", "foo"), 0);
      assertThat(rls.call("reload", entry).getStatuses(0).hasCurrentLimit()).isFalse();
      Path file = directory.resolve("reload.yaml");
      Files.writeString(file, domain("reload", limit("key1", "second", 50)));
      Await.holds(
          "the domain is there", () -> rls.call("reload", entry).getStatuses(0).hasCurrentLimit());
      assertThat(summary(rls.call("reload", descriptor("key1", "foo")))).containsExactly("OK 49");
      Files.delete(file);
      Await.holds(
          "the domain is gone", () -> !rls.call("reload", entry).getStatuses(0).hasCurrentLimit());
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("share threshold: 10/h for all of files/*, the 11th OVER_LIMIT; others apart")
  void shareThreshold(RefusalCounting refusalCounting) {
    String rules =
        """
        domain: share
        descriptors:
          - key: files
            value: files/*
            rate_limit: { unit: hour, requests_per_unit: 10 }
            share_threshold: true
          - key: apart
            value: apart/*
            rate_limit: { unit: hour, requests_per_unit: 10 }
        """;
    try (Rls rls = Rls.of(1234, refusalCounting::in, rules)) {
      for (int i = 0; i < 10; i++) {
        assertThat(summary(rls.call("share", descriptor("files", "files/" + i))))
            .containsExactly("OK " + (9 - i));
        assertThat(summary(rls.call("share", descriptor("apart", "apart/" + i))))
            .containsExactly("OK 9");
      }
      assertThat(summary(rls.call("share", descriptor("files", "files/other"))))
          .containsExactly("OVER_LIMIT 0");
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("trigger-ratelimit: 3/min, the 4th refused; a shadow key never")
  void trigger(RefusalCounting refusalCounting) {
    String rules =
        domain("rl", limit("test", "minute", 3), limit("shadow", "minute", 3, "shadow_mode: true"));
    try (Rls rls = Rls.of(1234, refusalCounting::in, rules)) {
      assertThat(codes(rls, 4, "test")).isEqualTo("OK OK OK OVER_LIMIT");
      assertThat(codes(rls, 5, "shadow")).isEqualTo("OK OK OK OK OK");
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("replaces: raises a limit, leaves the replaced counter alone, replaces two names")
  void replaces(RefusalCounting refusalCounting) {
    String rules =
        """
        domain: rl
        descriptors:
          - key: source
            rate_limit: { name: source, unit: minute, requests_per_unit: 2 }
          - key: other
            rate_limit: { name: other, unit: minute, requests_per_unit: 1 }
          - key: destination
            rate_limit:
              name: destination
              unit: minute
              requests_per_unit: 4
              replaces: [{ name: source }, { name: other }]
        """;
    try (Rls rls = Rls.of(1234, refusalCounting::in, rules)) {
      assertThat(codes(rls, 5, "source", "destination")).isEqualTo("OK OK OK OK OVER_LIMIT");
      RateLimitResponse replaced = rls.call("rl", key("source"), key("other"), key("destination"));
      assertThat(summary(replaced)).containsExactly("OK 0", "OK 0", "OVER_LIMIT 0");
      assertThat(replaced.getStatuses(0).hasCurrentLimit()).isFalse();
      assertThat(replaced.getStatuses(2).getCurrentLimit().getName()).isEqualTo("destination");
      assertThat(codes(rls, 3, "source")).isEqualTo("OK OK OVER_LIMIT");
      assertThat(codes(rls, 2, "other")).isEqualTo("OK OVER_LIMIT");
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("quota: 1 and 2 per minute, the third refused")
  void quota(RefusalCounting refusalCounting) {
    String rules =
        domain(
            "rl",
            limit("a", "minute", 1, "quota_mode: true"),
            limit("b", "minute", 2, "quota_mode: true"));
    try (Rls rls = Rls.of(1234, refusalCounting::in, rules)) {
      assertThat(codes(rls, 3, "a", "b")).isEqualTo("OK OK OVER_LIMIT");
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("token quota of 2: looks before (0), pays after (1): the 4th is refused, or the 3rd")
  void tokenQuota(RefusalCounting refusalCounting) {
    try (Rls rls = Rls.of(1234, refusalCounting::in, domain("rl", limit("tokens", "minute", 2)))) {
      List<Code> codes = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Code look = rls.call("rl", withHits(key("tokens"), 0)).getOverallCode();
        codes.add(look);
        if (look == Code.OK) {
          rls.call("rl", withHits(key("tokens"), 1));
        }
      }
      assertThat(codes)
          .isEqualTo(
              refusalCounting == RefusalCounting.ENVOY
                  ? List.of(Code.OK, Code.OK, Code.OK, Code.OVER_LIMIT)
                  : List.of(Code.OK, Code.OK, Code.OVER_LIMIT, Code.OVER_LIMIT));
    }
  }

  private String codes(Rls rls, int times, String... keys) {
    List<String> codes = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      RateLimitDescriptor.Builder[] all = new RateLimitDescriptor.Builder[keys.length];
      for (int k = 0; k < keys.length; k++) {
        all[k] = key(keys[k]);
      }
      codes.add(rls.call("rl", all).getOverallCode().name());
    }
    return codes.stream().collect(Collectors.joining(" "));
  }
}
