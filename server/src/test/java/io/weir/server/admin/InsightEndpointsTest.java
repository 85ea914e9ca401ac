package io.weir.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.weir.decision.RuleChange;
import io.weir.rig.Await;
import io.weir.rig.SharedRedis;
import io.weir.rules.Problem;
import io.weir.rules.RuleSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The reported past equals what happened. */
class InsightEndpointsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String RULES =
      """
      rules:
        - { name: user, match: { path: /u }, per: user, limit: 2 per hour }
        - { name: tried, match: { path: /t }, mode: shadow, limit: 1 per hour }
        - { name: idle, match: { path: /i }, limit: 1 per hour, on_failure: deny }
        - { name: gone, match: { path: /g }, limit: 1 per hour, mode: off }
      """;

  private final Admin admin = new Admin(RULES);

  @AfterEach
  void close() {
    admin.close();
  }

  private JsonNode get(String path) throws Exception {
    String response = admin.send("GET " + path);
    assertThat(response).startsWith("HTTP/1.1 200 ").contains("nosniff", "no-store");
    return JSON.readTree(Admin.body(response));
  }

  private void sendRequests(String path, int times) {
    for (int i = 0; i < times; i++) {
      admin.decide(Map.of("path", path, "user", "42"));
    }
  }

  private static List<String> names(JsonNode overview) {
    List<String> names = new ArrayList<>();
    overview.at("/rules/items").forEach(item -> names.add(item.get("rule").asText()));
    return names;
  }

  @Test
  void overviewCountsRequests() throws Exception {
    sendRequests("/u", 7);
    sendRequests("/t", 3);
    sendRequests("/other", 4);
    JsonNode page = get("/v1/overview");

    assertThat(page.get("time").asLong()).isEqualTo(1_790_000_000_000L);
    assertThat(page.at("/node/started").asLong()).isEqualTo(1_790_000_000_000L);
    assertThat(page.at("/node/store").asText()).isEqualTo("memory");
    assertThat(page.at("/store/state").asText()).isEqualTo("ok");
    String totals =
        "{\"requests\":14,\"allowed\":5,\"denied\":5,\"delayed\":0,\"unmatched\":4,"
            + "\"error\":0,\"shadow_denied\":2,\"near_limit\":2,\"fallback\":";
    assertThat(page.get("totals").toString())
        .isEqualTo(totals + "{\"allow\":0,\"deny\":0,\"local\":0,\"error\":0}}");
    assertThat(page.get("minute").toString()).isEqualTo(totals + "0}");
    assertThat(page.at("/rules/count").asInt()).isEqualTo(4);
    assertThat(names(page)).containsExactly("user", "tried", "gone", "idle");
    JsonNode user = page.at("/rules/items/0");
    assertThat(user.get("totals").toString())
        .isEqualTo(
            "{\"allowed\":2,\"denied\":5,\"shadow_denied\":0,\"delayed\":0,\"near_limit\":1,"
                + "\"fallback\":0}");
    assertThat(user.get("minute")).isEqualTo(user.get("totals"));
    assertThat(user.get("refused_share").asDouble()).isEqualTo(0.7143);
    assertThat(user.get("per").toString()).isEqualTo("[\"user\"]");
    assertThat(user.get("place").asText()).isEqualTo("rules.yaml:2");
    assertThat(user.at("/keys/live").asLong()).isEqualTo(1);
    assertThat(page.at("/rules/items/2/mode").asText()).isEqualTo("off");
    assertThat(page.at("/rules/items/3/on_failure").asText()).isEqualTo("deny");

    admin.time.advance(Duration.ofSeconds(61));
    JsonNode later = get("/v1/overview");
    assertThat(later.at("/minute/denied").asLong()).isZero();
    assertThat(later.at("/totals/denied").asLong()).isEqualTo(5);
    assertThat(later.at("/rules/items/0/minute/denied").asLong()).isZero();
    assertThat(later.at("/rules/items/0/totals/denied").asLong()).isEqualTo(5);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ?sort=name                | gone,idle,tried,user
          ?sort=allowed             | user,tried,gone,idle
          ?sort=refused_share       | user,tried,gone,idle
          ?sort=name&limit=2        | gone,idle
          ?sort=name&offset=3       | user
          ?sort=name&offset=30      | ''
          ?q=E&sort=name            | gone,idle,tried,user
          ?q=di&sort=name&limit=0   | ''
          ?q=nobody                 | ''
          ?rule=idle                | idle
          ?rule=gone                | gone
          ?rule=idle&q=user         | ''
          """)
  void rulesAreSortedFoundAndPaged(String query, String rules) throws Exception {
    sendRequests("/u", 3 * 2);
    sendRequests("/t", 2);
    assertThat(String.join(",", names(get("/v1/overview" + query)))).isEqualTo(rules);
  }

  @Test
  void flagsShowAnomalies() throws Exception {
    for (int i = 0; i < 100; i++) {
      admin.decide(Map.of("path", "/u", "user", "u" + i)); // two keys are kept, the rest overflows
    }
    admin.time.advance(Duration.ofHours(1));
    sendRequests("/u", 1);
    JsonNode page = get("/v1/overview?sort=name");
    assertThat(page.at("/rules/items/1/flags").toString()).isEqualTo("[\"never_matches\"]");
    assertThat(page.at("/rules/items/0/flags").toString()).as("it is off").isEqualTo("[]");

    admin.time.advance(Duration.ofSeconds(5)); // so often it is looked for
    Await.holds(
        "it is seen",
        () ->
            get("/v1/overview?sort=name")
                .at("/rules/items/3/flags")
                .toString()
                .contains("overflo"));
  }

  @Test
  void reportsRuleThatRefusesNothingInADay() throws Exception {
    admin.feed.replace(Admin.rules("rules: [ { name: wide, per: user, limit: 1000 per second } ]"));
    sendRequests("/", 99);
    assertThat(get("/v1/overview").at("/rules/items/0/flags").toString()).isEqualTo("[]");
    sendRequests("/", 1);
    admin.time.advance(Duration.ofHours(23));
    sendRequests("/", 1);
    assertThat(get("/v1/overview").at("/rules/items/0/flags").toString())
        .as("not before a day is over")
        .isEqualTo("[]");
    admin.time.advance(Duration.ofHours(1));
    sendRequests("/", 1);
    assertThat(get("/v1/overview").at("/rules/items/0/flags").toString())
        .isEqualTo("[\"never_refuses\"]");
  }

  @Test
  void nodesThatShareAStoreAreCounted() throws Exception {
    assertThat(get("/v1/overview").at("/store/nodes").asInt()).isEqualTo(1);
    String store = SharedRedis.empty().url();
    try (Admin one = new Admin(RULES, store, Optional.empty());
        Admin two = new Admin(RULES, store, Optional.empty())) {
      for (Admin each : List.of(one, two)) {
        Await.holds(
            "both are seen",
            () ->
                JSON.readTree(Admin.body(each.send("GET /v1/overview"))).at("/store/nodes").asInt()
                    == 2);
      }
    }
  }

  @Test
  void aRuleThatIsOffHasAnEmptySeries() throws Exception {
    assertThat(get("/v1/series?rule=gone").get("allowed")).hasSize(300).allMatch(JsonNode::isNull);
  }

  @Test
  void aSeriesIsWhatHappenedEachSecond() throws Exception {
    sendRequests("/u", 3);
    get("/v1/series");
    admin.time.advance(Duration.ofSeconds(2));
    sendRequests("/t", 2);
    JsonNode all = get("/v1/series?range=5m");
    assertThat(all.get("range").asText()).isEqualTo("5m");
    assertThat(all.get("step_ms").asLong()).isEqualTo(1000);
    assertThat(all.get("end").asLong()).isEqualTo(1_790_000_003_000L);
    assertThat(all.get("start").asLong()).isEqualTo(1_789_999_703_000L);
    assertThat(all.get("allowed")).hasSize(300);
    assertThat(all.get("allowed").get(296).isNull()).as("before it began").isTrue();
    assertThat(all.get("allowed").get(297).asLong()).isEqualTo(2);
    assertThat(all.get("denied").get(297).asLong()).isEqualTo(1);
    assertThat(all.get("denied").get(299).asLong()).isZero();
    assertThat(
            all.get("shadow_denied").get(298).asLong() + all.get("shadow_denied").get(299).asLong())
        .isEqualTo(1);

    JsonNode one = get("/v1/series?range=1h&rule=tried");
    assertThat(one.get("step_ms").asLong()).isEqualTo(10_000);
    assertThat(one.get("allowed").get(359).asLong()).isEqualTo(1);
    assertThat(one.get("denied").get(359).asLong()).isZero();

    JsonNode each = get("/v1/series?range=24h&by=rule&top=1").get("rules");
    assertThat(each).hasSize(2);
    assertThat(each.get(0).get("rule").asText()).isEqualTo("user");
    assertThat(each.get(0).get("allowed").get(287).asLong()).isEqualTo(2);
    assertThat(each.get(1).get("rule").isNull()).isTrue();
    assertThat(each.get(1).get("allowed").get(287).asLong()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          /v1/overview?sort=none        | 'sort' must be one of denied, allowed, name, refused_share
          /v1/overview?limit=1001       | 'limit' must be from 0 to 1000
          /v1/overview?limit=-1         | 'limit' must not be negative
          /v1/overview?offset=x         | 'offset' must be a whole number
          /v1/overview?rule=usr         | there is no rule 'usr'; did you mean 'user'?
          /v1/overview?limt=1           | there is no parameter 'limt'; did you mean 'limit'?
          /v1/overview?q=%ff            | not UTF-8
          /v1/series?range=2h           | 'range' must be one of 5m, 1h, 24h
          /v1/series?rule=usr           | there is no rule 'usr'; did you mean 'user'?
          /v1/series?by=key             | 'by' must be one of rule
          /v1/series?by=rule&rule=user  | either 'rule' or 'by', not both
          /v1/series?by=rule&top=0      | 'top' must be from 1 to 50
          /v1/series?top=3              | 'top' is for by=rule
          /v1/events?x=1                | there is no parameter 'x'
          """)
  void reportsWhatIsWrong(String path, String message) {
    assertThat(admin.send("GET " + path)).startsWith("HTTP/1.1 400 ").contains(message);
  }

  @Test
  void listsChangesNewestFirst() throws Exception {
    RuleSet before = admin.decisionEngine.rules();
    RuleSet after = Admin.rules(RULES.replace("2 per hour", "3 per hour").replace("idle", "lazy"));
    admin.activityHistory.changes().reloaded(RuleChange.between(before, after));
    admin.time.advance(Duration.ofSeconds(1));
    admin
        .activityHistory
        .changes()
        .rejected(
            List.of(Problem.error(after.rules().get(0).sourceLocation(), "a \"wrong\" thing")));
    JsonNode items = get("/v1/changes").get("items");
    assertThat(items).hasSize(3);
    assertThat(items.get(0).get("result").asText()).isEqualTo("rejected");
    assertThat(items.get(0).get("time").asLong()).isEqualTo(1_790_000_001_000L);
    assertThat(items.get(0).get("problems").get(0).asText())
        .isEqualTo("rules.yaml:2:13: a \"wrong\" thing");
    assertThat(items.get(1).get("summary").asText())
        .isEqualTo("4 rules; added 'lazy'; changed 'user'; removed 'idle'");
    assertThat(items.get(1).get("added").toString()).isEqualTo("[\"lazy\"]");
    assertThat(items.get(1).get("changed").get(0).get("before").asText()).contains("2 per 1h");
    assertThat(items.get(1).get("changed").get(0).get("after").asText()).contains("3 per 1h");
    assertThat(items.get(2).get("result").asText()).isEqualTo("started");
    assertThat(items.get(2).get("summary").asText()).isEqualTo("started with 4 rules");
  }

  /** As many as in {@code /metrics} and the log, whatever they share and callers bring along. */
  @Test
  void modesBelongToRulesNotToNames() throws Exception {
    admin.feed.replace(
        Admin.rules(
            """
            domain: shop
            descriptors:
              - { key: a, rate_limit: { name: both, unit: hour, requests_per_unit: 1 } }
              - { key: b, rate_limit: { name: both, unit: hour, requests_per_unit: 2 } }
              - { key: d, rate_limit: { name: both, unit: hour, requests_per_unit: 4 } }
              - { key: c, shadow_mode: true, rate_limit: { unit: hour, requests_per_unit: 3 } }
            """));
    JsonNode page = get("/v1/overview");
    assertThat(names(page)).containsExactly("both", "shop (overrides)", "shop.c");
    assertThat(page.at("/rules/count").asInt()).isEqualTo(3);
    assertThat(page.at("/rules/modes").toString())
        .isEqualTo("{\"enforce\":3,\"shadow\":1,\"off\":0}");
    assertThat(Admin.body(admin.send("GET /metrics")))
        .contains("weir_rules{mode=\"enforce\"} 3.0\n", "weir_rules{mode=\"shadow\"} 1.0\n");
  }

  @Test
  void tenThousandRulesArePaged() throws Exception {
    admin.feed.replace(
        Admin.rules(
            "rules:\n"
                + IntStream.range(0, 10_000)
                    .mapToObj(
                        i ->
                            "  - { name: r%05d, match: { path: /%d }, limit: 1 per hour }"
                                .formatted(i, i))
                    .collect(Collectors.joining("\n"))));
    sendRequests("/77", 3);
    sendRequests("/78", 2);
    JsonNode page = get("/v1/overview?limit=2");
    assertThat(page.at("/rules/count").asInt()).isEqualTo(10_000);
    assertThat(page.at("/rules/modes").toString())
        .isEqualTo("{\"enforce\":10000,\"shadow\":0,\"off\":0}");
    assertThat(names(page)).containsExactly("r00077", "r00078");
    assertThat(names(get("/v1/overview?q=r0999&sort=name"))).hasSize(10).contains("r09990");
    assertThat(get("/v1/series?by=rule&range=1h").get("rules")).hasSize(3);
  }
}
