package io.weir.server.rls;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.vertx.core.Vertx;
import io.weir.decision.DecisionCounters;
import io.weir.decision.DecisionEngine;
import io.weir.rules.RequestLimiter;
import io.weir.server.ServerSettings;
import io.weir.server.connection.MemoryBudget;
import io.weir.server.connection.ServerLimits;
import io.weir.server.http.Bodies;
import io.weir.server.http.Listener;
import io.weir.server.http.Router;
import io.weir.server.http.TokenAuth;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A service that listens already, and is not ready yet. */
class HealthBeforeReadyTest {
  private static final String RULES = "domain: d\nrules: [ { name: all, limit: 1 per hour } ]\n";

  @Test
  void servesOnlyOnceReady() {
    Vertx vertx = Vertx.vertx();
    ManagedChannel channel = null;
    try {
      RateLimitService service =
          new RateLimitService(
              new DecisionEngine(
                  RequestLimiter.builder(Rls.rules(RULES)).build(), new DecisionCounters()),
              ServerSettings.DEMO,
              new TokenAuth(Optional.empty()),
              new Bodies(new MemoryBudget()));
      channel =
          NettyChannelBuilder.forAddress("127.0.0.1", listen(vertx, service))
              .usePlaintext()
              .build();
      HealthGrpc.HealthBlockingStub health =
          HealthGrpc.newBlockingStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS);
      HealthCheckRequest all = HealthCheckRequest.getDefaultInstance();
      assertThat(health.check(all).getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
      Iterator<HealthCheckResponse> watched = health.watch(all);
      assertThat(watched.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
      service.ready();
      assertThat(watched.next().getStatus()).isEqualTo(ServingStatus.SERVING);
      assertThat(health.check(all).getStatus()).isEqualTo(ServingStatus.SERVING);
    } finally {
      if (channel != null) {
        channel.shutdownNow();
      }
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  private static int listen(Vertx vertx, RateLimitService service) {
    return Listener.open(
            vertx, ServerLimits.PEERS.at("127.0.0.1", 0), 1, service.server(new Router()))
        .toCompletionStage()
        .toCompletableFuture()
        .join()
        .port();
  }
}
