package io.weir.server.rls;

import static io.weir.server.rls.EnvoyRules.domain;
import static io.weir.server.rls.EnvoyRules.key;
import static io.weir.server.rls.EnvoyRules.limit;
import static io.weir.server.rls.Rls.request;
import static io.weir.server.rls.Rls.summary;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Struct;
import com.google.protobuf.util.JsonFormat;
import io.grpc.StatusRuntimeException;
import io.weir.server.ServerSettingsBuilder;
import io.weir.server.rls.proto.core.HeaderValue;
import io.weir.server.rls.proto.descriptor.RateLimitDescriptor;
import io.weir.server.rls.proto.service.RateLimitResponse;
import io.weir.server.rls.proto.service.RateLimitResponse.Code;
import io.weir.server.rls.proto.service.RateLimitResponse.RateLimit.Unit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Cases of {@link EnvoyRatelimitConformanceTest}: the service. */
abstract class EnvoyServiceCases {
  private static final String LIMITS =
      domain(
          "test-domain",
          limit("zero", "minute", 0),
          limit("ten", "minute", 10),
          limit("shadow", "minute", 0, "shadow_mode: true"),
          limit("quota", "minute", 1, "quota_mode: true", "metadata: { name: one, q: 1 }"),
          limit("quota2", "minute", 1, "quota_mode: true", "metadata: { name: two, r: 2 }"));

  private Code overall(Rls rls, String... keys) {
    return response(rls, keys).getOverallCode();
  }

