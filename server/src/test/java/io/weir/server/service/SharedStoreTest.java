package io.weir.server.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.RedisProcess;
import io.weir.rig.SharedRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The service with a remote store: a real Redis, and one that is away. */
class SharedStoreTest {
  /** This is about decisions, not about a machine that is slow for a moment. */
  private static final String PATIENT = "?timeout=10s&connect_timeout=20s";

  @Test
  void aListIsDecidedInItsOrderThereToo() {
    RedisProcess redis = SharedRedis.empty();
    try (Service service =
        Service.builder("rules: [ { name: user, per: user, limit: 10 per hour } ]")
            .store(redis.url() + PATIENT)
            .start()) {
      String list =
          "["
              + "{\"attributes\":{\"user\":\"a\"}},{\"attributes\":{\"user\":\"b\"}},".repeat(100)
              + "{\"attributes\":{\"other\":\"1\"}}]";
      String body = service.post("/v1/check", list).body();

      String[] elements = body.substring(1, body.length() - 1).split("(?<=}),");
      assertThat(elements).hasSize(201);
      for (int i = 0; i < 200; i++) {
        assertThat(elements[i]).startsWith("{\"allowed\":" + (i < 20) + ",\"rule\":\"user\"");
        if (i < 20) {
          assertThat(elements[i]).contains("\"remaining\":" + (9 - i / 2) + ",");
        }
      }
      assertThat(elements[200]).contains("\"rule\":null");
      assertThat(service.get("/v1/check?user=c").body()).contains("\"origin\":\"store\"");
    }
  }

  @Test
  void reservationsWorkThereToo() {
    RedisProcess redis = SharedRedis.empty();
    String rules =
        "rules: [ { name: user, per: user,"
            + " limit: { algorithm: sliding-log, rate: 1000 per hour } } ]";
    try (Service one = Service.builder(rules).store(redis.url() + PATIENT).start();
        Service other = Service.builder(rules).store(redis.url() + PATIENT).start()) {
      String reserved =
          one.post("/v1/reserve", "{\"attributes\":{\"user\":\"r\"},\"cost\":600}").body();
      String id = reserved.replaceAll(".*\"reservation\":\"([^\"]*)\".*", "$1");
      String commit = "{\"reservation\":\"" + id + "\",\"cost\":100}";

      assertThat(other.post("/v1/commit", commit).body()).contains("another node made it");
      assertThat(one.post("/v1/commit", commit).status()).isEqualTo(200);
      assertThat(other.get("/v1/check?user=r&cost=900").body()).contains("\"remaining\":0,");
    }
  }

  @ParameterizedTest
  @CsvSource({"allow, 200", "deny, 429", "error, 503"})
  void respondsByOnFailureIfTheStoreIsDown(String onFailure, int status) {
    String rules = "rules: [ { name: r, limit: 10 per hour, on_failure: " + onFailure + " } ]";
    try (Service service = Service.builder(rules).store("redis://127.0.0.1:1").start()) {
      Service.Reply check = service.get("/v1/check");
      assertThat(check.status()).isEqualTo(status);
      assertThat(check.body())
          .startsWith("{\"allowed\":" + (status == 200))
          .contains("\"rule\":\"r\",\"limit\":null,\"remaining\":null,")
          .contains("\"origin\":\"failure\"");
      assertThat(check.body().contains("\"error\":\"limiter_unavailable\""))
          .isEqualTo(status != 200);
      assertThat(check.header("X-RateLimit-Limit")).isEmpty();
      assertThat(check.header("Retry-After")).isEqualTo(status == 200 ? "" : "1");

      String[] original = {"X-Forwarded-Uri", "/", "X-Forwarded-Method", "GET"};
      Service.Reply auth = service.get("/v1/auth?status=403", original);
      assertThat(auth.status()).isEqualTo(status == 429 ? 403 : status);
      assertThat(auth.body().contains("\"error\":\"limiter_unavailable\""))
          .isEqualTo(status != 200);

      Service.Reply list = service.post("/v1/check", "[{\"attributes\":{}}]");
      assertThat(list.status()).isEqualTo(200);
      assertThat(list.body()).startsWith("[{\"allowed\":" + (status == 200));
    }
  }
}
