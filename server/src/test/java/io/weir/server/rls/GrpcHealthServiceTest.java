package io.weir.server.rls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.StreamObserver;
import io.weir.rig.Await;
import io.weir.server.ServerSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The calls of load balancers and Kubernetes, with their own messages. */
@Tag("slow")
class GrpcHealthServiceTest {
  private static final String RULES =
      "domain: d\ndescriptors:\n  - key: k\n    rate_limit: { unit: hour, requests_per_unit: 1 }\n";

  private static HealthCheckRequest about(String service) {
    return HealthCheckRequest.newBuilder().setService(service).build();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "envoy.service.ratelimit.v3.RateLimitService", "ratelimit"})
  void servesUnderEachName(String service) {
    try (Rls rls = Rls.of(RULES)) {
      assertThat(health(rls).check(about(service)).getStatus()).isEqualTo(ServingStatus.SERVING);
    }
  }

  private static HealthGrpc.HealthBlockingStub health(Rls rls) {
    return HealthGrpc.newBlockingStub(rls.channel).withDeadlineAfter(30, TimeUnit.SECONDS);
  }

  @Test
  void reportsOnlyKnownServices() {
    try (Rls rls = Rls.of(RULES)) {
      assertThatThrownBy(() -> health(rls).check(about("other")))
          .isInstanceOf(StatusRuntimeException.class)
          .hasMessageStartingWith("NOT_FOUND");
    }
  }

  @Test
  void needsNoToken() {
    try (Rls rls =
        Rls.of(
            1234, s -> s.serviceToken(new ServerSettings.Secret("a-long-enough-token")), RULES)) {
      assertThat(health(rls).check(about("")).getStatus()).isEqualTo(ServingStatus.SERVING);
      assertThatThrownBy(() -> rls.call("d", Rls.descriptor("k", "v")))
          .hasMessageStartingWith("UNAUTHENTICATED");
    }
  }

  @Test
  void endsWatchesOfUnknownServices() throws Exception {
    try (Rls rls = Rls.of(RULES);
        RawGrpc raw = new RawGrpc(rls.server.servicePort())) {
      int id = watchUnknown(raw);
      HealthCheckResponse unknown =
          HealthGrpc.newBlockingStub(rls.channel).watch(about("other")).next();
      assertThat(unknown.getStatus()).isEqualTo(ServingStatus.SERVICE_UNKNOWN);
      long before = System.nanoTime();
      rls.server.drain();
      assertThat(Duration.ofNanos(System.nanoTime() - before))
          .isLessThan(ServerSettings.DEMO.drain()); // without waiting for watches
      assertThat(raw.outcome(id)).isEqualTo("14");
    }
  }

  @Test
  void watchesOfOneConnectionDoNotBlockOthers() throws Exception {
    try (Rls rls = Rls.of(RULES);
        RawGrpc greedy = new RawGrpc(rls.server.servicePort())) {
      int last = 0;
      for (int i = 0; i < 17; i++) {
        last = watchUnknown(greedy);
      }
      assertThat(greedy.outcome(last)).as("RESOURCE_EXHAUSTED").isEqualTo("8");
      assertThat(HealthGrpc.newBlockingStub(rls.channel).watch(about("")).next().getStatus())
          .isEqualTo(ServingStatus.SERVING);
      greedy.reset(1);
      Await.holds(
          "a stopped watch frees its place",
          () -> {
            int again = watchUnknown(greedy);
            int ping = greedy.begin("/grpc.health.v1.Health/Check");
            greedy.data(ping, true, RawGrpc.message(0, 0, new byte[0]));
            boolean isAdmitted = greedy.outcomes(1).get(0).equals("0") && again > 0;
            return isAdmitted || greedy.outcome(ping).isEmpty();
          });
    }
  }

  @Test
  void countsWatchesOfUnknownServices() throws Exception {
    List<RawGrpc> many = new ArrayList<>();
    try (Rls rls = Rls.of(RULES)) {
      for (int i = 0; i < 63; i++) {
        RawGrpc one = new RawGrpc(rls.server.servicePort());
        many.add(one);
        for (int k = 0; k < 16; k++) {
          watchUnknown(one);
        }
      }
      Await.holds(
          "no more may watch",
          () -> {
            try (RawGrpc more = new RawGrpc(rls.server.servicePort())) {
              int last = watchUnknown(more);
              int ping = more.begin("/grpc.health.v1.Health/Check");
              more.data(ping, true, RawGrpc.message(0, 0, new byte[0]));
              return more.outcomes(1).get(0).equals("8") && last > 0;
            }
          });
    } finally {
      for (RawGrpc one : many) {
        one.close();
      }
    }
  }

  private static int watchUnknown(RawGrpc raw) throws IOException {
    byte[] other = about("other").toByteArray();
    int id = raw.begin("/grpc.health.v1.Health/Watch");
    raw.data(id, true, RawGrpc.message(0, other.length, other));
    return id;
  }

  @Test
  void reportsDrainToWatchesAndEndsThem() throws InterruptedException {
    BlockingQueue<Object> received = new LinkedBlockingQueue<>();
    try (Rls rls = Rls.of(RULES)) {
      HealthGrpc.newStub(rls.channel)
          .watch(
              about("ratelimit"),
              new StreamObserver<>() {
                @Override
                public void onNext(HealthCheckResponse response) {
                  received.add(response.getStatus());
                }

                @Override
                public void onError(Throwable gone) {
                  received.add(Status.fromThrowable(gone).getCode());
                }

                @Override
                public void onCompleted() {
                  received.add("completed");
                }
              });
      assertThat(received.poll(30, TimeUnit.SECONDS)).isEqualTo(ServingStatus.SERVING);
      long before = System.nanoTime();
      rls.server.drain();
      assertThat(Duration.ofNanos(System.nanoTime() - before))
          .isLessThan(ServerSettings.DEMO.drain()); // without waiting for watches
      assertThat(received.poll(30, TimeUnit.SECONDS)).isEqualTo(ServingStatus.NOT_SERVING);
      assertThat(received.poll(30, TimeUnit.SECONDS)).isEqualTo(Status.Code.UNAVAILABLE);
    }
  }
}
