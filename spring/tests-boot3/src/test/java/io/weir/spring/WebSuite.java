package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.decision.FrontEnd;
import io.weir.decision.RequestCounters;
import io.weir.decision.RequestOutcome;
import io.weir.decision.RuleCounters;
import io.weir.decision.RuleOutcome;
import io.weir.rig.Await;
import io.weir.runtime.Node;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** What an application with the starter does, on either web stack: the same. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class WebSuite {
  private static final String RULES =
      """
      rules:
        - { name: hello, match: { path: /hello }, limit: { algorithm: sliding-log, rate: 2 per day } }
        - { name: address, match: { path: /me }, per: ip, limit: { algorithm: sliding-log, rate: 9 per day } }
        - { name: user, match: { path: /me }, per: principal, limit: { algorithm: sliding-log, rate: 2 per day } }
        - { name: nobody, match: { path: /a/b, principal: ~ }, limit: { algorithm: sliding-log, rate: 2 per day } }
        - { name: export, per: user, limit: 1 per hour }
      """;

  private ConfigurableApplicationContext context;
  private TestHttpClient testHttpClient;

  abstract WebApplicationType type();

  @BeforeAll
  void start() {
    context =
        new SpringApplicationBuilder(Shop.class)
            .web(type())
            .initializers(new NettyInitializer(type()))
            .properties(Shop.settings(RULES))
            .run("--spring.config.name=none"); // the examples have files of the usual name
    testHttpClient =
        new TestHttpClient(
            context.getEnvironment().getRequiredProperty("local.server.port", int.class));
  }

  @AfterAll
  void stop() {
    if (context != null) {
      context.close();
    }
  }

  @Test
  void refusesAsTheGatewayDoes() {
    HttpResponse<String> first = testHttpClient.get("/hello");
    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(header(first, "X-RateLimit-Limit")).isEqualTo("2");
    assertThat(header(first, "X-RateLimit-Remaining")).isEqualTo("1");
    assertThat(header(first, "RateLimit-Policy")).isEqualTo("\"hello\";q=2;w=86400");
    assertThat(header(first, "RateLimit")).startsWith("\"hello\";r=1;t=");
    assertThat(testHttpClient.get("/hello").statusCode()).isEqualTo(200);
    HttpResponse<String> refused = testHttpClient.get("/hello");
    assertThat(refused.statusCode()).isEqualTo(429);
    String wait = header(refused, "Retry-After");
    assertThat(Integer.parseInt(wait)).isBetween(1, 86_400);
    assertThat(header(refused, "X-RateLimit-Remaining")).isEqualTo("0");
    assertThat(header(refused, "Cache-Control")).isEqualTo("no-store");
    assertThat(header(refused, "Content-Type")).isEqualTo("application/json");
    assertThat(refused.body())
        .isEqualTo(
            ("{\"error\":\"rate_limit_exceeded\",\"message\":\"Too many requests. Please retry"
                    + " after %s seconds.\",\"retry_after_seconds\":%s,\"rule\":\"hello\"}")
                .formatted(wait, wait));
    HttpResponse<String> problem =
        testHttpClient.get("/hello", "Accept", "application/problem+json");
    assertThat(header(problem, "Content-Type")).isEqualTo("application/problem+json");
    assertThat(problem.body()).contains("quota-exceeded").contains("\"status\":429");
    HttpResponse<String> head = testHttpClient.send("HEAD", "/hello");
    assertThat(head.statusCode()).isEqualTo(429);
    assertThat(head.body()).isEmpty();
    assertThat(header(testHttpClient.get("/free"), "RateLimit")).isEmpty();
  }

  @Test
  void limitsByAddressBeforeAuthenticationAndByUserBehindIt() {
    testHttpClient.get("/free");
    RequestCounters requests =
        context
            .getBean(Node.class)
            .decisionEngine()
            .decisionCounters()
            .requests(FrontEnd.APPLICATION);
    long allowed = requests.count(RequestOutcome.ALLOWED);
    long denied = requests.count(RequestOutcome.DENIED);
    List<Integer> statuses = new ArrayList<>();
    statuses.add(testHttpClient.get("/me").statusCode());
    HttpResponse<String> alice = testHttpClient.as("alice", "/me");
    statuses.add(alice.statusCode());
    assertThat(header(alice, "RateLimit-Policy"))
        .contains("\"user\";q=2;w=86400", "\"address\";q=9;w=86400");
    assertThat(header(alice, "X-RateLimit-Remaining")).isEqualTo("1");
    statuses.add(testHttpClient.as("alice", "/me").statusCode());
    HttpResponse<String> tooMuch = testHttpClient.as("alice", "/me");
    statuses.add(tooMuch.statusCode());
    assertThat(tooMuch.body()).contains("\"rule\":\"user\"");
    assertThat(header(tooMuch, "RateLimit-Policy")).contains("\"user\"", "\"address\"");
    for (int i = 0; i < 2; i++) {
      statuses.add(testHttpClient.as("bob", "/me").statusCode());
    }
    for (int i = 0; i < 3; i++) {
      statuses.add(testHttpClient.as("mallory", "/me").statusCode()); // guesses passwords
    }
    HttpResponse<String> early = testHttpClient.as("mallory", "/me");
    statuses.add(early.statusCode());
    assertThat(early.body()).contains("\"rule\":\"address\"");
    assertThat(statuses).containsExactly(401, 200, 200, 429, 200, 200, 401, 401, 401, 429);
    assertThat(count("address", RuleOutcome.ALLOWED)).isEqualTo(9);
    assertThat(count("user", RuleOutcome.ALLOWED)).isEqualTo(4);
    assertThat(count("user", RuleOutcome.DENIED)).isEqualTo(1);
    assertThat(requests.count(RequestOutcome.DENIED) - denied).isEqualTo(2);
    Await.holds( // what authentication turns away is counted when it is over
        "each is counted once, checked once or twice",
        () -> requests.count(RequestOutcome.ALLOWED) - allowed == 8);
    assertThat(testHttpClient.get("/actuator/weir").body()).contains("\"requests\":{\"allowed\":");
  }

  @Test
  void limitsAnonymousRequestsBehindAuthenticationOnly() {
    for (int i = 0; i < 3; i++) {
      HttpResponse<String> alice = testHttpClient.as("alice", "/a/b");
      assertThat(alice.statusCode()).isEqualTo(200);
      assertThat(header(alice, "RateLimit-Policy")).isEmpty();
    }
    assertThat(statuses("/a/b", 3)).containsExactly(200, 200, 429);
  }

  @Test
  void limitsMethods() {
    assertThat(bodies("/named?user=a", "/named?user=b")).containsExactly("named a", "named b");
    HttpResponse<String> refused = testHttpClient.get("/named?user=a");
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.body())
        .startsWith("{\"error\":\"rate_limit_exceeded\"")
        .contains("\"export\"");
    assertThat(header(refused, "Retry-After")).isNotEmpty();
    assertThat(header(refused, "Content-Type")).isEqualTo("application/json");
    assertThat(header(testHttpClient.get("/named?user=c"), "RateLimit-Policy"))
        .as("a rule of methods is no filter's")
        .isEmpty();
  }

  @Test
  void chargesAllRulesOfAMethodOrNone() {
    assertThat(statuses("/inline?user=a", 3)).containsExactly(200, 200, 429);
    assertThat(statuses("/inline?user=b", 2)).containsExactly(200, 429);
    assertThat(count("Reports.inline", RuleOutcome.ALLOWED)).isEqualTo(3);
    assertThat(count("Reports.inline:2", RuleOutcome.ALLOWED)).isEqualTo(3);
  }

  @Test
  void limitsMethodsThatAnswerLater() {
    assertThat(statuses("/future?user=a", 2)).containsExactly(200, 429);
    assertThat(statuses("/mono?user=a", 2)).containsExactly(200, 429);
    assertThat(statuses("/mono?user=b", 1)).containsExactly(200);
    assertThat(statuses("/flux", 2)).containsExactly(200, 429);
  }

  @Test
  void callsAFallbackInstead() {
    assertThat(bodies("/fallback", "/fallback")).containsExactly("all", "less, by Reports.guarded");
  }

  @Test
  void showsAndResetsCallersByTheActuator() {
    context.getBean(RateLimiters.class).check("export", java.util.Map.of("user", "203.0.113.7"));
    for (int i = 0; i < 3; i++) {
      context.getBean(RateLimiters.class).check("export", java.util.Map.of("user", "203.0.113.7"));
    }
    String all = testHttpClient.get("/actuator/weir").body();
    assertThat(all).contains("\"name\":\"hello\"", "weir.rules:2:13", "before authentication");
    assertThat(all).contains("\"name\":\"Reports.inline\"", "on methods", "behind authentication");
    String callers = testHttpClient.get("/actuator/weir/export").body();
    assertThat(callers).contains("\"20…", "\"count\":3").doesNotContain("203.0.113.7");
    assertThat(testHttpClient.get("/actuator/weir/nothing").statusCode()).isEqualTo(404);
    String id = callers.replaceAll("(?s).*\"id\":\"([0-9a-f]{16})\".*", "$1");
    assertThat(testHttpClient.get("/actuator/weir/export/" + id).body())
        .contains("\"allowed\":false", "\"remaining\":0", "token-bucket 1 per")
        .doesNotContain("203.0.113.7");
    assertThat(testHttpClient.send("DELETE", "/actuator/weir/export/203.0.113.7").body())
        .contains("\"allowed\":true", "\"remaining\":1");
    assertThat(testHttpClient.send("DELETE", "/actuator/weir/nothing/x").statusCode())
        .isEqualTo(404);
  }

  @Test
  void countsInTheApplicationsRegistry() {
    testHttpClient.get("/named?user=a-secret-caller");
    assertThat(testHttpClient.get("/actuator/prometheus").body())
        .contains("weir_decisions_total{outcome=\"allowed\",rule=\"export\"}")
        .contains("weir_decisions_total{outcome=\"denied\",rule=\"export\"}")
        .contains("weir_near_limit_total{rule=\"hello\"}")
        .contains("weir_rules{mode=\"enforce\"}")
        .contains("weir_rules_reload_total{result=\"success\"} 0.0")
        .contains("weir_requests_total{outcome=\"denied\",port=\"application\"}")
        .contains("weir_decision_seconds_count")
        .doesNotContain("a-secret-caller");
    assertThat(testHttpClient.get("/actuator/health").body())
        .contains("\"weir\"", "\"store\":\"up\"");
  }

  private List<String> bodies(String... paths) {
    List<String> bodies = new ArrayList<>();
    for (String path : paths) {
      bodies.add(testHttpClient.get(path).body());
    }
    return bodies;
  }

  private List<Integer> statuses(String path, int times) {
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      statuses.add(testHttpClient.get(path).statusCode());
    }
    return statuses;
  }

  private long count(String rule, RuleOutcome ruleOutcome) {
    Node node = context.getBean(Node.class);
    return node.decisionEngine().decisionCounters().rules(node::rules).stream()
        .filter(each -> each.label().equals(rule))
        .mapToLong((RuleCounters each) -> each.count(ruleOutcome))
        .sum();
  }

  private static String header(HttpResponse<?> response, String name) {
    return String.join("; ", response.headers().allValues(name));
  }
}
