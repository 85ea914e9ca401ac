package io.weir.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.weir.rig.Logged;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code /v1/top}, {@code /v1/callers}, {@code /v1/what-if}, and ids in {@code /v1/keys}. */
class CallerPagesTest {
  private static final String RULES =
      """
      rules:
        - { name: r, per: user, limit: { algorithm: fixed-window, rate: 2 per hour } }
        - { name: quiet, match: { path: /quiet }, limit: 9 per hour }
      """;
  private static final String HOSTILE = "<img src=x onerror=alert(1)>\u0000\n\u202e\ud800";
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String TOKEN = "X-Weir-Token: secret";

  private static void ask(Admin admin, String user, int times) {
    for (int i = 0; i < times; i++) {
      admin.decide(Map.of("user", user));
    }
  }

  private static JsonNode json(Admin admin, String line, String... headers) throws Exception {
    String answer = admin.ask(line, headers);
    assertThat(answer).startsWith("HTTP/1.1 200 ");
    return MAPPER.readTree(Admin.body(answer));
  }

  @Test
  void theMostThrottledAreToldWithoutTellingWho() throws Exception {
    try (Admin admin = new Admin(RULES)) {
      ask(admin, "alice-0001", 7);
      ask(admin, "bob", 3);
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
      assertThat(json(admin, "GET /v1/top?kind=near&window=hour").get("items")).hasSize(2);
    }
  }

  @Test
  void anIdLeadsToItsHistoryAndStateAndToAChange() throws Exception {
    try (Admin admin = new Admin(RULES)) {
      ask(admin, "alice-0001", 7);
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
          MAPPER.readTree(Admin.body(admin.ask("POST /v1/keys/grant?rule=r&permits=1&id=" + id)));
      assertThat(granted.get("buckets").get(0).get("remaining").asInt()).isEqualTo(1);
      JsonNode reset = MAPPER.readTree(Admin.body(admin.ask("DELETE /v1/keys?rule=r&id=" + id)));
      assertThat(reset.get("buckets").get(0).get("remaining").asInt()).isEqualTo(2);
      assertThat(json(admin, "GET /v1/keys?rule=r&user=alice-0001").get("buckets"))
          .isEqualTo(reset.get("buckets"));
    }
  }

  @Test
  void keysAreRevealedToATokenAlone() throws Exception {
    try (Admin open = new Admin(RULES)) {
      ask(open, "alice-0001", 3);
      assertThat(open.ask("GET /v1/top?reveal=true"))
          .startsWith("HTTP/1.1 403 ")
          .contains("admin_token");
      assertThat(open.ask("GET /v1/keys?rule=r&id=1&reveal=true")).startsWith("HTTP/1.1 403 ");
    }
    try (Admin guarded = new Admin(RULES, "memory", Optional.of("secret"));
        Logged log = new Logged("io.weir.audit")) {
      ask(guarded, "alice-0001", 3);
      assertThat(guarded.ask("GET /v1/top?reveal=true")).startsWith("HTTP/1.1 401 ");
      JsonNode item = json(guarded, "GET /v1/top?reveal=true", TOKEN).get("items").get(0);
      assertThat(item.get("key").asText()).isEqualTo("alice-0001");
      String id = item.get("id").asText();
      assertThat(log.lines())
          .hasSize(1)
          .allMatch(line -> line.startsWith("INFO reveal: 1 keys of all"));
      assertThat(
              json(guarded, "GET /v1/callers?rule=r&reveal=true&id=" + id, TOKEN)
                  .get("key")
                  .asText())
          .isEqualTo("alice-0001");
      assertThat(
              json(guarded, "GET /v1/keys?rule=r&reveal=true&id=" + id, TOKEN).get("key").asText())
          .isEqualTo("alice-0001");
      assertThat(log.lines()).hasSize(3).noneMatch(line -> line.contains("alice"));
      json(guarded, "GET /v1/top", TOKEN);
      assertThat(log.lines()).as("what is masked is no reveal").hasSize(3);
    }
  }

  @Test
  void hostileKeysAreData() throws Exception {
    try (Admin admin = new Admin(RULES, "memory", Optional.of("secret"))) {
      ask(admin, HOSTILE, 4);
      String answer = admin.ask("GET /v1/top?reveal=true", TOKEN);
      assertThat(answer).contains("Content-Type: application/json").contains("nosniff");
      assertThat(Admin.body(answer)).doesNotContain("\n").doesNotContain("\u0000");
      JsonNode item = MAPPER.readTree(Admin.body(answer)).get("items").get(0);
      assertThat(item.get("key").asText()).isEqualTo(HOSTILE);
      String id = item.get("id").asText();
      assertThat(
              json(admin, "GET /v1/callers?rule=r&id=" + id, TOKEN).get("asked").get(299).asInt())
          .isEqualTo(4);
      ask(admin, "k".repeat(7000), 4);
      JsonNode cut = json(admin, "GET /v1/top?limit=1000&reveal=true", TOKEN).get("items");
      assertThat(cut).hasSize(2);
      for (JsonNode each : cut) {
        if (each.get("key").asText().startsWith("kkk")) {
          assertThat(each.get("key").asText()).hasSizeLessThan(130).endsWith("…");
          String of = "rule=r&id=" + each.get("id").asText();
          assertThat(json(admin, "GET /v1/callers?" + of, TOKEN).get("state").isNull()).isTrue();
          assertThat(admin.ask("GET /v1/keys?" + of, TOKEN)).startsWith("HTTP/1.1 404 ");
        }
      }
    }
  }

  @Test
  void anotherLimitIsPlayed() throws Exception {
    try (Admin admin = new Admin(RULES)) {
      ask(admin, "alice-0001", 7);
      ask(admin, "bob-000002", 4);
      ask(admin, "carol-0003", 1);
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
  void mistakesAreTold(String query, int status, String message) {
    try (Admin admin = new Admin(RULES)) {
      assertThat(admin.ask("GET " + query))
          .startsWith("HTTP/1.1 " + status + " ")
          .contains(message);
    }
  }
}
