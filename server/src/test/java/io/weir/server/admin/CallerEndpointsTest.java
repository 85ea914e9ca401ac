package io.weir.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.weir.rig.Await;
import io.weir.rig.CapturedLog;
import io.weir.rules.envoy.Descriptor;
import io.weir.rules.envoy.DescriptorRequest;
import io.weir.rules.envoy.LimitOverride;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code /v1/top}, {@code /v1/callers}, {@code /v1/what-if}, and ids in {@code /v1/keys}. */
class CallerEndpointsTest {
  private static final String RULES =
      """
      rules:
        - { name: r, per: user, limit: { algorithm: fixed-window, rate: 2 per hour } }
        - { name: quiet, match: { path: /quiet }, limit: 9 per hour }
      """;
  private static final String HOSTILE = "<img src=x onerror=alert(1)>\u0000\n\u202e\ud800";
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String TOKEN = "X-Weir-Token: secret";

  private static void sendRequests(Admin admin, String user, int times) {
    for (int i = 0; i < times; i++) {
      admin.decide(Map.of("user", user));
    }
  }

  private static JsonNode json(Admin admin, String line, String... headers) throws Exception {
    String response = admin.send(line, headers);
    assertThat(response).startsWith("HTTP/1.1 200 ");
    return MAPPER.readTree(Admin.body(response));
  }

  @Test
  void listsTheMostRefusedWithoutTheirKeys() throws Exception {
    try (Admin admin = new Admin(RULES)) {
      sendRequests(admin, "alice-0001", 7);
      sendRequests(admin, "bob", 3);
      JsonNode top = json(admin, "GET /v1/top?rule=r");
      assertThat(top.get("items")).hasSize(2);
      JsonNode first = top.get("items").get(0);
      assertThat(first.get("key").asText()).isEqualTo("al…01");
      assertThat(first.get("count").asLong()).isEqualTo(5);
      assertThat(first.get("at_most").asLong()).isEqualTo(5);
      assertThat(first.get("last").asLong()).isEqualTo(1_790_000_000_000L);
      JsonNode second = top.get("items").get(1);
      assertThat(second.get("key").asText())
          .isEqualTo("…" + second.get("id").asText().substring(0, 4));
      assertThat(top.toString()).doesNotContain("alice").doesNotContain("bob");
      assertThat(json(admin, "GET /v1/top?kind=throttled&rule=r"))
          .as("as it was called before")
          .isEqualTo(top);
      sendRequests(admin, "near-0001", 2);
      assertThat(json(admin, "GET /v1/top?kind=near&window=hour").get("items"))
          .as("without those that are refused")
          .singleElement()
          .satisfies(each -> assertThat(each.get("key").asText()).isEqualTo("ne…01"));
      assertThat(json(admin, "GET /v1/top?kind=would_be_refused").get("items")).isEmpty();
    }
  }

  @Test
  void idSelectsHistoryStateAndChanges() throws Exception {
    try (Admin admin = new Admin(RULES)) {
      sendRequests(admin, "alice-0001", 7);
      String id = json(admin, "GET /v1/top").get("items").get(0).get("id").asText();
      JsonNode caller = json(admin, "GET /v1/callers?rule=r&range=5m&id=" + id);
      assertThat(caller.get("asked").get(299).asInt()).isEqualTo(7);
      assertThat(caller.get("refused").get(299).asInt()).isEqualTo(5);
      assertThat(caller.get("asked").get(0).isNull()).as("before it was recorded").isTrue();
      JsonNode state = caller.get("state");
      assertThat(state).isEqualTo(json(admin, "GET /v1/keys?rule=r&id=" + id));
      assertThat(state.get("key").asText()).isEqualTo("al…01");
      assertThat(state.get("buckets").get(0).get("remaining").asInt()).isZero();

      JsonNode granted =
          MAPPER.readTree(Admin.body(admin.send("POST /v1/keys/grant?rule=r&permits=1&id=" + id)));
      assertThat(granted.get("buckets").get(0).get("remaining").asInt()).isEqualTo(1);
      JsonNode reset = MAPPER.readTree(Admin.body(admin.send("DELETE /v1/keys?rule=r&id=" + id)));
      assertThat(reset.get("buckets").get(0).get("remaining").asInt()).isEqualTo(2);
      assertThat(json(admin, "GET /v1/keys?rule=r&user=alice-0001").get("buckets"))
          .isEqualTo(reset.get("buckets"));
    }
  }

