package io.weir.server.rls;

import static io.weir.server.rls.EnvoyRules.domain;
import static io.weir.server.rls.EnvoyRules.limit;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Cases of {@link EnvoyRatelimitConformanceTest}: the JSON handler. */
abstract class EnvoyJsonCases {
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
