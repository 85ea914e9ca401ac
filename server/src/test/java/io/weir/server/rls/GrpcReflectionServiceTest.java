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

/** What tools such as grpcurl ask, by gRPC's own messages: enough to call without any file. */
class GrpcReflectionServiceTest {
  private static final String RULES =
      "domain: d\ndescriptors:\n  - key: k\n    rate_limit: { unit: hour, requests_per_unit: 1 }\n";

  private static List<ServerReflectionResponse> ask(ServerReflectionRequest... requests)
      throws InterruptedException {
    BlockingQueue<Object> heard = new LinkedBlockingQueue<>();
    List<ServerReflectionResponse> answers = new ArrayList<>();
    try (Rls rls = Rls.of(RULES)) {
      StreamObserver<ServerReflectionRequest> call =
          ServerReflectionGrpc.newStub(rls.channel)
              .withDeadlineAfter(30, TimeUnit.SECONDS)
              .serverReflectionInfo(
                  new StreamObserver<>() {
                    @Override
                    public void onNext(ServerReflectionResponse response) {
                      heard.add(response);
                    }

                    @Override
                    public void onError(Throwable failure) {
                      heard.add(failure);
                    }

                    @Override
                    public void onCompleted() {
                      heard.add("completed");
                    }
                  });
      for (ServerReflectionRequest request : requests) {
        call.onNext(request);
        answers.add((ServerReflectionResponse) heard.poll(30, TimeUnit.SECONDS));
      }
      call.onCompleted();
      assertThat(heard.poll(30, TimeUnit.SECONDS)).isEqualTo("completed");
    }
    return answers;
  }

  @Test
  void listsServices() throws InterruptedException {
    ServerReflectionRequest request =
        ServerReflectionRequest.newBuilder().setHost("h").setListServices("*").build();
    ServerReflectionResponse answer = ask(request).get(0);
    assertThat(answer.getValidHost()).isEqualTo("h");
    assertThat(answer.getOriginalRequest()).isEqualTo(request);
    assertThat(answer.getListServicesResponse().getServiceList())
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
      ServerReflectionResponse answer =
          ask(ServerReflectionRequest.newBuilder().setFileContainingSymbol(symbol).build()).get(0);
      FileDescriptor file = built(answer.getFileDescriptorResponse().getFileDescriptorProtoList());
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
  void knowsFilesByName() throws InterruptedException {
    ServerReflectionResponse answer =
        ask(ServerReflectionRequest.newBuilder()
                .setFileByFilename("envoy/type/v3/ratelimit_unit.proto")
                .build())
            .get(0);
    assertThat(answer.getFileDescriptorResponse().getFileDescriptorProtoCount()).isEqualTo(1);
  }

  @Test
  void saysWhatItDoesNotKnowAndGoesOn() throws InterruptedException {
    List<ServerReflectionResponse> answers =
        ask(
            ServerReflectionRequest.newBuilder().setFileContainingSymbol("no.Such").build(),
            ServerReflectionRequest.newBuilder().setFileByFilename("no.proto").build(),
            ServerReflectionRequest.newBuilder().setAllExtensionNumbersOfType("x").build(),
            ServerReflectionRequest.getDefaultInstance(),
            ServerReflectionRequest.newBuilder().setListServices("").build());
    assertThat(answers)
        .extracting(answer -> answer.getErrorResponse().getErrorCode())
        .containsExactly(5, 5, 5, 3, 0);
  }

  @Test
  void aBuildWithoutItsFilesSaysSo() {
    org.assertj.core.api.Assertions.assertThatThrownBy(() -> ProtoFiles.bytes("nothing.desc"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("nothing.desc is missing");
  }
}