  @Test
  void addressesAreShownAndKeysAreNot() throws Exception {
    String rules =
        """
        attributes:
          api_key: { header: X-API-Key }
          client: { first_of: [api_key, ip] }
        rules: [ { name: r, per: client, limit: 1 per hour } ]
        """;
    try (Admin admin = new Admin(rules);
        CapturedLog log = new CapturedLog("io.weir.audit")) {
      for (int i = 0; i < 3; i++) {
        admin.decide(Map.of("ip", "192.0.2.7"));
        admin.decide(Map.of("ip", "192.0.2.8", "api_key", "sk_live_abcdef"));
      }
      JsonNode top = json(admin, "GET /v1/top");
      assertThat(top.findValuesAsText("key")).containsExactlyInAnyOrder("192.0.2.7", "sk…ef");
      assertThat(top.toString()).doesNotContain("sk_live");
      json(admin, "DELETE /v1/keys?rule=r&ip=192.0.2.7");
      json(admin, "DELETE /v1/keys?rule=r&api_key=sk_live_abcdef");
      assertThat(log.lines().get(0)).contains("key 192.0.2.7, id ");
      assertThat(log.lines().get(1)).contains("key sk…ef, id ").doesNotContain("sk_live");
    }
  }

  @Test
  void listsWouldBeRefusedCallersSeparately() throws Exception {
    String rules = RULES + "  - { name: s, per: user, mode: shadow, limit: 1 per hour }\n";
    try (Admin admin = new Admin(rules)) {
      sendRequests(admin, "alice-0001", 2);
      assertThat(json(admin, "GET /v1/top").get("items")).isEmpty();
      JsonNode would = json(admin, "GET /v1/top?kind=would_be_refused").get("items");
      assertThat(would.findValuesAsText("rule")).containsExactly("s");
      String id = would.get(0).get("id").asText();
      assertThat(json(admin, "GET /v1/callers?rule=s&id=" + id).get("mode").asText())
          .isEqualTo("shadow");
    }
  }

  private static final String TIERS =
      """
      attributes: { tier: { lookup: user, map: { big-one-1: pro }, default: free } }
      rules:
        - name: r
          per: user
          limit: 2 per hour
          overrides:
            - { name: pro, match: { tier: pro }, limit: { algorithm: sliding-log, rate: 5 per hour } }
      """;

  @Test
  void anotherLimitIsPlayedOnTheDemandOfOneOverride() throws Exception {
    try (Admin admin = new Admin(TIERS)) {
      sendRequests(admin, "big-one-1", 9);
      sendRequests(admin, "small-one", 3);
      JsonNode own = json(admin, "GET /v1/what-if?rule=r&limit=1%20per%20hour");
      assertThat(own.get("override").isNull()).isTrue();
      assertThat(own.at("/now/requests").toString()).isEqualTo("{\"total\":3,\"refused\":1}");
      assertThat(own.at("/then/requests/refused").asInt()).isEqualTo(2);
      JsonNode pro = json(admin, "GET /v1/what-if?rule=r&override=pro&limit=7%20per%20hour");
      assertThat(pro.at("/now/limit").asText()).isEqualTo("sliding-log 5 per hour");
      assertThat(pro.at("/now/requests").toString()).isEqualTo("{\"total\":9,\"refused\":4}");
      assertThat(pro.at("/then/requests/refused").asInt()).isEqualTo(2);
      assertThat(pro.at("/then/callers/total").asInt()).isEqualTo(1);
      assertThat(pro.get("snippet").asText())
          .isEqualTo(
              "# rule 'r', override 'pro', rules.yaml:7: replace its limit by\n"
                  + "limit: { algorithm: sliding-log, rate: 7 per hour }\n");
      assertThat(admin.send("GET /v1/what-if?rule=r&override=por&limit=7/hour"))
          .startsWith("HTTP/1.1 400 ")
          .contains("rule 'r' has no override 'por'; did you mean 'pro'?");
    }
  }

