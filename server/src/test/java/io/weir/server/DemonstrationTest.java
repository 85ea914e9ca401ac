package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.RuleSet;
import io.weir.rules.lint.Lint;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** All front ends of the demonstration: a limit spent at one is spent at the others. */
class DemonstrationTest {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  @Test
  void demoRulesAreValidWithoutWarnings() {
    RuleSet rules = DemoRules.read();
    assertThat(rules.rules()).extracting(rule -> rule.name()).contains("client", "login", "search");
    assertThat(Lint.of(rules)).isEmpty();
  }

  @Test
  void demoGatewayRefusesAndTheAdminPortReportsIt() throws Exception {
    try (Server server = Server.start(ServerSettings.DEMO.onFreePorts())) {
      HttpResponse<String> first = get(server.gatewayPort(), "/any/path?a=b");
      assertThat(first.statusCode()).isEqualTo(200);
      assertThat(first.body()).contains("\"method\":\"GET\",\"path\":\"/any/path\"");
      assertThat(first.headers().firstValue("RateLimit")).isPresent();

      long allowed = 1;
      while (get(server.gatewayPort(), "/any/path").statusCode() == 200) {
        allowed++;
        assertThat(allowed).isLessThan(100);
      }
      String metrics = get(server.adminPort(), "/metrics").body();
      assertThat(sum(metrics, "allowed")).isGreaterThanOrEqualTo(allowed);
      assertThat(sum(metrics, "denied")).isGreaterThanOrEqualTo(1);
      HttpResponse<String> ready = get(server.adminPort(), "/health/ready");
      assertThat(ready.statusCode()).isEqualTo(200);
      assertThat(ready.body()).isEqualTo("{\"status\":\"ready\",\"reasons\":[],\"store\":\"up\"}");
    }
  }

  private static long sum(String metrics, String outcome) {
    Matcher line =
        Pattern.compile(
                "weir_decisions_total\\{outcome=\"" + outcome + "\",rule=\"[^\"]*\"} (\\d+)")
            .matcher(metrics);
    long sum = 0;
    while (line.find()) {
      sum += Long.parseLong(line.group(1));
    }
    return sum;
  }

  private static HttpResponse<String> get(int port, String target) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + port + target);
    return CLIENT.send(
        HttpRequest.newBuilder(uri).version(HttpClient.Version.HTTP_1_1).build(),
        HttpResponse.BodyHandlers.ofString());
  }
}
