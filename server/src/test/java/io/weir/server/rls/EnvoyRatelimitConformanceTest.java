package io.weir.server.rls;

import static io.weir.server.rls.Rls.descriptor;
import static io.weir.server.rls.Rls.request;
import static io.weir.server.rls.Rls.told;
import static io.weir.server.rls.Rls.withHits;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Struct;
import com.google.protobuf.util.JsonFormat;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.weir.rig.Until;
import io.weir.server.Settings;
import io.weir.server.SettingsBuilder;
import io.weir.server.rls.proto.core.HeaderValue;
import io.weir.server.rls.proto.descriptor.RateLimitDescriptor;
import io.weir.server.rls.proto.service.RateLimitResponse;
import io.weir.server.rls.proto.service.RateLimitResponse.Code;
import io.weir.server.rls.proto.service.RateLimitResponse.DescriptorStatus;
import io.weir.server.rls.proto.service.RateLimitResponse.RateLimit.Unit;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What the tests of envoyproxy/ratelimit pin down, case by case, asked over the network by a real
 * client, in both ways of counting. B2 to B6 are the sections of the list that these come from: the
 * limiter, the fixed-window cache, the service, the JSON handler, the integration tests.
 *
 * <p>Left out, because nobody who asks can see them: names of statistics, of Redis keys and of
 * trace spans, commands and expiry of Redis, its local cache (what it does to decisions is
 * nothing), memcached, xDS, and the sign of life of its Redis connection in health checks. Its
 * rules files are read by the tests of {@code rules}.
 */
class EnvoyRatelimitConformanceTest {
  /** How refused requests count. */
  enum Counting {
    /** They spend nothing. */
    WEIR(false),
    /** As in envoyproxy/ratelimit. */
    ENVOY(true);

    private final boolean isEnvoys;

    Counting(boolean isEnvoys) {
      this.isEnvoys = isEnvoys;
    }

    SettingsBuilder in(SettingsBuilder settings) {
      return settings.envoyCounting(isEnvoys);
    }
  }

  private static String limit(String key, String unit, long requests, String... more) {
    StringBuilder yaml = new StringBuilder("  - key: ").append(key).append('\n');
    yaml.append("    rate_limit: { unit: ").append(unit);
    yaml.append(", requests_per_unit: ").append(requests).append(" }\n");
    for (String line : more) {
      yaml.append("    ").append(line).append('\n');
    }
    return yaml.toString();
  }

  private static String domain(String name, String... limits) {
    return "domain: " + name + "\ndescriptors:\n" + String.join("", limits);
  }

  private static RateLimitDescriptor.Builder key(String key) {
    return descriptor(key, "value");
  }

  /** Brings a counter to {@code count}, in whichever way is in force. */
  private static void bringTo(Rls rls, String key, long count) {
    if (count > 0) {
      rls.ask("domain", withHits(key(key), count));
    }
  }