  @Test
  void aCallerIsShownWithTheLimitsThatHoldForIt() throws Exception {
    try (Admin admin = new Admin(TIERS)) {
      sendRequests(admin, "big-one-1", 6);
      JsonNode item = json(admin, "GET /v1/top").get("items").get(0);
      assertThat(item.get("override").asText()).isEqualTo("pro");
      String of = "rule=r&id=" + item.get("id").asText();
      JsonNode state = json(admin, "GET /v1/callers?" + of).get("state");
      assertThat(state.get("known").asBoolean()).isTrue();
      assertThat(state.get("buckets")).hasSize(1);
      assertThat(state.at("/buckets/0/override").asText()).isEqualTo("pro");
      assertThat(state.at("/buckets/0/limits/0/full_after_ms").asLong()).isEqualTo(3_600_000);
      JsonNode item2 = json(admin, "GET /v1/overview").at("/rules/items/0");
      assertThat(item2.get("overrides").toString())
          .isEqualTo("[{\"name\":\"pro\",\"limits\":[\"sliding-log 5 per hour\"]}]");
      JsonNode none = json(admin, "GET /v1/overview?overrides=0").at("/rules/items/0");
      assertThat(none.get("overrides")).isEmpty();
      assertThat(none.get("more_overrides").asInt()).isEqualTo(1);
    }
  }

  @Test
  void revealsKeysAndLogsIt() throws Exception {
    try (Admin open = new Admin(RULES);
        CapturedLog log = new CapturedLog("io.weir.audit")) {
      sendRequests(open, "alice-0001", 3);
      JsonNode item = json(open, "GET /v1/top?reveal=true").get("items").get(0);
      assertThat(item.get("key").asText())
          .as("without a token, on loopback")
          .isEqualTo("alice-0001");
      assertThat(log.lines()).singleElement().asString().startsWith("INFO reveal: 1 key");
    }
    try (Admin guarded = new Admin(RULES, "memory", Optional.of("secret"));
        CapturedLog log = new CapturedLog("io.weir.audit")) {
      sendRequests(guarded, "alice-0001", 3);
      assertThat(guarded.send("GET /v1/top?reveal=true")).startsWith("HTTP/1.1 401 ");
      JsonNode item = json(guarded, "GET /v1/top?reveal=true", TOKEN).get("items").get(0);
      assertThat(item.get("key").asText()).isEqualTo("alice-0001");
      String id = item.get("id").asText();
      String logged = "INFO reveal: 1 key of all rules: al…01 (" + id + "), to 127.0.0.1";
      assertThat(log.lines()).containsExactly(logged);
      assertThat(
              json(guarded, "GET /v1/callers?rule=r&reveal=true&id=" + id, TOKEN)
                  .get("key")
                  .asText())
          .isEqualTo("alice-0001");
      assertThat(
              json(guarded, "GET /v1/keys?rule=r&reveal=true&id=" + id, TOKEN).get("key").asText())
          .isEqualTo("alice-0001");
      json(guarded, "GET /v1/top", TOKEN);
      assertThat(log.lines()).as("again, in the same minute").containsExactly(logged);
      sendRequests(guarded, "barbara-02", 3);
      json(guarded, "GET /v1/top?reveal=true", TOKEN);
      assertThat(log.lines()).hasSize(2);
      assertThat(log.lines().get(1)).startsWith("INFO reveal: 1 key of all rules: ba…02 (");

      guarded.time.advance(Duration.ofSeconds(60));
      Await.holds("it is sent", () -> log.lines().size() == 3);
      assertThat(log.lines().get(2)) // what is masked is no reveal
          .isEqualTo("INFO reveal: the same keys 2 times more within 60 s, to 127.0.0.1");
      json(guarded, "GET /v1/callers?rule=r&reveal=true&id=" + id, TOKEN);
      assertThat(log.lines())
          .hasSize(4)
          .contains("INFO reveal: 1 key of rule r: al…01 (" + id + "), to 127.0.0.1")
          .noneMatch(line -> line.contains("alice") || line.contains("barbara"));
      json(guarded, "GET /v1/callers?rule=r&reveal=true&id=" + id, TOKEN);
      guarded.api.close();
      assertThat(log.lines()).as("nothing is lost at the end").hasSize(5);
    }
  }

