package io.weir.server.rls;

import static io.weir.server.rls.RawGrpc.METHOD;
import static io.weir.server.rls.RawGrpc.message;
import static io.weir.server.rls.Rls.descriptor;
import static io.weir.server.rls.Rls.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.weir.decision.DecisionCounters;
import io.weir.decision.DecisionEngine;
import io.weir.rig.ProcessReaper;
import io.weir.rig.Program;
import io.weir.rules.RequestLimiter;
import io.weir.server.ServerSettings;
import io.weir.server.connection.LimitingTransport;
import io.weir.server.connection.MemoryBudget;
import io.weir.server.connection.ServerLimits;
import io.weir.server.grpc.GrpcServer;
import io.weir.server.http.Bodies;
import io.weir.server.http.Listener;
import io.weir.server.http.Router;
import io.weir.server.http.TokenAuth;
import io.weir.server.rls.proto.service.RateLimitRequest;
import io.weir.server.rls.proto.service.RateLimitResponse;
import io.weir.server.rls.proto.service.RateLimitServiceGrpc;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many calls at once. */
class LoadTest {
  private static final String RULES =
      """
      domain: d
      descriptors:
        - key: k
          rate_limit: { unit: year, requests_per_unit: 2000 }
      """;
  private static final byte[] BODY = request("d", descriptor("k", "v")).build().toByteArray();

  @Test
  void allowsExactlyTheLimit() throws Exception {
    try (Rls rls = Rls.of(RULES)) {
      RateLimitServiceGrpc.RateLimitServiceFutureStub stub =
          RateLimitServiceGrpc.newFutureStub(rls.channel).withDeadlineAfter(60, TimeUnit.SECONDS);
      RateLimitRequest request = request("d", descriptor("k", "v")).build();
      List<ListenableFuture<RateLimitResponse>> calls = new ArrayList<>();
      for (int i = 0; i < 5000; i++) {
        calls.add(stub.shouldRateLimit(request));
      }
      long allowed =
          Futures.allAsList(calls).get(60, TimeUnit.SECONDS).stream()
              .filter(response -> response.getOverallCode() == RateLimitResponse.Code.OK)
              .count();
      assertThat(allowed).isEqualTo(2000);
    }
  }

  /** The first of them waits for its message until the last is open, on a machine that is slow. */
  @Test
  void tenThousandStreamsAreOpenAtOnce() throws IOException {
    int connections = 10;
    int streams = 1000;
    List<RawGrpc> open = new ArrayList<>();
    Vertx vertx = LimitingTransport.vertx(new VertxOptions());
    try {
      int port = listen(vertx, Duration.ofMinutes(2));
      for (int i = 0; i < connections; i++) {
        RawGrpc raw = new RawGrpc(port);
        open.add(raw);
        for (int k = 0; k < streams; k++) {
          raw.begin(METHOD);
        }
      }
      for (RawGrpc raw : open) {
        for (int id = 1; id < 2 * streams; id += 2) {
          raw.data(id, true, message(0, BODY.length, BODY));
        }
      }
      for (RawGrpc raw : open) {
        assertThat(raw.outcomes(streams)).hasSize(streams).containsOnly("0");
        int more = raw.begin(METHOD);
        raw.data(more, true, message(0, BODY.length, BODY));
        assertThat(raw.outcome(more)).isEqualTo("0");
      }
    } finally {
      for (RawGrpc raw : open) {
        raw.close();
      }
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  private static int listen(Vertx vertx, Duration timeout) {
    DecisionEngine decisionEngine =
        new DecisionEngine(
            RequestLimiter.builder(Rls.rules(RULES)).build(), new DecisionCounters());
    TokenAuth tokenAuth = new TokenAuth(Optional.empty());
    RateLimitService service =
        new RateLimitService(
            decisionEngine, ServerSettings.DEMO, tokenAuth, new Bodies(new MemoryBudget()));
    GrpcServer server = service.server(new Router()).messageTimeout(timeout);
    return Listener.open(vertx, ServerLimits.PEERS.at("127.0.0.1", 0), 2, server)
        .toCompletionStage()
        .toCompletableFuture()
        .join()
        .port();
  }

  @Test
  void refusesExcessStreamsAndServesTheOthers() throws IOException {
    try (Rls rls = Rls.of(RULES);
        RawGrpc raw = new RawGrpc(rls.server.servicePort())) {
      int last = 0;
      for (int k = 0; k < 1001; k++) {
        last = raw.begin(METHOD);
      }
      assertThat(raw.outcome(last)).isEqualTo("reset");
      raw.data(1, true, message(0, BODY.length, BODY));
      assertThat(raw.outcome(1)).isEqualTo("0");
    }
  }

  @Test
  void servesLoadGenerator(@TempDir Path directory) throws Exception {
    assumeTrue(Program.find("h2load").isPresent(), "h2load (nghttp2-client) is not installed");
    Path body = Files.write(directory.resolve("body"), message(0, BODY.length, BODY));
    try (Rls rls = Rls.of(RULES)) {
      Process process =
          new ProcessBuilder(
                  "h2load",
                  "--requests=4000",
                  "--clients=4",
                  "--max-concurrent-streams=50",
                  "--data=" + body,
                  "--header=content-type: application/grpc",
                  "--header=te: trailers",
                  "http://127.0.0.1:" + rls.server.servicePort() + METHOD)
              .redirectErrorStream(true)
              .start();
      ProcessReaper.born(process);
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      ProcessReaper.died(process);
      assertThat(said).contains("4000 succeeded, 0 failed, 0 errored, 0 timeout");
      assertThat(Rls.summary(rls.call("d", descriptor("k", "v")))).containsExactly("OVER_LIMIT 0");
    }
  }
}
