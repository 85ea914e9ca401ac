package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.cli.node.JsonValue;
import io.weir.decision.RuleSource;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server shows of its traffic is what {@code simulate} says of the same traffic. */
@Tag("slow")
class SimulateMatchesServerTest {
  private static final long START = 1_790_000_000_000L;
  private static final int REQUESTS = 300;

  /** Several rules for one request, an override, one that delays, and shadow rules. */
  private static final String RULES =
      """
      rules:
        - name: client
          per: user
          limit: 12 per minute
          overrides:
            - { match: { user: ann }, limit: 30 per minute }
        - { name: total, limit: { algorithm: sliding-log, rate: 90 per minute } }
        - { name: wide, limit: 100000 per minute }
        - { name: tried, per: user, mode: shadow, limit: 6 per minute }
        - { name: also, mode: shadow, limit: 60 per minute }
        - name: export
          match: { path: /export }
          per: user
          limit: { algorithm: leaky-bucket, rate: 6 per minute, queue: 3 }
      """;

  @TempDir private Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void serverSimulateAndTopCountTheSame() throws Exception {
    Path rules = Files.writeString(directory.resolve("rules.yaml"), RULES);
    Path trace = directory.resolve("trace.csv");
    ManualTime time = TimeSource.manual().set(Instant.ofEpochMilli(START));
    int refused = 0;
    try (Server server =
        Server.builder(ServerSettings.DEMO.onFreePorts())
            .rules(RuleSource.of(List.of(rules)))
            .time(time)
            .start()) {
      StringBuilder lines = new StringBuilder("time,user,path\n");
      Random random = new Random(22);
      HttpClient client = HttpClient.newHttpClient();
      long now = START;
      for (int i = 0; i < REQUESTS; i++) {
        now += random.nextInt(800);
        String user = List.of("ann", "bob", "eve").get(random.nextInt(3));
        String path = random.nextInt(4) == 0 ? "/export" : "/a";
        lines.append(now).append(',').append(user).append(',').append(path).append('\n');
        time.set(Instant.ofEpochMilli(now));
        String target = "/v1/check?user=" + user + "&path=" + path;
        URI uri = URI.create("http://127.0.0.1:" + server.servicePort() + target);
        int status =
            client
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
        refused += status == 429 ? 1 : 0;
      }
      Files.writeString(trace, lines);
      run("top", "--once", "--json", "--admin", "http://127.0.0.1:" + server.adminPort());
    }
    JsonValue shown = JsonValue.of(out.toString());
    out.getBuffer().setLength(0);
    run("simulate", "--rules", rules.toString(), "--trace", trace.toString());
    Map<String, String[]> simulated = table(out.toString());

    JsonValue totals = shown.at("totals");
    assertThat(refused).as("not none and not all").isBetween(30, 270);
    assertThat(totals.at("requests").number()).isEqualTo(REQUESTS);
    assertThat(totals.at("denied").number()).isEqualTo(refused);
    assertThat(totals.at("allowed").number() + totals.at("delayed").number())
        .isEqualTo(REQUESTS - refused);
    assertThat(totals.at("delayed").number()).isPositive();
    String[] all = simulated.get("all");
    assertThat(all[1]).isEqualTo("" + REQUESTS);
    assertThat(all[2]).isEqualTo("" + refused);
    assertThat(all[3]).isEqualTo("%.1f".formatted(100.0 * refused / REQUESTS));
    assertThat(out.toString())
        .contains(totals.at("shadow_denied").number() + " would be refused by shadow rules");

    boolean isFewer = false;
    for (JsonValue rule : shown.at("rules.items").items()) {
      String name = rule.at("rule").text();
      long denied = rule.at("totals.denied").number() + rule.at("totals.shadow_denied").number();
      String[] row = simulated.get(name);
      assertThat(row[2]).as("refused by " + name).isEqualTo("" + denied);
      // The two shares differ by design: simulate's is of the requests that the rule matched, the
      // server's of those that it decided, without those that only other rules refused.
      long decided =
          denied + rule.at("totals.allowed").number() + rule.at("totals.delayed").number();
      long matched = Long.parseLong(row[1]);
      assertThat(decided).as("decided by " + name).isBetween(1L, matched);
      isFewer |= decided < matched;
      assertThat(rule.at("refused_share").decimal())
          .as("share of those that %s decided", name)
          .isCloseTo((double) denied / decided, within(0.00006));
      assertThat(Double.parseDouble(row[3])).isCloseTo(100.0 * denied / matched, within(0.051));
    }
    assertThat(isFewer).as("some rule did not decide all that it matched").isTrue();
    assertThat(simulated).containsKeys("client", "total", "wide", "tried", "also", "export");
  }

  private void run(String... arguments) {
    int code =
        Main.run(new PrintWriter(out, true), new PrintWriter(err, true), Map.of(), arguments);
    assertThat(code).as(err.toString()).isZero();
  }

  /** The rows of a summary by their first word; the last is of all. */
  private static Map<String, String[]> table(String text) {
    Map<String, String[]> rows = new HashMap<>();
    text.lines()
        .map(line -> line.split(" +"))
        .filter(row -> row.length > 4 && row[1].matches("\\d+") && row[2].matches("\\d+"))
        .forEach(row -> rows.put(row[0], row));
    return rows;
  }
}
