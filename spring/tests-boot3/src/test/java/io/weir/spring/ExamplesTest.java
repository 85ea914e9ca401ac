package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.Await;
import io.weir.rig.RedisProcess;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The examples, as users start them: in processes of their own, called over HTTP. */
@Tag("slow")
class ExamplesTest {
  private static final String SERVLET = "io.weir.example.servlet.ShopApplication, servlet";
  private static final String WEBFLUX = "io.weir.example.webflux.ShopApplication, reactive";

  @ParameterizedTest
  @CsvSource({SERVLET, WEBFLUX})
  void limitsInMemory(String main, String kind) {
    try (ExampleProcess exampleProcess = ExampleProcess.start(main, kind)) {
      TestHttpClient testHttpClient = exampleProcess.testHttpClient();
      for (int i = 1; i <= 5; i++) {
        HttpResponse<String> allowed = testHttpClient.get("/orders/7");
        assertThat(allowed.statusCode()).isEqualTo(200);
        assertThat(allowed.body()).isEqualTo("order 7");
        assertThat(limits(allowed))
            .isEqualTo(
                Map.of(
                    "x-ratelimit-limit", "5",
                    "x-ratelimit-remaining", String.valueOf(5 - i),
                    "x-ratelimit-reset", "in an hour",
                    "ratelimit-policy", "\"orders\";q=5;w=3600, \"address\";q=50;w=3600",
                    "ratelimit",
                        "\"orders\";r=%d;t=an hour, \"address\";r=%d;t=an hour"
                            .formatted(5 - i, 50 - i)));
      }
      HttpResponse<String> refused = testHttpClient.get("/orders/8");
      assertThat(refused.statusCode()).isEqualTo(429);
      String wait = header(refused, "Retry-After");
      assertThat(Integer.parseInt(wait)).isBetween(3000, 3601);
      assertThat(limits(refused))
          .isEqualTo(
              Map.of(
                  "x-ratelimit-limit", "5",
                  "x-ratelimit-remaining", "0",
                  "x-ratelimit-reset", "in an hour",
                  "x-ratelimit-retry-after", wait,
                  "retry-after", wait,
                  "ratelimit-policy", "\"orders\";q=5;w=3600, \"address\";q=50;w=3600",
                  "ratelimit", "\"orders\";r=0;t=an hour, \"address\";r=45;t=an hour"));
      assertThat(header(refused, "Cache-Control")).isEqualTo("no-store");
      assertThat(header(refused, "Content-Type")).isEqualTo("application/json");
      assertThat(refused.body())
          .isEqualTo(
              ("{\"error\":\"rate_limit_exceeded\",\"message\":\"Too many requests. Please retry"
                      + " after %s seconds.\",\"retry_after_seconds\":%s,\"rule\":\"orders\"}")
                  .formatted(wait, wait));
      assertThat(testHttpClient.get("/orders/7", "X-API-Key", "other").statusCode()).isEqualTo(200);
      assertThat(statuses(testHttpClient, "/reports?user=ann", 3)).containsExactly(200, 200, 429);
      assertThat(testHttpClient.get("/actuator/weir").body())
          .contains("Reports.create", "all-reports");
      assertThat(exampleProcess.log())
          .contains(
              "Weir is active: 4 rules (before authentication: orders, address", "store memory");
    }
  }

  @ParameterizedTest
  @CsvSource({SERVLET, WEBFLUX})
  void warnsOfRulesByUserWithoutALogin(String main, String kind) {
    String rules = "--weir.rules=rules: [ { name: user, per: principal, limit: 5 per hour } ]";
    try (ExampleProcess exampleProcess = ExampleProcess.start(main, kind, rules)) {
      assertThat(exampleProcess.testHttpClient().get("/orders/7").statusCode()).isEqualTo(200);
      assertThat(exampleProcess.log())
          .contains("rules by 'principal' (user) know only users that a filter before -90");
    }
  }

  @ParameterizedTest
  @CsvSource({SERVLET, WEBFLUX})
  void sharesLimitsByRedisAndOutlivesIt(String main, String kind) {
    try (RedisProcess redis = RedisProcess.start();
        ExampleProcess one = ExampleProcess.start(main, kind, settings(redis));
        ExampleProcess other = ExampleProcess.start(main, kind, settings(redis))) {
      TestHttpClient first = one.testHttpClient();
      TestHttpClient second = other.testHttpClient();
      awaitStore(first, "up");
      awaitStore(second, "up");
      List<Integer> statuses = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        statuses.add(first.get("/orders/7").statusCode());
        statuses.add(second.get("/orders/7").statusCode());
      }
      assertThat(statuses).containsExactly(200, 200, 200, 200, 200, 429, 429, 429);
      assertThat(statuses(first, "/reports?user=ann", 1)).containsExactly(200);
      assertThat(statuses(second, "/reports?user=ann", 2)).containsExactly(200, 429);

      redis.kill();
      Await.holds("orders are allowed", () -> first.get("/orders/7").statusCode() == 200);
      HttpResponse<String> denied = first.send("POST", "/reports?user=eve");
      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(denied.body()).contains("limiter_unavailable");
      awaitStore(first, "down");
      assertThat(first.get("/actuator/health").statusCode()).isEqualTo(200);

      redis.startAgain();
      awaitStore(first, "up");
      Await.holds(
          "reports are made again",
          () -> first.send("POST", "/reports?user=eve").statusCode() == 200);
    }
  }

  /** A store that is far from these tests' machine may take its time. */
  private static String[] settings(RedisProcess redis) {
    return new String[] {"--weir.store=" + redis.url(), "--weir.store-timeout=5s"};
  }

  private static void awaitStore(TestHttpClient testHttpClient, String state) {
    Await.holds(
        "the store is " + state,
        () -> {
          testHttpClient.get("/orders/probe", "X-API-Key", "probe");
          return testHttpClient
              .get("/actuator/health")
              .body()
              .contains("\"store\":\"" + state + "\"");
        });
  }

  private static List<Integer> statuses(TestHttpClient testHttpClient, String path, int times) {
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      statuses.add(testHttpClient.send("POST", path).statusCode());
    }
    return statuses;
  }

  /**
   * All rate limit headers of a response, by names in lower case, each once; times of nearly an
   * hour are replaced by that word.
   */
  private static Map<String, String> limits(HttpResponse<?> response) {
    Map<String, String> limits = new TreeMap<>();
    response
        .headers()
        .map()
        .forEach(
            (name, values) -> {
              if (name.toLowerCase(Locale.ROOT).matches("(x-)?ratelimit.*|retry-after")) {
                assertThat(values).as(name).hasSize(1);
                limits.put(name.toLowerCase(Locale.ROOT), inWords(values.get(0)));
              }
            });
    return limits;
  }

  private static String inWords(String value) {
    Matcher times = Pattern.compile(";t=(\\d+)").matcher(value);
    if (times.find()) {
      return times.replaceAll(
          time -> {
            assertThat(Integer.parseInt(time.group(1))).isBetween(3000, 3601);
            return ";t=an hour";
          });
    }
    boolean isTime = value.matches("\\d{10}");
    if (isTime) {
      long seconds = Long.parseLong(value) - System.currentTimeMillis() / 1000;
      assertThat(seconds).isBetween(3000L, 3601L);
    }
    return isTime ? "in an hour" : value;
  }

  private static String header(HttpResponse<?> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }
}