  /** However the caller was named. */
  @Test
  void theAuditLogNamesCallersAsRankingsDo() throws Exception {
    try (Admin admin = new Admin(RULES);
        CapturedLog log = new CapturedLog("io.weir.audit")) {
      sendRequests(admin, "alice-\n-0001", 3);
      String id = json(admin, "GET /v1/top").get("items").get(0).get("id").asText();
      json(admin, "DELETE /v1/keys?rule=r&user=alice-%0A-0001");
      json(admin, "POST /v1/keys/grant?rule=r&permits=2&id=" + id);
      String details = ": rule r, domain default, key al…01, id " + id + ", by 127.0.0.1:";
      assertThat(log.lines()).hasSize(2);
      assertThat(log.lines().get(0)).startsWith("INFO reset" + details);
      assertThat(log.lines().get(1)).startsWith("INFO grant of 2" + details);
    }
  }

  @Test
  void hostileKeysAreData() throws Exception {
    try (Admin admin = new Admin(RULES, "memory", Optional.of("secret"))) {
      sendRequests(admin, HOSTILE, 4);
      String response = admin.send("GET /v1/top?reveal=true", TOKEN);
      assertThat(response).contains("Content-Type: application/json").contains("nosniff");
      assertThat(Admin.body(response)).doesNotContain("\n").doesNotContain("\u0000");
      JsonNode item = MAPPER.readTree(Admin.body(response)).get("items").get(0);
      assertThat(item.get("key").asText()).isEqualTo(HOSTILE);
      String id = item.get("id").asText();
      assertThat(
              json(admin, "GET /v1/callers?rule=r&id=" + id, TOKEN).get("asked").get(299).asInt())
          .isEqualTo(4);
      sendRequests(admin, "k".repeat(7000), 4);
      JsonNode cut = json(admin, "GET /v1/top?limit=1000&reveal=true", TOKEN).get("items");
      assertThat(cut).hasSize(2);
      for (JsonNode each : cut) {
        if (each.get("key").asText().startsWith("kkk")) {
          assertThat(each.get("key").asText()).hasSizeLessThan(130).endsWith("…");
          String of = "rule=r&id=" + each.get("id").asText();
          assertThat(json(admin, "GET /v1/callers?" + of, TOKEN).get("state").isNull()).isTrue();
          assertThat(admin.send("GET /v1/keys?" + of, TOKEN)).startsWith("HTTP/1.1 404 ");
        }
      }
    }
  }

  @Test
  void anotherLimitIsPlayed() throws Exception {
    try (Admin admin = new Admin(RULES)) {
      sendRequests(admin, "alice-0001", 7);
      sendRequests(admin, "bob-000002", 4);
      sendRequests(admin, "carol-0003", 1);
      JsonNode page = json(admin, "GET /v1/what-if?rule=r&limit=5%20per%20hour");
      assertThat(page.get("now").toString())
          .isEqualTo(
              "{\"limit\":\"fixed-window 2 per hour\",\"value\":2,\"callers\":{\"total\":3,\"refused\":2},"
                  + "\"requests\":{\"total\":12,\"refused\":7}}");
      assertThat(page.get("then").toString())
          .isEqualTo(
              "{\"limit\":\"fixed-window 5 per hour\",\"value\":5,"
                  + "\"callers\":{\"total\":3,\"refused\":1,\"low\":1,\"high\":1},"
                  + "\"requests\":{\"total\":12,\"refused\":2,\"low\":2,\"high\":2}}");
      assertThat(page.get("recorded").get("share_of_demand").asDouble()).isEqualTo(1);
      assertThat(page.get("snippet").asText())
          .isEqualTo(
              "# rule 'r', rules.yaml:2: replace its limit by\n"
                  + "limit: { algorithm: fixed-window, rate: 5 per hour }\n");
      assertThat(page.get("range").asText()).isEqualTo("1h");
      JsonNode quiet = json(admin, "GET /v1/what-if?rule=quiet&limit=5/hour&range=24h");
      assertThat(quiet.get("then").get("requests").get("total").asInt()).isZero();
      assertThat(quiet.get("error").asText()).contains("nothing was asked");
    }
  }

  /** Runs on the aggregation thread, which therefore has to miss some decisions. */
  private static void rush(Admin admin) {
    admin
        .insights
        .ask(
            () -> {
              sendRequests(admin, "alice-0001", 10_000);
              return 0;
            })
        .toCompletableFuture()
        .join();
  }

