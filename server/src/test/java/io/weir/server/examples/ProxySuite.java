package io.weir.server.examples;

import static io.weir.server.examples.ProxyClient.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.rig.Await;
import io.weir.rig.Ports;
import io.weir.rig.Program;
import io.weir.rig.WebProxy;
import io.weir.server.nodes.WeirNode;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * What every proxy in front of Weir must do, with the configuration that we ship. Only ports are
 * changed, and the timeout for Weir, because the machine may be busy.
 *
 * <p>Each case has a caller of its own, so that none spends what another counts on.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(180)
abstract class ProxySuite {
  static final String RULES =
      """
      attributes:
        api_key: { header: X-API-Key }
      rules:
        - name: caller
          match: { path: [ /api/**, /status/403 ] }
          per: api_key
          limit: { algorithm: sliding-log, rate: 3 per hour }
        - name: login
          match: { method: POST, path: /login }
          per: ip
          limit: { algorithm: sliding-log, rate: 2 per day }
        - name: closed
          match: { path: /closed }
          limit: 0 per hour
        - name: elsewhere
          match: { host: elsewhere.example }
          limit: 0 per hour
        - name: warm
          match: { path: /warm }
          limit: 1000000 per day
      """;

  /** How long a proxy waits for Weir where we ship a quarter of a second. */
  static final String PATIENCE = "3000ms";

  /** Longer than the timeouts in the configurations, and far shorter than those of the proxies. */
  private static final Duration BOUND = Duration.ofSeconds(15);

  private Application application;
  private WeirNode weir;
  private Program proxy;
  private ProxyClient proxyClient;

  /** Which proxy it is. */
  abstract WebProxy kind();

  /** Its files by name, for these ports. */
  abstract Map<String, String> files(int port, int weir, int application);

  /** The same with the choice that it shows: closed while Weir is away. */
  abstract Map<String, String> closed(Map<String, String> files);

  /** What clients get then. */
  abstract int statusWhenClosed();

  @BeforeAll
  final void start() {
    assumeTrue(kind().isInstalled(), kind().program() + " is not installed");
    application = new Application();
    weir = WeirNode.start(RULES, "memory");
    int port = Ports.free();
    proxy = kind().start(files(port, weir.port(), application.port()), port);
    proxyClient = new ProxyClient(port);
    awaitWeir();
  }