  @Nested
  @DisplayName("B2: limiter")
  class B2 {
    @ParameterizedTest
    @EnumSource
    @DisplayName("a key of each window: the next second counts anew, the same one does not")
    void keyOfEachWindow(Counting counting) {
      try (Rls rls = Rls.of(1234, counting::in, domain("domain", limit("key", "second", 1)))) {
        assertThat(told(rls.ask("domain", key("key")))).containsExactly("OK 0");
        rls.time.advance(Duration.ofMillis(999));
        assertThat(told(rls.ask("domain", key("key")))).containsExactly("OVER_LIMIT 0");
        rls.time.advance(Duration.ofMillis(1));
        assertThat(told(rls.ask("domain", key("key")))).containsExactly("OK 0");
      }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("share_threshold: one counter for all values of a pattern, at any depth")
    void shareThreshold(Counting counting) {
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
      try (Rls rls = Rls.of(1234, counting::in, rules)) {
        assertThat(told(rls.ask("domain", descriptor("files", "files/a")))).containsExactly("OK 9");
        assertThat(told(rls.ask("domain", descriptor("files", "files/b")))).containsExactly("OK 8");
        assertThat(told(rls.ask("domain", descriptor("parent", "value1", "files", "nested/a"))))
            .containsExactly("OK 9");
        assertThat(told(rls.ask("domain", descriptor("parent", "value1", "files", "nested/b"))))
            .containsExactly("OK 8");
        assertThat(told(rls.ask("domain", descriptor("parent", "value2", "files", "nested/b"))))
            .containsExactly("OK 9");
        assertThat(told(rls.ask("domain", descriptor("files", "top/a", "files", "nested/a"))))
            .containsExactly("OK 9");
        assertThat(told(rls.ask("domain", descriptor("files", "top/b", "files", "nested/b"))))
            .containsExactly("OK 8");
      }
    }

    @Test
    @DisplayName("an empty key: no limit, OK, remaining 0")
    void emptyKey() {
      try (Rls rls = Rls.of(domain("domain", limit("key", "second", 1)))) {
        DescriptorStatus status = rls.ask("domain", descriptor()).getStatuses(0);
        assertThat(status).isEqualTo(DescriptorStatus.newBuilder().setCode(Code.OK).build());
      }
    }

    @ParameterizedTest
    @CsvSource({"false, OVER_LIMIT 0, OVER_LIMIT 3", "true, OK 0, OK 3"})
    @DisplayName("over by an addend (2, then 5 of 5), enforced and in shadow mode")
    void over(boolean isShadow, String envoys, String weirs) {
      String rules = domain("domain", limit("key", "second", 5, "shadow_mode: " + isShadow));
      try (Rls rls = Rls.of(1234, Counting.ENVOY::in, rules)) {
        bringTo(rls, "key", 2);
        assertThat(told(rls.ask("domain", withHits(key("key"), 5)))).containsExactly(envoys);
      }
      try (Rls rls = Rls.of(1234, Counting.WEIR::in, rules)) {
        bringTo(rls, "key", 2);
        assertThat(told(rls.ask("domain", withHits(key("key"), 5)))).containsExactly(weirs);
      }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("below: 6 of 10, remaining 4")
    void below(Counting counting) {
      try (Rls rls = Rls.of(1234, counting::in, domain("domain", limit("key", "second", 10)))) {
        bringTo(rls, "key", 5);
        RateLimitResponse response = rls.ask("domain", key("key"));
        assertThat(response.getOverallCode()).isEqualTo(Code.OK);
        assertThat(told(response)).containsExactly("OK 4");
      }
    }
  }

  @Nested
  @DisplayName("B3: fixed windows")
  class B3 {
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
      try (Rls rls = Rls.of(1_000_000, Counting.ENVOY::in, rules)) {
        bringTo(rls, "key", before);
        assertThat(told(rls.ask("domain", withHits(key("key"), hits)))).containsExactly(envoys);
      }
      try (Rls rls = Rls.of(1_000_000, Counting.WEIR::in, rules)) {
        bringTo(rls, "key", before);
        assertThat(told(rls.ask("domain", withHits(key("key"), hits)))).containsExactly(weirs);
      }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("[no limit, 10/min] with addends 0 and 1, at 11: OK without a limit, OVER_LIMIT")
    void addendsWithoutLimit(Counting counting) {
      try (Rls rls = Rls.of(1234, counting::in, domain("domain", limit("key2", "minute", 10)))) {
        bringTo(rls, "key2", 10);
        RateLimitResponse response =
            rls.ask("domain", withHits(key("key1"), 0), withHits(key("key2"), 1));
        assertThat(response.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
        assertThat(told(response)).containsExactly("OK 0", "OVER_LIMIT 0");
        assertThat(response.getStatuses(0).hasCurrentLimit()).isFalse();
        assertThat(response.getStatuses(1).getDurationUntilReset().getSeconds()).isEqualTo(26);
      }
    }

    @Test
    @DisplayName("[10/h addend 0 at 11, 10/day addend 1 at 12]: both OVER_LIMIT")
    void addendZeroOverLimit() {
      String rules = domain("domain", limit("key1", "hour", 10), limit("key2", "day", 10));
      try (Rls rls = Rls.of(1_000_000, Counting.ENVOY::in, rules)) {
        bringTo(rls, "key1", 11);
        bringTo(rls, "key2", 12);
        RateLimitResponse response =
            rls.ask("domain", withHits(key("key1"), 0), withHits(key("key2"), 1));
        assertThat(told(response)).containsExactly("OVER_LIMIT 0", "OVER_LIMIT 0");
        assertThat(response.getStatuses(0).getDurationUntilReset().getSeconds())
            .isEqualTo(3600 - (1_000_000 - 997_200));
        assertThat(response.getStatuses(1).getDurationUntilReset().getSeconds())
            .isEqualTo(86_400 - (1_000_000 - 950_400));
      }
    }

    @Test
    @DisplayName(
        "addend 0 exactly at the limit: Envoy's counting lets one more pass, Weir does not")
    void addendZeroAtLimit() {
      String rules = domain("domain", limit("key", "hour", 2));
      try (Rls rls = Rls.of(1234, Counting.ENVOY::in, rules)) {
        bringTo(rls, "key", 2);
        assertThat(told(rls.ask("domain", withHits(key("key"), 0)))).containsExactly("OK 0");
      }
      try (Rls rls = Rls.of(1234, Counting.WEIR::in, rules)) {
        bringTo(rls, "key", 2);
        assertThat(told(rls.ask("domain", withHits(key("key"), 0))))
            .containsExactly("OVER_LIMIT 0");
      }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a shadow rule of 15/h: always OK, current_limit told, remaining down to 0")
    void shadowRule(Counting counting) {
      String rules = domain("domain", limit("key", "hour", 15, "shadow_mode: true"));
      try (Rls rls = Rls.of(1_000_000, counting::in, rules)) {
        bringTo(rls, "key", 10);
        assertThat(told(rls.ask("domain", key("key")))).containsExactly("OK 4");
        bringTo(rls, "key", 1);
        assertThat(told(rls.ask("domain", key("key")))).containsExactly("OK 2");
        bringTo(rls, "key", 2);
        for (int i = 0; i < 3; i++) {
          RateLimitResponse response = rls.ask("domain", key("key"));
          assertThat(told(response)).containsExactly("OK 0");
          assertThat(response.getStatuses(0).getCurrentLimit().getRequestsPerUnit()).isEqualTo(15);
          assertThat(response.getOverallCode()).isEqualTo(Code.OK);
        }
      }
    }

    @Test
    @DisplayName("STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT, which is Weir's way: 15/h beside 14/h")
    void stopIncrementWhenOverLimit() {
      String rules = domain("domain", limit("key1", "hour", 15), limit("key2", "hour", 14));
      try (Rls rls = Rls.of(1_000_000, Counting.WEIR::in, rules)) {
        bringTo(rls, "key1", 10);
        bringTo(rls, "key2", 10);
        assertThat(told(rls.ask("domain", key("key1"), key("key2"))))
            .containsExactly("OK 4", "OK 3");
        assertThat(
                told(rls.ask(request("domain", key("key1"), key("key2")).setHitsAddend(2).build())))
            .containsExactly("OK 2", "OK 1");
        RateLimitResponse third =
            rls.ask(request("domain", key("key1"), key("key2")).setHitsAddend(2).build());
        assertThat(third.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
        assertThat(told(third)).containsExactly("OK 2", "OVER_LIMIT 1");
      }
    }
  }

  @Nested
  @DisplayName("B4: service")
  class B4 {
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
      return rls.ask("test-domain", all);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("S1 no limit: OK. S2 [over, none] and [none, over]: OVER_LIMIT, order kept")
    void s1AndS2(Counting counting) {
      try (Rls rls = Rls.of(1234, counting::in, LIMITS)) {
        assertThat(overall(rls, "none")).isEqualTo(Code.OK);
        RateLimitResponse first = response(rls, "zero", "none");
        assertThat(first.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
        assertThat(told(first)).containsExactly("OVER_LIMIT 0", "OK 0");
        RateLimitResponse second = response(rls, "none", "zero");
        assertThat(second.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
        assertThat(told(second)).containsExactly("OK 0", "OVER_LIMIT 0");
        assertThat(second.getStatuses(0).hasCurrentLimit()).isFalse();
        assertThat(second.getStatuses(1).getCurrentLimit().getUnit()).isEqualTo(Unit.MINUTE);
      }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("S4 shadow mode for all: overall OK, the status says OVER_LIMIT; no Retry-After")
    void s4(Counting counting) {
      try (Rls rls = Rls.of(1234, s -> counting.in(s).envoyShadow(true), LIMITS)) {
        RateLimitResponse response = response(rls, "zero", "none");
        assertThat(response.getOverallCode()).isEqualTo(Code.OK);
        assertThat(told(response)).containsExactly("OVER_LIMIT 0", "OK 0");
        assertThat(headers(response)).doesNotContain("Retry-After");
      }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("S5 all rules in shadow mode: OK. S6 one of two: OVER_LIMIT")
    void s5AndS6(Counting counting) {
      try (Rls rls = Rls.of(1234, counting::in, LIMITS)) {
        assertThat(overall(rls, "shadow")).isEqualTo(Code.OK);
        assertThat(overall(rls, "shadow", "zero")).isEqualTo(Code.OVER_LIMIT);
      }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("S7, S8 headers: limit 10, remaining 0, reset in 58 s at 2222 of a minute")
    void s7AndS8(Counting counting) {
      try (Rls rls = Rls.of(2222, counting::in, LIMITS)) {
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
        assertThatThrownBy(() -> rls.ask("", key("ten")))
            .hasMessage("INVALID_ARGUMENT: rate limit domain must not be empty");
        assertThatThrownBy(() -> rls.ask("test-domain"))
            .hasMessage("INVALID_ARGUMENT: rate limit descriptor list must not be empty");
      }
    }

    @ParameterizedTest
    @CsvSource({"allow, OK", "deny, OVER_LIMIT", "error, UNAVAILABLE"})
    @DisplayName("S11 the store fails: what the rule says, instead of an error whatever it says")
    void s11(String onFailure, String expected) {
      String rules = domain("d", limit("key", "minute", 10, "on_failure: " + onFailure));
      UnaryOperator<SettingsBuilder> nowhere = s -> s.store("redis://127.0.0.1:1");
      try (Rls rls = Rls.of(1234, nowhere, rules)) {
        String told;
        try {
          RateLimitResponse response = rls.ask("d", key("key"));
          assertThat(response.getStatuses(0).hasCurrentLimit()).isFalse();
          told = response.getOverallCode().name();
        } catch (StatusRuntimeException e) {
          told = e.getStatus().getCode().name();
        }
        assertThat(told).isEqualTo(expected);
      }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("S13 unlimited: OK, remaining 4294967295, no current_limit")
    void s13(Counting counting) {
      String rules =
          "domain: d\ndescriptors:\n  - key: key\n    rate_limit: { unlimited: true }\n"
              + limit("ten", "minute", 10);
      try (Rls rls = Rls.of(1234, counting::in, rules)) {
        RateLimitResponse response = rls.ask("d", key("key"), key("ten"));
        assertThat(told(response)).containsExactly("OK 4294967295", "OK 9");
        assertThat(response.getStatuses(0).hasCurrentLimit()).isFalse();
        assertThat(response.getStatuses(0).hasDurationUntilReset()).isFalse();
      }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("S17 quota mode for all, all over: OVER_LIMIT; one of two: OK")
    void s17(Counting counting) {
      try (Rls rls = Rls.of(1234, s -> counting.in(s).envoyQuota(true), LIMITS)) {
        assertThat(overall(rls, "zero")).isEqualTo(Code.OVER_LIMIT);
        assertThat(overall(rls, "zero", "ten")).isEqualTo(Code.OK);
      }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("S18-S20 metadata: of passed descriptors only, their union, the first wins")
    void s18ToS20(Counting counting) throws Exception {
      try (Rls rls = Rls.of(1234, s -> counting.in(s).envoyMetadata(true), LIMITS)) {
        assertThat(response(rls, "quota", "quota2").getDynamicMetadata())
            .isEqualTo(
                struct(
                    """
                {"domain": "test-domain",
                 "descriptors": [{"entries": ["quota=value"]}, {"entries": ["quota2=value"]}],
                 "metadata": {"name": "one", "q": 1.0, "r": 2.0}}
                """));
        rls.ask("test-domain", key("quota")); // beyond its one
        rls.time.advance(Duration.ofMinutes(1));
        rls.ask("test-domain", key("quota"));
        RateLimitResponse second =
            rls.ask(request("test-domain", key("quota"), key("quota2")).setHitsAddend(1).build());
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
      for (Counting counting : Counting.values()) {
        try (Rls rls = Rls.of(1234, counting::in, LIMITS)) {
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
    void s26AndS27(Counting counting) {
      try (Rls rls = Rls.of(1234, s -> counting.in(s).envoyShadow(true), LIMITS)) {
        overall(rls, "quota");
        assertThat(overall(rls, "quota")).isEqualTo(Code.OK);
        assertThat(overall(rls, "quota", "zero")).isEqualTo(Code.OK);
      }
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

  @Nested
  @DisplayName("B5: JSON")
  class B5 {
    private static final String ASK =
        "{\"domain\":\"d\",\"descriptors\":[{\"entries\":[{\"key\":\"%s\",\"value\":\"v\"}]}]}";

    @Test
    @DisplayName("nothing, and }: 400")
    void malformed() {
      try (Rls rls = Rls.of(domain("d", limit("key", "minute", 1)))) {
        for (String body : List.of("", "}")) {
          assertThat(rls.json(body).statusCode()).isEqualTo(400);
        }
      }
    }

    @Test
    @DisplayName("OK: 200. OVER_LIMIT: 429. Both application/json, as protobuf writes it")
    void codes() {
      try (Rls rls = Rls.of(domain("d", limit("key", "minute", 1)))) {
        HttpResponse<String> free = rls.json(ASK.formatted("other"));
        assertThat(free.statusCode()).isEqualTo(200);
        assertThat(free.body())
            .isEqualTo("{\"overallCode\":\"OK\",\"statuses\":[{\"code\":\"OK\"}]}");
        assertThat(free.headers().firstValue("content-type")).contains("application/json");
        assertThat(rls.json(ASK.formatted("key")).statusCode()).isEqualTo(200);
        HttpResponse<String> over = rls.json(ASK.formatted("key"));
        assertThat(over.statusCode()).isEqualTo(429);
        assertThat(over.body())
            .startsWith(
                "{\"overallCode\":\"OVER_LIMIT\",\"statuses\":[{\"code\":\"OVER_LIMIT\","
                    + "\"currentLimit\":{\"requestsPerUnit\":1,\"unit\":\"MINUTE\"},"
                    + "\"durationUntilReset\":\"26s\"}]");
        assertThat(over.headers().firstValue("retry-after")).contains("26");
      }
    }

    @Test
    @DisplayName("the store fails: 503, where envoyproxy/ratelimit says 400")
    void storeFails() {
      String rules = domain("d", limit("key", "minute", 10, "on_failure: error"));
      try (Rls rls = Rls.of(1234, s -> s.store("redis://127.0.0.1:1"), rules)) {
        assertThat(rls.json(ASK.formatted("key")).statusCode()).isEqualTo(503);
      }
    }
  }

  @Nested
  @DisplayName("B6: integration")
  class B6 {
    private static final String BASIC = domain("basic", limit("key1", "second", 50));
    private static final String ANOTHER =
        domain("another", limit("key2", "minute", 20), limit("key3", "hour", 10));

    @ParameterizedTest
    @EnumSource
    @DisplayName("unknown domain: OK. 50/s: remaining 49 and all of current_limit")
    void basic(Counting counting) {
      try (Rls rls = Rls.of(1234, counting::in, BASIC, ANOTHER)) {
        assertThat(rls.ask("foo", descriptor("hello", "world")))
            .isEqualTo(
                RateLimitResponse.newBuilder()
                    .setOverallCode(Code.OK)
                    .addStatuses(DescriptorStatus.newBuilder().setCode(Code.OK))
                    .build());
        DescriptorStatus status = rls.ask("basic", descriptor("key1", "foo")).getStatuses(0);
        assertThat(told(status)).isEqualTo("OK 49");
        assertThat(status.getCurrentLimit().getRequestsPerUnit()).isEqualTo(50);
        assertThat(status.getCurrentLimit().getUnit()).isEqualTo(Unit.SECOND);
        assertThat(status.getCurrentLimit().getName()).isEmpty();
        assertThat(status.getDurationUntilReset().getSeconds()).isEqualTo(1);
      }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("20/min asked 25 times: remaining 19 to 0, OVER_LIMIT from the 21st")
    void countsDown(Counting counting) {
      try (Rls rls = Rls.of(1200, counting::in, BASIC, ANOTHER)) {
        for (int i = 0; i < 25; i++) {
          assertThat(told(rls.ask("another", descriptor("key2", "x"))))
              .containsExactly(i < 20 ? "OK " + (19 - i) : "OVER_LIMIT 0");
        }
        assertThat(told(rls.ask("another", descriptor("key2", "y")))).containsExactly("OK 19");
      }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("20/min beside 10/h asked 15 times: the first counts on, or stays at 10")
    void twoDescriptors(Counting counting) {
      try (Rls rls = Rls.of(1200, counting::in, BASIC, ANOTHER)) {
        for (int i = 0; i < 15; i++) {
          RateLimitResponse response =
              rls.ask("another", descriptor("key2", "x"), descriptor("key3", "x"));
          assertThat(response.getOverallCode()).isEqualTo(i < 10 ? Code.OK : Code.OVER_LIMIT);
          int spent = counting == Counting.ENVOY ? i + 1 : Math.min(i + 1, 10);
          assertThat(told(response))
              .containsExactly("OK " + (20 - spent), i < 10 ? "OK " + (9 - i) : "OVER_LIMIT 0");
        }
      }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("duration_until_reset shrinks as time goes by")
    void durationShrinks(Counting counting) {
      try (Rls rls = Rls.of(1200, counting::in, BASIC, ANOTHER)) {
        for (int second = 0; second < 60; second += 20) {
          DescriptorStatus status = rls.ask("another", descriptor("key2", "x")).getStatuses(0);
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
        RateLimitDescriptor.Builder asked = withHits(descriptor("key1", "foo"), 0);
        assertThat(rls.ask("reload", asked).getStatuses(0).hasCurrentLimit()).isFalse();
        Path file = directory.resolve("reload.yaml");
        Files.writeString(file, domain("reload", limit("key1", "second", 50)));
        Until.holds(
            "the domain is there", () -> rls.ask("reload", asked).getStatuses(0).hasCurrentLimit());
        assertThat(told(rls.ask("reload", descriptor("key1", "foo")))).containsExactly("OK 49");
        Files.delete(file);
        Until.holds(
            "the domain is gone", () -> !rls.ask("reload", asked).getStatuses(0).hasCurrentLimit());
      }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("share threshold: 10/h for all of files/*, the 11th OVER_LIMIT; others apart")
    void shareThreshold(Counting counting) {
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
      try (Rls rls = Rls.of(1234, counting::in, rules)) {
        for (int i = 0; i < 10; i++) {
          assertThat(told(rls.ask("share", descriptor("files", "files/" + i))))
              .containsExactly("OK " + (9 - i));
          assertThat(told(rls.ask("share", descriptor("apart", "apart/" + i))))
              .containsExactly("OK 9");
        }
        assertThat(told(rls.ask("share", descriptor("files", "files/other"))))
            .containsExactly("OVER_LIMIT 0");
      }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("trigger-ratelimit: 3/min, the 4th refused; a shadow key never")
    void trigger(Counting counting) {
      String rules =
          domain(
              "rl", limit("test", "minute", 3), limit("shadow", "minute", 3, "shadow_mode: true"));
      try (Rls rls = Rls.of(1234, counting::in, rules)) {
        assertThat(codes(rls, 4, "test")).isEqualTo("OK OK OK OVER_LIMIT");
        assertThat(codes(rls, 5, "shadow")).isEqualTo("OK OK OK OK OK");
      }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("replaces: raises a limit, leaves the replaced counter alone, replaces two names")
    void replaces(Counting counting) {
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
      try (Rls rls = Rls.of(1234, counting::in, rules)) {
        assertThat(codes(rls, 5, "source", "destination")).isEqualTo("OK OK OK OK OVER_LIMIT");
        RateLimitResponse replaced = rls.ask("rl", key("source"), key("other"), key("destination"));
        assertThat(told(replaced)).containsExactly("OK 0", "OK 0", "OVER_LIMIT 0");
        assertThat(replaced.getStatuses(0).hasCurrentLimit()).isFalse();
        assertThat(replaced.getStatuses(2).getCurrentLimit().getName()).isEqualTo("destination");
        assertThat(codes(rls, 3, "source")).isEqualTo("OK OK OVER_LIMIT");
        assertThat(codes(rls, 2, "other")).isEqualTo("OK OVER_LIMIT");
      }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("quota: 1 and 2 per minute, the third refused")
    void quota(Counting counting) {
      String rules =
          domain(
              "rl",
              limit("a", "minute", 1, "quota_mode: true"),
              limit("b", "minute", 2, "quota_mode: true"));
      try (Rls rls = Rls.of(1234, counting::in, rules)) {
        assertThat(codes(rls, 3, "a", "b")).isEqualTo("OK OK OVER_LIMIT");
      }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
        "token quota of 2: looks before (0), pays after (1): the 4th is refused, or the 3rd")
    void tokenQuota(Counting counting) {
      try (Rls rls = Rls.of(1234, counting::in, domain("rl", limit("tokens", "minute", 2)))) {
        List<Code> codes = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          Code look = rls.ask("rl", withHits(key("tokens"), 0)).getOverallCode();
          codes.add(look);
          if (look == Code.OK) {
            rls.ask("rl", withHits(key("tokens"), 1));
          }
        }
        assertThat(codes)
            .isEqualTo(
                counting == Counting.ENVOY
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
        codes.add(rls.ask("rl", all).getOverallCode().name());
      }
      return codes.stream().collect(Collectors.joining(" "));
    }
  }

  @Test
  @DisplayName("statuses, and only OK or OVER_LIMIT, whatever is asked")
  void neverUnknown() {
    try (Rls rls = Rls.of(domain("d", limit("key", "minute", 1)))) {
      RateLimitDescriptor.Builder[] many = new RateLimitDescriptor.Builder[100];
      for (int i = 0; i < many.length; i++) {
        many[i] = descriptor("key", "v" + i % 50);
      }
      RateLimitResponse response = rls.ask("d", many);
      assertThat(response.getStatusesCount()).isEqualTo(100);
      assertThat(response.getOverallCode()).isNotEqualTo(Code.UNKNOWN);
      assertThatThrownBy(() -> rls.ask(request("d", many).addDescriptors(key("key")).build()))
          .isInstanceOfSatisfying(
              StatusRuntimeException.class,
              e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT));
      assertThat(Settings.DEMO.envoy().mode().countsRefused()).isFalse();
    }
  }
}