  /** If decisions were sampled, each affected number reports it. */
  @Test
  void reportsSamplingBesideNumbers() throws Exception {
    try (Admin admin = new Admin(RULES)) {
      sendRequests(admin, "bob-000002", 3);
      String id = json(admin, "GET /v1/top").get("items").get(0).get("id").asText();
      String caller = "GET /v1/callers?rule=r&id=" + id;
      String whatIf = "GET /v1/what-if?rule=r&limit=5/hour&range=1h";
      for (String line : List.of("GET /v1/top", caller, whatIf)) {
        assertThat(json(admin, line).get("sampling").asInt()).as(line).isEqualTo(1);
        assertThat(json(admin, line).get("error").asText()).as(line).doesNotContain("one decision");
      }
      assertThat(keysOf(admin).get("sampling").asInt()).isEqualTo(1);

      rush(admin);
      for (String line : List.of("GET /v1/top", caller, whatIf)) {
        assertThat(json(admin, line).get("sampling").asInt()).as(line).isEqualTo(2);
        assertThat(json(admin, line).get("error").asText())
            .as(line)
            .contains("one decision in 2 was looked at");
      }
      assertThat(keysOf(admin).get("sampling").asInt()).isEqualTo(2);

      for (int i = 0; i < 3; i++) { // then everything is looked at again
        admin.time.advance(Duration.ofSeconds(1));
        json(admin, "GET /v1/top");
      }
      admin.time.advance(Duration.ofMinutes(10));
      assertThat(json(admin, "GET /v1/top?window=minute").get("sampling").asInt()).isEqualTo(1);
      assertThat(json(admin, "GET /v1/top?window=hour").get("sampling").asInt()).isEqualTo(2);
      assertThat(json(admin, caller + "&range=5m").get("sampling").asInt()).isEqualTo(1);
      assertThat(json(admin, whatIf.replace("1h", "5m")).get("sampling").asInt()).isEqualTo(1);
      assertThat(json(admin, whatIf).get("sampling").asInt()).isEqualTo(2);
      assertThat(keysOf(admin).get("sampling").asInt()).isEqualTo(2);
    }
  }

  private static JsonNode keysOf(Admin admin) throws Exception {
    return json(admin, "GET /v1/overview?q=r&sort=name").at("/rules/items/0/keys");
  }

  private static final String SHARED =
      """
      domain: shop
      descriptors:
        - { key: user, rate_limit: { name: twin, unit: hour, requests_per_unit: 1 } }
        - { key: card, rate_limit: { name: twin, unit: hour, requests_per_unit: 2 } }
        - { key: till, rate_limit: { name: single, unit: hour, requests_per_unit: 2 } }
      """;

  private static void sendRequests(Admin admin, Descriptor descriptor) {
    admin
        .decisionEngine
        .decide(new DescriptorRequest("shop", List.of(descriptor), 1))
        .toCompletableFuture()
        .join();
  }

  /** Several limits under one name, and limits that are in no file. */
  @Test
  void reportsLimitsThatAreCountedTogether() throws Exception {
    try (Admin admin = new Admin(SHARED)) {
      Descriptor own = Descriptor.of("user", "alice-0001").limitedTo(new LimitOverride(1, "hour"));
      for (int i = 0; i < 4; i++) {
        sendRequests(admin, Descriptor.of("user", "alice-0001"));
        sendRequests(admin, Descriptor.of("card", "4000-0000"));
        sendRequests(admin, own);
      }
      assertThat(json(admin, "GET /v1/top?rule=twin").get("items")).hasSize(2);
      for (String label : List.of("twin", "shop%20(overrides)")) {
        JsonNode top = json(admin, "GET /v1/top?rule=" + label);
        JsonNode overview = json(admin, "GET /v1/overview?rule=" + label);
        assertThat(overview.at("/rules/items")).hasSize(1);
        assertThat(json(admin, "GET /v1/series?rule=" + label).get("denied")).hasSize(300);
        String id = "&id=" + top.get("items").get(0).get("id").asText();
        JsonNode caller = json(admin, "GET /v1/callers?rule=" + label + id);
        assertThat(caller.get("state").isNull()).isTrue();
        assertThat(caller.get("no_state").asText()).contains("several limits");
        String words =
            label.equals("twin") ? "2 limits share the name" : "limits sent with requests";
        for (String line :
            List.of(
                "GET /v1/keys?rule=" + label + id,
                "DELETE /v1/keys?rule=" + label + id,
                "POST /v1/keys/grant?permits=1&rule=" + label + id,
                "GET /v1/what-if?limit=5/hour&rule=" + label)) {
          assertThat(admin.send(line)).as(line).startsWith("HTTP/1.1 400 ").contains(words);
        }
      }
      assertThat(admin.send("GET /v1/keys?rule=twin&user=alice-0001"))
          .startsWith("HTTP/1.1 400 ")
          .contains("rules.yaml:3, rules.yaml:4");
      json(admin, "GET /v1/what-if?limit=5/hour&rule=single");
      assertThat(whatIfResults(admin))
          .containsExactly(
              "shop (overrides) 0 these limits are sent with requests: there is no configured limit to"
                  + " change",
              "single 1 null",
              "twin 2 2 limits share this name, and are counted as one");
    }
  }

