package io.weir.bench.gateway.limiting;

import io.weir.bench.jmh.CpuTimedBenchmark;
import io.weir.decision.DecisionCounters;
import io.weir.decision.DecisionEngine;
import io.weir.rules.RequestDecision;
import io.weir.rules.RequestLimiter;
import io.weir.rules.file.RuleFiles;
import io.weir.rules.http.DecisionResponses;
import io.weir.rules.http.Header;
import io.weir.rules.http.HeaderStyle;
import io.weir.rules.http.HttpRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Everything that the gateway does with a request beyond a proxy without limits. */
@State(Scope.Thread)
public class Limiting extends CpuTimedBenchmark {
  private static final int CLIENTS = 10_000;
  private static final int ORDER = 1 << 16;

  /** Counted, not timed: on a busy machine the compiler may wait for a processor. */
  private static final int WARM_UP = 2_000_000;

  private static final int HEADERS_OF_A_RULE = 5;

  @Param("ONE")
  public RuleFile rules;

  private final HttpRequest[] requests = new HttpRequest[ORDER];
  private DecisionEngine decisionEngine;
  private DecisionResponses decisionResponses;
  private int next;

  @Setup
  public void prepare() throws IOException {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < ORDER; i++) {
      requests[i] = request(random.nextInt(CLIENTS));
    }
    Path file = Files.createTempFile("bench", ".yaml");
    try {
      Files.writeString(file, rules.text());
      decisionEngine =
          new DecisionEngine(
              RequestLimiter.builder(RuleFiles.load(List.of(file))).build(),
              new DecisionCounters());
    } finally {
      Files.delete(file);
    }
    decisionResponses = new DecisionResponses(HeaderStyle.DEFAULT);
    for (int i = 0; i < WARM_UP; i++) {
      int headers = limit().size();
      if (headers != HEADERS_OF_A_RULE) {
        throw new IllegalStateException(headers + " headers instead of " + HEADERS_OF_A_RULE);
      }
    }
  }

  private static HttpRequest request(int client) {
    return new HttpRequest(
        "GET",
        "/api/v1/orders/" + client % 100,
        List.of(
            new Header("Host", "api.example.com"),
            new Header("User-Agent", "bench/1"),
            new Header("Accept", "application/json"),
            new Header("X-API-Key", "key-" + client)),
        "203.0.113." + client % 250,
        "api.example.com",
        1);
  }

  @Benchmark
  public List<Header> limit() {
    count();
    next = next + 1 & ORDER - 1;
    RequestDecision requestDecision =
        decisionEngine.decide(requests[next]).toCompletableFuture().join();
    if (!requestDecision.allowed()) {
      throw new IllegalStateException("refused");
    }
    return decisionResponses.headers(requestDecision);
  }
}
