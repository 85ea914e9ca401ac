package io.weir.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.weir.rig.Await;
import io.weir.rig.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A real Redis is killed and started again: every surface reports the same number of decisions. */
@Tag("slow")
class StoreOutageTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String RULES =
      """
      rules:
        - { name: all, limit: 1000000 per hour, on_failure: allow }
        - { name: login, match: { path: /login }, per: user, limit: 99 per hour, on_failure: deny }
        - { name: tried, match: { path: /tried }, mode: shadow, limit: 99 per hour, on_failure: deny }
        - { name: open, match: { path: /open }, limit: 99 per hour, on_failure: error }
      """;

  private final RedisLogCapture lines = new RedisLogCapture();
  private final RedisProcess redis = RedisProcess.start();
  private final Admin admin = new Admin(RULES, redis.url() + "?timeout=1s", Optional.empty());

  @AfterEach
  void close() {
    admin.close();
    redis.close();
    lines.close();
  }

  private JsonNode get(String path) throws Exception {
    return JSON.readTree(Admin.body(admin.send("GET " + path)));
  }

  private void awaitState(String state) {
    Await.holds(
        "the store is " + state,
        () -> get("/v1/overview").at("/store/state").asText().equals(state));
  }

  private void sendRequests(String path, int times) {
    for (int i = 0; i < times; i++) {
      admin.decide(Map.of("path", path, "user", "u" + i));
    }
  }

  /** Of {@code weir_fallback_total}. */
  private long metric() {
    return admin
        .send("GET /metrics")
        .lines()
        .filter(line -> line.startsWith("weir_fallback_total{"))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  private static List<String> names(JsonNode rules) {
    List<String> names = new ArrayList<>();
    rules.forEach(rule -> names.add(rule.get("rule").asText()));
    return names;
  }

  @Test
  void logMetricOverviewAndSeriesCountTheSameDecisions() throws Exception {
    awaitState("ok");
    Await.holds(
        "one call in 64 is timed",
        () -> {
          sendRequests("/x", 20);
          return !get("/v1/overview").at("/store/median_us").isNull();
        });
    redis.kill();
    awaitState("down");
    sendRequests("/x", 40); // 'all' allows
    sendRequests("/login", 30); // 'login' refuses; what 'all' allows is not charged
    sendRequests("/tried", 20); // 'all' allows, 'tried' would refuse
    sendRequests("/open", 10); // 'open' returns 503

    JsonNode down = get("/v1/overview").get("store");
    assertThat(down.at("/outage/to").isNull()).isTrue();
    assertThat(down.at("/outage/decisions").asLong()).isEqualTo(120);
    assertThat(down.at("/outage/allowed").asLong()).isEqualTo(60);
    assertThat(down.at("/outage/refused").asLong()).isEqualTo(30);
    assertThat(down.at("/outage/error").asLong()).isEqualTo(10);
    assertThat(down.at("/outage/would_refuse").asLong()).isEqualTo(20);
    assertThat(down.at("/minute/fallback").asLong()).isEqualTo(120);
    assertThat(down.at("/minute/errors").asLong()).isPositive();
    assertThat(names(down.get("rules"))).containsExactly("all", "login", "tried", "open");
    assertThat(down.at("/parts/0/state").asText()).isEqualTo("open");
    assertThat(down.at("/median_us").isNull()).as("no answers, none of before").isTrue();
    assertThat(down.at("/p99_us").isNull()).isTrue();
    assertThat(admin.send("GET /metrics")).contains("weir_store_seconds{quantile=\"0.5\"} NaN");
    assertThat(get("/v1/series").at("/outages/0/to").isNull()).isTrue();

    redis.startAgain();
    String last = lines.await("answers again");
    assertThat(last)
        .contains(
            ": 120 rule decisions without it: 60 allowed, 30 refused, 10 returned 503, 20 would be"
                + " refused; rules all 60, login 30, tried 20, open 10");
    assertThat(lines.all()).as("one as it begins, and one as it ends").hasSize(2);
    assertThat(metric()).isEqualTo(120);
    JsonNode page = get("/v1/overview");
    long total = 0;
    for (JsonNode each : page.at("/totals/fallback")) {
      total += each.asLong();
    }
    assertThat(total).isEqualTo(120);
    assertThat(page.at("/store/state").asText()).as("of the last minute").isEqualTo("degraded");
    assertThat(page.at("/store/outage/to").asLong()).isPositive();
    for (String range : List.of("5m", "1h", "24h")) {
      for (String what : List.of("", "&by=rule", "&rule=login")) {
        JsonNode outages = get("/v1/series?range=" + range + what).get("outages");
        assertThat(outages).hasSize(1);
        assertThat(outages.at("/0/decisions").asLong()).isEqualTo(120);
      }
    }

    admin.time.advance(Duration.ofSeconds(61));
    awaitState("ok");
  }

  /**
   * One late response is no outage: it degrades the state among few requests, not among thousands.
   */
  @Test
  void countsFewLateResponsesAmongMany() throws Exception {
    awaitState("ok");
    sendRequests("/x", 10);
    redis.suspend();
    sendRequests("/x", 1); // its deadline passes
    redis.resume();
    awaitState("degraded");
    JsonNode few = get("/v1/overview").get("store");
    assertThat(few.at("/outage").isNull()).isTrue();
    assertThat(few.at("/minute/fallback").asLong()).isEqualTo(1);
    assertThat(names(few.get("rules"))).containsExactly("all");
    sendRequests("/x", 5000);
    awaitState("ok");
    assertThat(get("/v1/overview").at("/store/minute/fallback").asLong()).isEqualTo(1);
  }
}
