package io.weir.server.rls;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.reflection.v1.ServiceResponse;
import io.grpc.stub.StreamObserver;
import io.weir.server.rls.proto.service.RateLimitRequest;
import io.weir.server.rls.proto.service.RateLimitResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The calls of tools such as grpcurl, with gRPC's own messages: enough to call without any file.
 */
class GrpcReflectionServiceTest {
  private static final String RULES =
      "domain: d\ndescriptors:\n  - key: k\n    rate_limit: { unit: hour, requests_per_unit: 1 }\n";

  private static List<ServerReflectionResponse> call(ServerReflectionRequest... requests)
      throws InterruptedException {
    BlockingQueue<Object> received = new LinkedBlockingQueue<>();
    List<ServerReflectionResponse> responses = new ArrayList<>();
    try (Rls rls = Rls.of(RULES)) {
      StreamObserver<ServerReflectionRequest> call =
          ServerReflectionGrpc.newStub(rls.channel)
              .withDeadlineAfter(30, TimeUnit.SECONDS)
              .serverReflectionInfo(
                  new StreamObserver<>() {
                    @Override
                    public void onNext(ServerReflectionResponse response) {
                      received.add(response);
                    }

                    @Override
                    public void onError(Throwable failure) {
                      received.add(failure);
                    }

                    @Override
                    public void onCompleted() {
                      received.add("completed");
                    }
                  });
      for (ServerReflectionRequest request : requests) {
        call.onNext(request);
        responses.add((ServerReflectionResponse) received.poll(30, TimeUnit.SECONDS));
      }
      call.onCompleted();
      assertThat(received.poll(30, TimeUnit.SECONDS)).isEqualTo("completed");
    }
    return responses;
  }

  @Test
  void listsServices() throws InterruptedException {
    ServerReflectionRequest request =
        ServerReflectionRequest.newBuilder().setHost("h").setListServices("*").build();
    ServerReflectionResponse response = call(request).get(0);
    assertThat(response.getValidHost()).isEqualTo("h");
    assertThat(response.getOriginalRequest()).isEqualTo(request);
    assertThat(response.getListServicesResponse().getServiceList())
        .extracting(ServiceResponse::getName)
        .containsExactlyInAnyOrder(
            "envoy.service.ratelimit.v3.RateLimitService",
            "grpc.health.v1.Health",
            "grpc.reflection.v1.ServerReflection",
            "grpc.reflection.v1alpha.ServerReflection");
  }

  @Test
  void givesAllThatIsNeededToCallAMethod() throws Exception {
    for (String symbol :
        List.of(
            "envoy.service.ratelimit.v3.RateLimitService",
            "envoy.service.ratelimit.v3.RateLimitService.ShouldRateLimit",
            "envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus")) {
      ServerReflectionResponse response =
          call(ServerReflectionRequest.newBuilder().setFileContainingSymbol(symbol).build()).get(0);
      FileDescriptor file =
          built(response.getFileDescriptorResponse().getFileDescriptorProtoList());
      assertThat(file.findServiceByName("RateLimitService").findMethodByName("ShouldRateLimit"))
          .isNotNull();
      for (Descriptor known :
          List.of(RateLimitRequest.getDescriptor(), RateLimitResponse.getDescriptor())) {
        assertThat(fields(file.findMessageTypeByName(known.getName()))).isEqualTo(fields(known));
      }
    }
  }

  private static List<String> fields(Descriptor message) {
    return message.getFields().stream()
        .map(field -> field.getNumber() + " " + field.getFullName() + " " + field.getType())
        .toList();
  }

  /** The first file, with all that it imports from among the others. */
  private static FileDescriptor built(List<ByteString> files) throws Exception {
    List<FileDescriptorProto> protos = new ArrayList<>();
    for (ByteString file : files) {
      protos.add(FileDescriptorProto.parseFrom(file));
    }
    Map<String, FileDescriptorProto> byName =
        protos.stream()
            .collect(Collectors.toMap(FileDescriptorProto::getName, Function.identity()));
    return built(protos.get(0), byName);
  }

  private static FileDescriptor built(
      FileDescriptorProto file, Map<String, FileDescriptorProto> all) throws Exception {
    List<FileDescriptor> imports = new ArrayList<>();
    for (String name : file.getDependencyList()) {
      assertThat(all).containsKey(name);
      imports.add(built(all.get(name), all));
    }
    return FileDescriptor.buildFrom(file, imports.toArray(FileDescriptor[]::new));
  }

  @Test
  void findsFilesByName() throws InterruptedException {
    ServerReflectionResponse response =
        call(ServerReflectionRequest.newBuilder()
                .setFileByFilename("envoy/type/v3/ratelimit_unit.proto")
                .build())
            .get(0);
    assertThat(response.getFileDescriptorResponse().getFileDescriptorProtoCount()).isEqualTo(1);
  }

  @Test
  void reportsUnknownNamesAndContinues() throws InterruptedException {
    List<ServerReflectionResponse> responses =
        call(
            ServerReflectionRequest.newBuilder().setFileContainingSymbol("no.Such").build(),
            ServerReflectionRequest.newBuilder().setFileByFilename("no.proto").build(),
            ServerReflectionRequest.newBuilder().setAllExtensionNumbersOfType("x").build(),
            ServerReflectionRequest.getDefaultInstance(),
            ServerReflectionRequest.newBuilder().setListServices("").build());
    assertThat(responses)
        .extracting(response -> response.getErrorResponse().getErrorCode())
        .containsExactly(5, 5, 5, 3, 0);
  }

  @Test
  void buildWithoutDashboardFilesReportsIt() {
    org.assertj.core.api.Assertions.assertThatThrownBy(() -> ProtoFiles.bytes("nothing.desc"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("nothing.desc is missing");
  }
}
