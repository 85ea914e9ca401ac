package io.weir.bench.path;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.Limit;
import io.weir.RateLimiter;
import io.weir.bench.jmh.CpuTimedBenchmark;
import io.weir.rules.Request;
import io.weir.rules.RequestDecision;
import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleFiles;
import io.weir.rules.http.DecisionResponses;
import io.weir.rules.http.HeaderStyle;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Requests of a thousand callers: a bare check of the limiter, or the decision by rules with the
 * headers of the response. All are allowed.
 */
@State(Scope.Thread)
public class DecisionPath extends CpuTimedBenchmark {
  private static final int WARM_UP = 1_000_000;
  private static final int CALLERS = 1024;
  private static final String ONE_RULE =
      """
      rules:
        - { name: each-user, per: user, limit: 1000000 per second }
      """;
  private static final String FOUR_MORE =
      """
        - { name: each-address, per: ip, limit: 1000000 per second }
        - { name: login, match: { path: /login }, per: ip, limit: 10 per minute }
        - { name: search, match: { path: /search }, per: ip, limit: 10 per minute }
        - { name: export, match: { path: /export, method: POST }, per: user, limit: 10 per minute }
      """;

  /** What is measured: one of {@link Scenario}. */
  @Param("CORE")
  public Scenario scenario;

  private final Request[] requests = new Request[CALLERS];
  private final String[] keys = new String[CALLERS];
  private final RateLimiter core = RateLimiter.of(Limit.tokenBucket(1_000_000).perSecond());
  private final DecisionResponses responses = new DecisionResponses(HeaderStyle.DEFAULT);
  private RequestLimiter limiter;
  private int next;

  /** The scenarios. */
  public enum Scenario {
    /** A check of a limiter by its key. */
    CORE("a bare check"),
    /** One rule. */
    ONE_RULE("1 rule, headers"),
    /** Five rules, of which two apply. */
    TWO_OF_FIVE("5 rules of which 2 apply, headers");

    private final String title;

    Scenario(String title) {
      this.title = title;
    }

    String title() {
      return title;
    }
  }

  /** Opens the limiter and warms it up. */
  @Setup
  public void open() {
    limiter = RequestLimiter.builder(rules()).build();
    for (int i = 0; i < CALLERS; i++) {
      String user = "user-" + i;
      keys[i] = user;
      requests[i] =
          name ->
              switch (name) {
                case "user" -> user;
                case "ip" -> "203.0.113.7";
                case "path" -> "/orders/17";
                case "method" -> "GET";
                default -> null;
              };
    }
    for (int i = 0; i < WARM_UP; i++) {
      decide();
    }
  }

  private RuleSet rules() {
    String yaml = scenario == Scenario.TWO_OF_FIVE ? ONE_RULE + FOUR_MORE : ONE_RULE;
    return RuleFiles.read("rules.yaml", yaml.getBytes(UTF_8)).rules().orElseThrow();
  }

  /** One decision. */
  @Benchmark
  public Object decide() {
    count();
    next = next + 1 & CALLERS - 1;
    if (scenario == Scenario.CORE) {
      return core.check(keys[next]);
    }
    RequestDecision decision = limiter.checkAsync(requests[next]).toCompletableFuture().join();
    return responses.headers(decision);
  }
}
