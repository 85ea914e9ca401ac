package io.weir.rules.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.rules.Request;
import io.weir.rules.RequestDecision;
import io.weir.rules.RequestLimiter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The files in {@code examples/} behave as their comments and their sources describe. */
class ExamplesTest {
  static final Path EXAMPLES =
      Files.isDirectory(Path.of("examples")) ? Path.of("examples") : Path.of("..", "examples");

  private final ManualTime time = TimeSource.manual();

  private RequestLimiter limiter(String file) {
    return RequestLimiter.builder(RuleFiles.load(List.of(EXAMPLES.resolve(file))))
        .time(time)
        .build();
  }

  private static Request request(String... attributes) {
    Map<String, String> values = new java.util.HashMap<>();
    for (int i = 0; i < attributes.length; i += 2) {
      values.put(attributes[i], attributes[i + 1]);
    }
    return values::get;
  }

  /** How many of {@code max} requests at this moment are allowed, until the first refusal. */
  private static int allowed(RequestLimiter limiter, int max, String... attributes) {
    int allowed = 0;
    while (allowed < max && limiter.check(request(attributes)).allowed()) {
      allowed++;
    }
    return allowed;
  }

  private static String rule(RequestDecision requestDecision) {
    return requestDecision.deciding().orElseThrow().rule().name();
  }

  @ParameterizedTest
  @ValueSource(strings = {"shop.yaml", "tiers.yaml", "endpoints.yaml"})
  void isWithoutErrors(String file) {
    assertThat(RuleFiles.read(List.of(EXAMPLES.resolve(file))).problems()).isEmpty();
  }

  // --- S4: two limits on each endpoint ---

  @ParameterizedTest(name = "{0} {1}: {3} a minute, {2} in 15 minutes")
  @CsvSource({
    "GET, /api1, 900, 200",
    "GET, /api2, 900, 200",
    "POST, /api2, 500, 100",
    "GET, /api3, 800, 150"
  })
  void limitsLoggedInUsersByMinuteAndQuarterOfAnHour(
      String method, String path, int quarter, int minute) {
    RequestLimiter limiter = limiter("endpoints.yaml");
    String[] mine = {"user", "42", "method", method, "path", path, "ip", "192.0.2.1"};
    int total = 0;
    for (int i = 0; i < 15; i++) {
      int now = allowed(limiter, 1000, mine);
      assertThat(now).as("minute %d", i).isEqualTo(Math.min(minute, quarter - total));
      total += now;
      time.advance(Duration.ofMinutes(1));
    }
    assertThat(total).isEqualTo(quarter);
    // The first minute of the quarter has passed: its requests count no more.
    assertThat(allowed(limiter, 1000, mine)).isEqualTo(minute);
  }

  @Test
  void the101stPostInAMinuteIsRefusedAndOtherEndpointsAreNot() {
    RequestLimiter limiter = limiter("endpoints.yaml");
    String[] post = {"user", "42", "method", "POST", "path", "/api2"};
    assertThat(allowed(limiter, 101, post)).isEqualTo(100);
    RequestDecision refused = limiter.check(request(post));
    assertThat(refused.allowed()).isFalse();
    assertThat(rule(refused)).isEqualTo("api2-post");
    assertThat(allowed(limiter, 10, "user", "42", "method", "GET", "path", "/api2")).isEqualTo(10);
    assertThat(allowed(limiter, 10, "user", "42", "method", "GET", "path", "/api1")).isEqualTo(10);
    assertThat(allowed(limiter, 10, "user", "43", "method", "POST", "path", "/api2")).isEqualTo(10);
  }

  @Test
  void the501stPostInAQuarterIsRefused() {
    RequestLimiter limiter = limiter("endpoints.yaml");
    String[] post = {"user", "42", "method", "POST", "path", "/api2"};
    for (int i = 0; i < 10; i++) {
      assertThat(allowed(limiter, 50, post)).isEqualTo(50);
      time.advance(Duration.ofMinutes(1));
    }
    assertThat(limiter.check(request(post)).allowed()).isFalse();
    time.advance(Duration.ofMinutes(5));
    assertThat(allowed(limiter, 1000, post)).isEqualTo(50);
  }

