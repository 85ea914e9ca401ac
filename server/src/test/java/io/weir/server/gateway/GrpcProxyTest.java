package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.StreamObserver;
import java.net.URI;
import java.util.Iterator;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** gRPC is forwarded unchanged between a real client and a real server. */
class GrpcProxyTest {
  private final HealthStatusManager health = new HealthStatusManager();
  private Server server;
  private GatewayFixture gatewayFixture;
  private ManagedChannel channel;

  @BeforeEach
  void start() throws Exception {
    server =
        NettyServerBuilder.forPort(0)
            .addService(health.getHealthService())
            .addService(ProtoReflectionServiceV1.newInstance())
            .build()
            .start();
    gatewayFixture =
        new GatewayFixture.Builder("rules: [ { name: r, limit: 1000 per second } ]")
            .upstream(URI.create("h2c://127.0.0.1:" + server.getPort()))
            .build();
    channel =
        NettyChannelBuilder.forAddress("127.0.0.1", gatewayFixture.port()).usePlaintext().build();
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    gatewayFixture.close();
    server.shutdownNow();
  }

  @Test
  void forwardsUnaryCall() {
    HealthCheckResponse response =
        HealthGrpc.newBlockingStub(channel)
            .withDeadlineAfter(30, TimeUnit.SECONDS)
            .check(HealthCheckRequest.getDefaultInstance());
    assertThat(response.getStatus()).isEqualTo(ServingStatus.SERVING);
  }

  /** The status comes in the head alone, which is the trailers too. */
  @Test
  void forwardsErrorStatus() {
    assertThatThrownBy(
            () ->
                HealthGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(30, TimeUnit.SECONDS)
                    .check(HealthCheckRequest.newBuilder().setService("none").build()))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND));
  }

  @Test
  void streamsResponsesAsTheyAreSent() {
    health.setStatus("a", ServingStatus.NOT_SERVING);
    Iterator<HealthCheckResponse> responses =
        HealthGrpc.newBlockingStub(channel)
            .withDeadlineAfter(30, TimeUnit.SECONDS)
            .watch(HealthCheckRequest.newBuilder().setService("a").build());
    assertThat(responses.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
    health.setStatus("a", ServingStatus.SERVING);
    assertThat(responses.next().getStatus()).isEqualTo(ServingStatus.SERVING);
  }

  @Test
  void streamsBothWaysAtOnce() throws Exception {
    LinkedBlockingQueue<Object> responses = new LinkedBlockingQueue<>();
    StreamObserver<ServerReflectionRequest> requests =
        ServerReflectionGrpc.newStub(channel)
            .withDeadlineAfter(30, TimeUnit.SECONDS)
            .serverReflectionInfo(
                new StreamObserver<>() {
                  @Override
                  public void onNext(ServerReflectionResponse response) {
                    responses.add(response);
                  }

                  @Override
                  public void onError(Throwable failure) {
                    responses.add(failure);
                  }

                  @Override
                  public void onCompleted() {
                    responses.add("done");
                  }
                });
    for (int i = 0; i < 3; i++) {
      requests.onNext(ServerReflectionRequest.newBuilder().setListServices("").build());
      assertThat(responses.poll(30, TimeUnit.SECONDS)).isInstanceOf(ServerReflectionResponse.class);
    }
    requests.onCompleted();
    assertThat(responses.poll(30, TimeUnit.SECONDS)).isEqualTo("done");
  }
}
