package io.weir.server.nodes;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.weir.server.rls.proto.core.HeaderValue;
import io.weir.server.rls.proto.descriptor.RateLimitDescriptor;
import io.weir.server.rls.proto.service.RateLimitRequest;
import io.weir.server.rls.proto.service.RateLimitResponse;
import io.weir.server.rls.proto.service.RateLimitServiceGrpc;
import java.util.concurrent.TimeUnit;

/** Calls as Envoy does, with one descriptor of two entries. */
final class GrpcCaller implements Caller {
  private final ManagedChannel channel;

  GrpcCaller(WeirNode node) {
    channel = NettyChannelBuilder.forAddress("127.0.0.1", node.port()).usePlaintext().build();
  }

  @Override
  public NodeResponse check(String kind, String user) {
    RateLimitRequest request =
        RateLimitRequest.newBuilder()
            .setDomain("shop")
            .addDescriptors(
                RateLimitDescriptor.newBuilder()
                    .addEntries(entry("kind", kind))
                    .addEntries(entry("user", user)))
            .build();
    try {
      RateLimitResponse response =
          RateLimitServiceGrpc.newBlockingStub(channel)
              .withDeadlineAfter(30, TimeUnit.SECONDS)
              .shouldRateLimit(request);
      boolean isCounted = response.getStatuses(0).hasCurrentLimit();
      Outcome outcome =
          switch (response.getOverallCode()) {
            case OK -> Outcome.ALLOWED;
            case OVER_LIMIT -> Outcome.REFUSED;
            default -> Outcome.BROKEN;
          };
      return new NodeResponse(outcome, !isCounted, retryAfter(response), response.toString());
    } catch (StatusRuntimeException e) {
      boolean isUnavailable =
          e.getStatus().getCode() == Status.Code.UNAVAILABLE
              && String.valueOf(e.getStatus().getDescription()).contains("store");
      return isUnavailable
          ? new NodeResponse(Outcome.UNAVAILABLE, true, "", e.toString())
          : NodeResponse.broken(e);
    }
  }

  private static String retryAfter(RateLimitResponse response) {
    return response.getResponseHeadersToAddList().stream()
        .filter(header -> header.getKey().equals("Retry-After"))
        .map(HeaderValue::getValue)
        .findFirst()
        .orElse("");
  }

  private static RateLimitDescriptor.Entry entry(String key, String value) {
    return RateLimitDescriptor.Entry.newBuilder().setKey(key).setValue(value).build();
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }

  @Override
  public String toString() {
    return "gRPC to " + channel.authority();
  }
}