  private static List<String> whatIfResults(Admin admin) throws Exception {
    List<String> results = new ArrayList<>();
    for (JsonNode rule : json(admin, "GET /v1/overview?sort=name").at("/rules/items")) {
      results.add(
          rule.get("rule").asText()
              + " "
              + rule.get("sharing").asInt()
              + " "
              + rule.get("no_what_if").asText());
    }
    return results;
  }

  @Test
  void aRuleThatIsOffIsNotTried() throws Exception {
    try (Admin admin = new Admin("rules: [ { name: r, mode: 'off', limit: 5 per hour } ]")) {
      assertThat(admin.send("GET /v1/what-if?rule=r&limit=5/hour"))
          .startsWith("HTTP/1.1 400 ")
          .contains("rule 'r': it is off");
      assertThat(whatIfResults(admin)).containsExactly("r 1 " + WhatIfEndpoint.OFF);
      assertThat(json(admin, "GET /v1/top?rule=r").get("items")).isEmpty();
    }
  }

  @Test
  void keysOfSeveralValuesAreMaskedOneByOne() throws Exception {
    try (Admin admin = new Admin("rules: [ { name: r, per: [user, path], limit: 1 per hour } ]")) {
      for (int i = 0; i < 3; i++) {
        admin.decide(Map.of("user", "alice-0001", "path", "/orders/42"));
      }
      assertThat(json(admin, "GET /v1/top").at("/items/0/key").asText())
          .isEqualTo("al…01|/orders/42");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          /v1/top?window=day                        | 400 | 'window' must be one of minute, hour
          /v1/top?kind=far                          | 400 | 'kind' must be one of
          /v1/top?limit=0                           | 400 | 'limit' must be from 1 to 1000
          /v1/top?limit=x                           | 400 | 'limit' must be a whole number
          /v1/top?rule=no                           | 400 | there is no rule 'no'
          /v1/top?reveal=yes                        | 400 | 'reveal' must be true or false
          /v1/top?rul=r                             | 400 | did you mean 'rule'
          /v1/callers?rule=r                        | 400 | 'id' is missing
          /v1/callers?id=1                          | 400 | 'rule' is missing
          /v1/callers?rule=r&id=1&range=7d          | 400 | 'range' must be one of
          /v1/callers?rule=r&id=1                   | 404 | unknown_caller
          /v1/keys?rule=r&id=1                      | 404 | unknown_caller
          /v1/keys?rule=rr&id=1                     | 400 | there is no rule
          /v1/what-if?rule=r                        | 400 | 'limit' is missing
          /v1/what-if?rule=r&limit=5                | 400 | 'limit' must be
          /v1/what-if?rule=r&limit=5/hour&burst=3   | 400 | burst
          /v1/what-if?rule=r&limit=5/hour&burst=-3  | 400 | 'burst' must be
          /v1/what-if?rule=r&limit=5/hour&range=1   | 400 | 'range' must be one of
          """)
  void reportsMistakes(String query, int status, String message) {
    try (Admin admin = new Admin(RULES)) {
      assertThat(admin.send("GET " + query))
          .startsWith("HTTP/1.1 " + status + " ")
          .contains(message);
    }
  }
}