  @Test
  void limitsThoseNotLoggedInByAddressOnAnyPath() {
    RequestLimiter limiter = limiter("endpoints.yaml");
    String[] paths = {"/", "/api1", "/a/b/c/d", "/api2"};
    int allowed = 0;
    for (int i = 0; i < 60; i++) {
      String path = paths[i % paths.length];
      RequestDecision requestDecision =
          limiter.check(request("ip", "192.0.2.1", "method", "GET", "path", path));
      allowed += requestDecision.allowed() ? 1 : 0;
    }
    assertThat(allowed).isEqualTo(50);
    assertThat(allowed(limiter, 100, "ip", "192.0.2.2", "method", "GET", "path", "/x"))
        .isEqualTo(50);
    for (int i = 1; i < 5; i++) {
      time.advance(Duration.ofMinutes(1));
      assertThat(allowed(limiter, 100, "ip", "192.0.2.1", "method", "GET", "path", "/x"))
          .isEqualTo(50);
    }
    time.advance(Duration.ofMinutes(1));
    assertThat(allowed(limiter, 100, "ip", "192.0.2.1", "method", "GET", "path", "/x")).isZero();
    assertThat(
            limiter
                .check(request("ip", "192.0.2.1", "method", "POST", "path", "/x"))
                .ruleDecisions())
        .isEmpty();
  }

  // --- S2: endpoint, else tier, else default ---

  @ParameterizedTest(name = "{0}: {1} at once, {2} more after 10 s, by {3}")
  @CsvSource({
    "'path=/x', 100, 100, default",
    "'path=/x;tier=unknown', 100, 100, default",
    "'path=/x;tier=free', 20, 20, tier:free",
    "'path=/x;tier=pro', 200, 200, tier:pro",
    "'path=/x;tier=enterprise', 1000, 1000, tier:enterprise",
    "'path=/api/v1/login', 5, 1, endpoint:/api/v1/login",
    "'path=/api/v1/login;tier=pro', 5, 1, endpoint:/api/v1/login",
    "'path=/api/v1/search;tier=free', 30, 30, endpoint:/api/v1/search"
  })
  void eachRequestHasOneBucket(String attributes, int atOnce, int after, String rule) {
    RequestLimiter limiter = limiter("tiers.yaml");
    String[] mine = ("ip=192.0.2.1;" + attributes).split("[=;]", -1);
    assertThat(allowed(limiter, 2000, mine)).isEqualTo(atOnce);
    RequestDecision refused = limiter.check(request(mine));
    assertThat(refused.ruleDecisions()).hasSize(1);
    assertThat(rule(refused)).isEqualTo(rule);
    time.advance(Duration.ofSeconds(10));
    assertThat(allowed(limiter, 2000, mine)).isEqualTo(after);
  }

  @Test
  void loginRefillsOneEveryTenSeconds() {
    RequestLimiter limiter = limiter("tiers.yaml");
    String[] login = {"ip", "192.0.2.1", "path", "/api/v1/login"};
    assertThat(allowed(limiter, 10, login)).isEqualTo(5);
    assertThat(limiter.check(request(login)).deciding().orElseThrow().decision().retryAfter())
        .contains(Duration.ofSeconds(10));
    time.advance(Duration.ofMillis(9_999));
    assertThat(allowed(limiter, 10, login)).isZero();
    time.advance(Duration.ofMillis(1));
    assertThat(allowed(limiter, 10, login)).isEqualTo(1);
  }

  @Test
  void aClientIsItsApiKeyOrElseItsAddress() {
    RequestLimiter limiter = limiter("tiers.yaml");
    assertThat(allowed(limiter, 200, "path", "/x", "ip", "192.0.2.1", "api_key", "a"))
        .isEqualTo(100);
    assertThat(allowed(limiter, 200, "path", "/x", "ip", "192.0.2.9", "api_key", "a")).isZero();
    assertThat(allowed(limiter, 200, "path", "/x", "ip", "192.0.2.1", "api_key", "b"))
        .isEqualTo(100);
    assertThat(allowed(limiter, 200, "path", "/x", "ip", "192.0.2.1")).isEqualTo(100);
    assertThat(allowed(limiter, 200, "path", "/x", "ip", "192.0.2.1")).isZero();
  }

  // --- the shop ---

  @ParameterizedTest
  @CsvSource({"key-of-ada, 200", "key-of-bob, 20", "key-of-eve, 100", "nobody, 20"})
  void theShopFindsTiersInItsTable(String key, int atOnce) {
    RequestLimiter limiter = limiter("shop.yaml");
    assertThat(allowed(limiter, 500, "api_key", key, "path", "/", "method", "GET"))
        .isEqualTo(atOnce);
  }

  @Test
  void theShopLimitsLoginsByAddress() {
    RequestLimiter limiter = limiter("shop.yaml");
    String[] login = {
      "ip", "192.0.2.1", "api_key", "key-of-ada", "method", "POST", "path", "/api/v1/login"
    };
    assertThat(allowed(limiter, 10, login)).isEqualTo(5);
    assertThat(rule(limiter.check(request(login)))).isEqualTo("login");
    time.advance(Duration.ofMinutes(1));
    assertThat(allowed(limiter, 10, login)).isEqualTo(5);
  }
}
