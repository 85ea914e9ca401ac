package io.weir.bench.service.floor;

import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.vertx.grpc.server.GrpcServer;
import io.weir.server.rls.proto.service.RateLimitRequest;
import io.weir.server.rls.proto.service.RateLimitResponse;

/** {@code ShouldRateLimit} that parses the request with generated classes and always allows. */
public final class EmptyService {
  private static final ServiceMethod<RateLimitRequest, RateLimitResponse> METHOD =
      ServiceMethod.server(
          ServiceName.create("envoy.service.ratelimit.v3", "RateLimitService"),
          "ShouldRateLimit",
          GrpcMessageEncoder.encoder(),
          GrpcMessageDecoder.decoder(RateLimitRequest.newBuilder()));

  private static final RateLimitResponse OK =
      RateLimitResponse.newBuilder().setOverallCode(RateLimitResponse.Code.OK).build();

  private EmptyService() {}

  /** Argument: the port. */
  public static void main(String[] args) {
    LoopbackServer.on(
        Integer.parseInt(args[0]),
        vertx ->
            GrpcServer.server(vertx)
                .callHandler(METHOD, call -> call.handler(request -> call.response().end(OK))));
  }
}