  private RateLimitResponse response(Rls rls, String... keys) {
    RateLimitDescriptor.Builder[] all = new RateLimitDescriptor.Builder[keys.length];
    for (int i = 0; i < keys.length; i++) {
      all[i] = key(keys[i]);
    }
    return rls.call("test-domain", all);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S1 no limit: OK. S2 [over, none] and [none, over]: OVER_LIMIT, order kept")
  void s1AndS2(RefusalCounting refusalCounting) {
    try (Rls rls = Rls.of(1234, refusalCounting::in, LIMITS)) {
      assertThat(overall(rls, "none")).isEqualTo(Code.OK);
      RateLimitResponse first = response(rls, "zero", "none");
      assertThat(first.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
      assertThat(summary(first)).containsExactly("OVER_LIMIT 0", "OK 0");
      RateLimitResponse second = response(rls, "none", "zero");
      assertThat(second.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
      assertThat(summary(second)).containsExactly("OK 0", "OVER_LIMIT 0");
      assertThat(second.getStatuses(0).hasCurrentLimit()).isFalse();
      assertThat(second.getStatuses(1).getCurrentLimit().getUnit()).isEqualTo(Unit.MINUTE);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S4 shadow mode for all: overall OK, the status says OVER_LIMIT; no Retry-After")
  void s4(RefusalCounting refusalCounting) {
    try (Rls rls = Rls.of(1234, s -> refusalCounting.in(s).envoyShadow(true), LIMITS)) {
      RateLimitResponse response = response(rls, "zero", "none");
      assertThat(response.getOverallCode()).isEqualTo(Code.OK);
      assertThat(summary(response)).containsExactly("OVER_LIMIT 0", "OK 0");
      assertThat(headers(response)).doesNotContain("Retry-After");
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S5 all rules in shadow mode: OK. S6 one of two: OVER_LIMIT")
  void s5AndS6(RefusalCounting refusalCounting) {
    try (Rls rls = Rls.of(1234, refusalCounting::in, LIMITS)) {
      assertThat(overall(rls, "shadow")).isEqualTo(Code.OK);
      assertThat(overall(rls, "shadow", "zero")).isEqualTo(Code.OVER_LIMIT);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S7, S8 headers: limit 10, remaining 0, reset in 58 s at 2222 of a minute")
  void s7AndS8(RefusalCounting refusalCounting) {
    try (Rls rls = Rls.of(2222, refusalCounting::in, LIMITS)) {
      for (int i = 0; i < 10; i++) {
        assertThat(overall(rls, "ten")).isEqualTo(Code.OK);
      }
      RateLimitResponse response = response(rls, "ten");
      assertThat(headerLines(response))
          .contains(
              "X-RateLimit-Limit: 10",
              "X-RateLimit-Remaining: 0",
              "X-RateLimit-Reset: 2280",
              "RateLimit-Policy: \"test-domain.ten\";q=10;w=60",
              "RateLimit: \"test-domain.ten\";r=0;t=58",
              "Retry-After: 58");
      assertThat(response.getStatuses(0).getDurationUntilReset().getSeconds()).isEqualTo(58);
    }
  }

  @Test
  @DisplayName("S9 empty domain, S10 no descriptors: the same words, as INVALID_ARGUMENT")
  void s9AndS10() {
    try (Rls rls = Rls.of(LIMITS)) {
      assertThatThrownBy(() -> rls.call("", key("ten")))
          .hasMessage("INVALID_ARGUMENT: rate limit domain must not be empty");
      assertThatThrownBy(() -> rls.call("test-domain"))
          .hasMessage("INVALID_ARGUMENT: rate limit descriptor list must not be empty");
    }
  }

  @ParameterizedTest
  @CsvSource({"allow, OK", "deny, OVER_LIMIT", "error, UNAVAILABLE"})
  @DisplayName("S11 the store fails: what the rule says, instead of an error whatever it says")
  void s11(String onFailure, String expected) {
    String rules = domain("d", limit("key", "minute", 10, "on_failure: " + onFailure));
    UnaryOperator<ServerSettingsBuilder> nowhere = s -> s.store("redis://127.0.0.1:1");
    try (Rls rls = Rls.of(1234, nowhere, rules)) {
      String outcome;
      try {
        RateLimitResponse response = rls.call("d", key("key"));
        assertThat(response.getStatuses(0).hasCurrentLimit()).isFalse();
        outcome = response.getOverallCode().name();
      } catch (StatusRuntimeException e) {
        outcome = e.getStatus().getCode().name();
      }
      assertThat(outcome).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S13 unlimited: OK, remaining 4294967295, no current_limit")
  void s13(RefusalCounting refusalCounting) {
    String rules =
        "domain: d\ndescriptors:\n  - key: key\n    rate_limit: { unlimited: true }\n"
            + limit("ten", "minute", 10);
    try (Rls rls = Rls.of(1234, refusalCounting::in, rules)) {
      RateLimitResponse response = rls.call("d", key("key"), key("ten"));
      assertThat(summary(response)).containsExactly("OK 4294967295", "OK 9");
      assertThat(response.getStatuses(0).hasCurrentLimit()).isFalse();
      assertThat(response.getStatuses(0).hasDurationUntilReset()).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S17 quota mode for all, all over: OVER_LIMIT; one of two: OK")
  void s17(RefusalCounting refusalCounting) {
    try (Rls rls = Rls.of(1234, s -> refusalCounting.in(s).envoyQuota(true), LIMITS)) {
      assertThat(overall(rls, "zero")).isEqualTo(Code.OVER_LIMIT);
      assertThat(overall(rls, "zero", "ten")).isEqualTo(Code.OK);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S18-S20 metadata: of passed descriptors only, their union, the first wins")
  void s18ToS20(RefusalCounting refusalCounting) throws Exception {
    try (Rls rls = Rls.of(1234, s -> refusalCounting.in(s).envoyMetadata(true), LIMITS)) {
      assertThat(response(rls, "quota", "quota2").getDynamicMetadata())
          .isEqualTo(
              struct(
                  """
              {"domain": "test-domain",
               "descriptors": [{"entries": ["quota=value"]}, {"entries": ["quota2=value"]}],
               "metadata": {"name": "one", "q": 1.0, "r": 2.0}}
              """));
      rls.call("test-domain", key("quota")); // beyond its one
      rls.time.advance(Duration.ofMinutes(1));
      rls.call("test-domain", key("quota"));
      RateLimitResponse second =
          rls.call(request("test-domain", key("quota"), key("quota2")).setHitsAddend(1).build());
      assertThat(second.getOverallCode()).isEqualTo(Code.OK);
      assertThat(second.getDynamicMetadata())
          .isEqualTo(
              struct(
                  """
              {"domain": "test-domain",
               "descriptors": [{"entries": ["quota=value"]}, {"entries": ["quota2=value"]}],
               "hitsAddend": 1.0,
               "metadata": {"name": "two", "r": 2.0}}
              """));
    }
  }

  @ParameterizedTest(name = "{0}: {1} {2} {3}: {4}")
  @CsvSource({
    "S21, zero, quota,  -,     OVER_LIMIT",
    "S22, ten,  spent,  -,     OVER_LIMIT",
    "S23, ten,  quota,  -,     OK",
    "S24, ten,  spent,  spent2, OVER_LIMIT",
    "S25, ten,  spent,  quota2, OK",
  })
  void s21ToS25(String id, String one, String two, String three, Code expected) {
    for (RefusalCounting refusalCounting : RefusalCounting.values()) {
      try (Rls rls = Rls.of(1234, refusalCounting::in, LIMITS)) {
        List<String> keys = new ArrayList<>();
        for (String each : List.of(one, two, three)) {
          if (each.startsWith("spent")) {
            overall(rls, each.replace("spent", "quota"));
          }
          if (!each.equals("-")) {
            keys.add(each.replace("spent", "quota"));
          }
        }
        assertThat(overall(rls, keys.toArray(String[]::new))).as(id).isEqualTo(expected);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("S26, S27 quota, and quota beside others, under shadow mode for all: OK")
  void s26AndS27(RefusalCounting refusalCounting) {
    try (Rls rls = Rls.of(1234, s -> refusalCounting.in(s).envoyShadow(true), LIMITS)) {
      overall(rls, "quota");
      assertThat(overall(rls, "quota")).isEqualTo(Code.OK);
      assertThat(overall(rls, "quota", "zero")).isEqualTo(Code.OK);
    }
  }

  private static Struct struct(String json) throws InvalidProtocolBufferException {
    Struct.Builder struct = Struct.newBuilder();
    JsonFormat.parser().merge(json, struct);
    return struct.build();
  }

  private static List<String> headers(RateLimitResponse response) {
    return response.getResponseHeadersToAddList().stream().map(HeaderValue::getKey).toList();
  }

  private static List<String> headerLines(RateLimitResponse response) {
    return response.getResponseHeadersToAddList().stream()
        .map(header -> header.getKey() + ": " + header.getValue())
        .toList();
  }
}