  @AfterAll
  final void end() {
    for (AutoCloseable each : new AutoCloseable[] {proxy, weir, application}) {
      try {
        if (each != null) {
          each.close();
        }
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }

  /** Waits until many responses in a row arrive in time: a Weir that has just started is slow. */
  private void awaitWeir() {
    int[] inARow = {0};
    Await.holds(
        "Weir limits behind " + proxy + "\n" + proxy.log(),
        () -> {
          inARow[0] = ProxyClient.isLimited(proxyClient.get("/warm")) ? inARow[0] + 1 : 0;
          return inARow[0] >= 30;
        });
  }

  @Test
  void allowedResponsesHaveRateLimitHeaders() {
    HttpResponse<String> first = proxyClient.get("/api/a", "X-API-Key", "stands");

    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(first.body()).startsWith("GET /api/a 0\n");
    assertThat(header(first, "X-RateLimit-Limit")).isEqualTo("3");
    assertThat(header(first, "X-RateLimit-Remaining")).isEqualTo("2");
    assertThat(header(first, "X-RateLimit-Reset")).matches("[0-9]{10}");
    assertThat(header(first, "RateLimit-Policy")).isEqualTo("\"caller\";q=3;w=3600");
    assertThat(header(first, "RateLimit")).startsWith("\"caller\";r=2;t=3");
    assertThat(header(first, "Retry-After")).isNull();
    assertThat(header(proxyClient.get("/api/b", "X-API-Key", "stands"), "X-RateLimit-Remaining"))
        .isEqualTo("1");
  }

  @Test
  void requestBeyondTheLimitIsRefusedInFull() {
    assertThat(proxyClient.statuses(3, "/api/a", "X-API-Key", "many")).containsOnly(200);

    HttpResponse<String> refused = proxyClient.get("/api/a", "X-API-Key", "many");

    assertThat(refused.statusCode()).isEqualTo(429);
    String wait = header(refused, "Retry-After");
    assertThat(Long.parseLong(wait)).isBetween(3000L, 3600L);
    assertThat(header(refused, "X-RateLimit-Retry-After")).isEqualTo(wait);
    assertThat(header(refused, "X-RateLimit-Limit")).isEqualTo("3");
    assertThat(header(refused, "X-RateLimit-Remaining")).isEqualTo("0");
    assertThat(header(refused, "X-RateLimit-Reset")).matches("[0-9]{10}");
    assertThat(header(refused, "RateLimit-Policy")).isEqualTo("\"caller\";q=3;w=3600");
    assertThat(header(refused, "RateLimit")).startsWith("\"caller\";r=0;t=3");
    assertThat(header(refused, "Content-Type")).isEqualTo("application/json");
    assertThat(header(refused, "Cache-Control")).isEqualTo("no-store");
    assertThat(refused.body())
        .isEqualTo(
            "{\"error\":\"rate_limit_exceeded\",\"message\":\"Too many requests. Please retry after"
                + " %1$s seconds.\",\"retry_after_seconds\":%1$s,\"rule\":\"caller\"}",
            wait);
  }

  @Test
  void keysAndPathsAreCountedApart() {
    assertThat(proxyClient.statuses(4, "/api/a", "X-API-Key", "one"))
        .containsExactly(200, 200, 200, 429);
    assertThat(proxyClient.get("/api/a", "X-API-Key", "other").statusCode()).isEqualTo(200);
    HttpResponse<String> free = proxyClient.get("/free", "X-API-Key", "one");
    assertThat(free.statusCode()).isEqualTo(200);
    assertThat(ProxyClient.isLimited(free)).as("no rule, no headers").isFalse();
  }

  @Test
  void spellingsOfAPathAreOnePath() {
    assertThat(proxyClient.get("/api/./a", "X-API-Key", "spells").statusCode()).isEqualTo(200);
    assertThat(proxyClient.get("/%61pi//b/", "X-API-Key", "spells").statusCode()).isEqualTo(200);
    assertThat(proxyClient.get("/x/../api/c", "X-API-Key", "spells").statusCode()).isEqualTo(200);
    assertThat(proxyClient.get("/api/a", "X-API-Key", "spells").statusCode()).isEqualTo(429);
  }

  @Test
  void refusalThatNeverFitsHasNoWait() {
    HttpResponse<String> refused = proxyClient.get("/closed");

    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(header(refused, "Retry-After")).isNull();
    assertThat(refused.body())
        .contains("retrying will not help")
        .endsWith("\"retry_after_seconds\":null,\"rule\":\"closed\"}");
  }

  @Test
  void headCountsAsGetAndHasNoBody() {
    for (int i = 0; i < 3; i++) {
      HttpResponse<String> allowed = proxyClient.head("/api/a", "X-API-Key", "heads");
      assertThat(allowed.statusCode()).isEqualTo(200);
      assertThat(header(allowed, "X-RateLimit-Remaining")).isEqualTo(Integer.toString(2 - i));
    }
    HttpResponse<String> refused = proxyClient.head("/api/a", "X-API-Key", "heads");
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(header(refused, "Retry-After")).isNotNull();
    assertThat(refused.body()).isEmpty();
    assertThat(proxyClient.get("/api/a", "X-API-Key", "heads").statusCode()).isEqualTo(429);
  }

  @Test
  void bodiesReachTheApplicationWhole() {
    assertThat(proxyClient.post("/api/a", 200_000, "X-API-Key", "posts").body())
        .startsWith("POST /api/a 200000\n");
    assertThat(proxyClient.postInChunks("/api/a", 100_000, "X-API-Key", "posts").body())
        .startsWith("POST /api/a 100000\n");
    assertThat(proxyClient.post("/api/a", 0, "X-API-Key", "posts").body())
        .startsWith("POST /api/a 0\n");
    HttpResponse<String> refused = proxyClient.post("/api/a", 1000, "X-API-Key", "posts");
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.body()).contains("rate_limit_exceeded");
    assertThat(proxyClient.get("/free").statusCode())
        .as("the connection is still good")
        .isEqualTo(200);
  }

  @Test
  void ignoresForgedHeadersOfClients() {
    for (int i = 0; i < 3; i++) {
      String address = "203.0.113." + i;
      String[] forged = {
        "X-Original-URI", "/free",
        "X-Original-URL", "http://elsewhere.example/free",
        "X-Original-Method", "GET",
        "X-Original-Host", "elsewhere.example",
        "X-Forwarded-Uri", "/free",
        "X-Forwarded-Method", "GET",
        "X-Forwarded-Host", "elsewhere.example",
        "X-Forwarded-For", address,
        "X-Real-IP", address,
        "Forwarded", "for=" + address + ";host=elsewhere.example"
      };
      HttpResponse<String> response = proxyClient.post("/login", 10, forged);
      assertThat(response.statusCode()).as(response.body()).isEqualTo(i < 2 ? 200 : 429);
      assertThat(response.body())
          .as("what the application hears")
          .doesNotContain(address)
          .doesNotContain("elsewhere.example")
          .doesNotContain("x-original-")
          .doesNotContain("x-forwarded-uri: /free");
    }
  }

  @Test
  void queryOfTheClientDoesNotChangeTheCheck() {
    String path = "/api/a?cost=0&status=500";
    assertThat(proxyClient.get(path, "X-API-Key", "steers").body())
        .startsWith("GET " + path + " 0\n");
    assertThat(proxyClient.statuses(3, path, "X-API-Key", "steers")).containsExactly(200, 200, 429);
  }

  @Test
  void refusesAmbiguousRequests() {
    HttpResponse<String> slash = proxyClient.get("/api%2Fa", "X-API-Key", "vague");
    assertThat(slash.statusCode()).isEqualTo(400);
    assertThat(slash.body()).startsWith("{\"error\":\"bad_request\",\"message\":\"");
    assertThat(header(slash, "Content-Type")).isEqualTo("application/json");

    HttpResponse<String> problem =
        proxyClient.get("/api%2Fa", "Accept", "application/problem+json");
    assertThat(problem.statusCode()).isEqualTo(400);
    assertThat(header(problem, "Content-Type"))
        .as("of " + problem.body())
        .isEqualTo(
            problem.body().startsWith("{\"error\"")
                ? "application/json"
                : "application/problem+json");

    HttpResponse<String> twice =
        proxyClient.get("/api/a", "X-API-Key", "vague", "X-API-Key", "vaguer");
    assertThat(twice.statusCode()).isEqualTo(400);
    assertThat(twice.body()).startsWith("{\"error\":\"bad_request\",\"message\":\"");
  }

  @Test
  void theApplicationsOwnRefusalStaysItsOwn() {
    HttpResponse<String> forbidden = proxyClient.get("/status/403", "X-API-Key", "forbidden");

    assertThat(forbidden.statusCode()).isEqualTo(403);
    assertThat(forbidden.body()).startsWith("GET /status/403 0\n");
    assertThat(header(forbidden, "X-RateLimit-Remaining")).isEqualTo("2");
  }

  @Test
  void failsOpenWhileWeirIsKilled() {
    assertThat(proxyClient.statuses(4, "/api/a", "X-API-Key", "kill"))
        .containsExactly(200, 200, 200, 429);

    weir.program().kill();
    try {
      for (int i = 0; i < 20; i++) {
        HttpResponse<String> open = inTime(() -> proxyClient.get("/api/a", "X-API-Key", "kill"));
        assertThat(open.statusCode()).isEqualTo(200);
        assertThat(ProxyClient.isLimited(open)).isFalse();
      }
      assertThat(inTime(() -> proxyClient.post("/api/a", 100_000, "X-API-Key", "kill")).body())
          .startsWith("POST /api/a 100000\n");
    } finally {
      weir.program().startAgain();
    }

    awaitWeir();
    assertThat(proxyClient.statuses(4, "/api/a", "X-API-Key", "kill"))
        .containsExactly(200, 200, 200, 429);
  }

  @Test
  void failsOpenWhileWeirHangs() {
    assertThat(proxyClient.statuses(4, "/api/a", "X-API-Key", "hang"))
        .containsExactly(200, 200, 200, 429);

    weir.program().suspend();
    try {
      for (int i = 0; i < 2; i++) {
        HttpResponse<String> open = inTime(() -> proxyClient.get("/api/a", "X-API-Key", "hang"));
        assertThat(open.statusCode()).isEqualTo(200);
        assertThat(ProxyClient.isLimited(open)).isFalse();
      }
    } finally {
      weir.program().resume();
    }

    awaitWeir();
    assertThat(proxyClient.statuses(2, "/api/a", "X-API-Key", "hang"))
        .as("it has forgotten nothing")
        .isEqualTo(List.of(429, 429));
  }

  @Test
  void failClosedVariantRefusesWhileWeirIsDown() {
    int port = Ports.free();
    int closedPort = Ports.free();
    Map<String, String> files = closed(files(port, closedPort, application.port()));
    try (Program closed = kind().start(files, port)) {
      HttpResponse<String> response = inTime(() -> new ProxyClient(port).get("/free"));
      assertThat(response.statusCode()).as(closed.log()).isEqualTo(statusWhenClosed());
      assertThat(response.body()).doesNotContain("GET /free");
    }
  }

  private static <T> T inTime(Supplier<T> response) {
    long start = System.nanoTime();
    T got = response.get();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(BOUND);
    return got;
  }
}
