package io.weir.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The endpoints respond with very many rules and callers. */
@Tag("slow")
class ManyRulesAndCallersTest {
  private static final int RULES = 10_000;
  private static final int CALLERS = 1_000_000;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private static String rules() {
    return IntStream.range(0, RULES)
        .mapToObj(i -> "{ name: r" + i + ", match: { path: /" + i + " }, per: user,")
        .map(rule -> rule + " limit: { algorithm: fixed-window, rate: 1 per 24h } }")
        .collect(Collectors.joining(", ", "rules: [ ", " ]"));
  }

  private static JsonNode page(Admin admin, String path) throws Exception {
    String response = admin.send("GET " + path);
    assertThat(response).as(path).startsWith("HTTP/1.1 200 ");
    return MAPPER.readTree(Admin.body(response));
  }

  @Test
  void tenThousandRulesAndAMillionCallersAreShown() throws Exception {
    try (Admin admin = new Admin(rules())) {
      for (int i = 0; i < CALLERS; i++) {
        admin.decide(Map.of("user", "caller-" + i, "path", "/" + i % RULES));
        if (i % 5_000 == 0) { // so that all of them are seen
          admin.time.advance(Duration.ofMillis(100));
          admin.insights.ask(() -> 0).toCompletableFuture().join();
        }
      }
      JsonNode overview = page(admin, "/v1/overview?limit=1000");
      assertThat(overview.at("/rules/count").asInt()).isEqualTo(RULES);
      assertThat(overview.at("/rules/items")).hasSize(1000);
      assertThat(overview.at("/totals/allowed").asLong() + overview.at("/totals/denied").asLong())
          .isEqualTo(CALLERS);
      assertThat(overview.at("/watch/missed").asLong()).isZero();
      assertThat(overview.at("/watch/bytes").asLong()).isBetween(1L << 20, 64L << 20);
      assertThat(page(admin, "/v1/top?window=hour&kind=near&limit=1000").get("items"))
          .hasSize(1000);
      assertThat(page(admin, "/v1/top?window=hour&limit=1000").get("items")).isNotEmpty();
      assertThat(page(admin, "/v1/top?rule=r77&window=hour&kind=near").get("items")).isNotEmpty();
      assertThat(page(admin, "/v1/series?by=rule&range=24h&top=50").get("rules")).hasSize(51);
      assertThat(page(admin, "/v1/series?range=5m").get("allowed")).hasSize(300);
      JsonNode forecast = page(admin, "/v1/what-if?rule=r77&limit=5/24h");
      assertThat(forecast.at("/then/callers/total").isNumber()).as(forecast.toString()).isTrue();
      try (EventStreamClient eventStreamClient = new EventStreamClient(admin.port())) {
        assertThat(eventStreamClient.next("tick").at("/rules").size()).isLessThanOrEqualTo(50);
        admin.decide(Map.of("user", "another", "path", "/77"));
        admin.time.advance(Duration.ofSeconds(1));
        JsonNode tick = eventStreamClient.next("tick");
        while (tick.get("rules").isEmpty()) {
          tick = eventStreamClient.next("tick");
        }
        assertThat(tick.at("/rules/0/rule").asText()).startsWith("r");
      }
    }
  }
}
