package io.weir.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.weir.TimeSource;
import io.weir.rig.CapturedLog;
import io.weir.rules.match.MalformedRequestException;
import io.weir.rules.match.Network;
import io.weir.runtime.Node;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What a client of a gRPC server sees of the interceptor, with a store in this process. */
class InterceptorTest {
  private static EchoServer start(String rules, UnaryOperator<WeirServerInterceptor.Builder> as)
      throws Exception {
    return new EchoServer(
        as.apply(
                WeirServerInterceptor.builder(Rules.node(rules).time(TimeSource.manual()).open())
                    .closesNode())
            .build());
  }

  private static StatusRuntimeException refused(EchoServer server, Metadata sent) {
    return catchThrowableOfType(
        StatusRuntimeException.class,
        () -> server.say("a", sent, new EchoServer.ReceivedMetadata()));
  }

  @Test
  void refusesTheThirdCallWithARetryDelay() throws Exception {
    String rules =
        """
        rules:
          - name: say
            match: { path: /shop.Echo/Say, method: POST, host: 127.0.0.1 }
            per: ip
            limit: { rate: 2 per 3s, burst: 2 }
        """;
    try (EchoServer server = start(rules, as -> as)) {
      for (int left = 1; left >= 0; left--) {
        EchoServer.ReceivedMetadata receivedMetadata = new EchoServer.ReceivedMetadata();
        assertThat(server.say("a", new Metadata(), receivedMetadata)).isEqualTo("heard a");
        assertThat(receivedMetadata.header("x-ratelimit-limit")).isEqualTo("2");
        assertThat(receivedMetadata.header("x-ratelimit-remaining"))
            .isEqualTo(String.valueOf(left));
        assertThat(receivedMetadata.header("ratelimit-policy")).isEqualTo("\"say\";q=2;w=3");
        assertThat(receivedMetadata.trailer("x-ratelimit-limit")).isNull();
      }
      StatusRuntimeException refused = refused(server, new Metadata());
      assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      assertThat(refused.getStatus().getDescription())
          .isEqualTo("the limit of rule 'say' is exceeded; retry after 1500 ms");
      com.google.rpc.Status details = StatusProto.fromThrowable(refused);
      assertThat(details.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED.value());
      assertThat(details.getMessage()).isEqualTo(refused.getStatus().getDescription());
      RetryInfo retry = details.getDetails(0).unpack(RetryInfo.class);
      assertThat(retry.getRetryDelay().getSeconds()).isEqualTo(1);
      assertThat(retry.getRetryDelay().getNanos()).isEqualTo(500_000_000);
      EchoServer.ReceivedMetadata receivedMetadata = new EchoServer.ReceivedMetadata();
      receivedMetadata.trailers.set(refused.getTrailers());
      assertThat(receivedMetadata.trailer("retry-after")).isEqualTo("2");
      assertThat(receivedMetadata.trailer("x-ratelimit-remaining")).isEqualTo("0");
      assertThat(receivedMetadata.trailer("grpc-retry-pushback-ms")).isEqualTo("1500");
      assertThat(receivedMetadata.trailer("cache-control")).isNull();
      assertThat(server.begun).hasValue(2);
    }
  }

  @Test
  void callThatNeverFitsMustNotBeRetried() throws Exception {
    String rules = "rules: [ { name: none, limit: 0 per second } ]";
    try (EchoServer server = start(rules, as -> as)) {
      StatusRuntimeException refused = refused(server, new Metadata());
      assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      assertThat(refused.getStatus().getDescription()).contains("can ever give");
      EchoServer.ReceivedMetadata receivedMetadata = new EchoServer.ReceivedMetadata();
      receivedMetadata.trailers.set(refused.getTrailers());
      assertThat(receivedMetadata.trailer("grpc-retry-pushback-ms")).isEqualTo("-1");
      assertThat(StatusProto.fromThrowable(refused).getDetailsList()).isEmpty();
    }
  }

  @Test
  void headersAreAttributesAndApplicationValuesPrecedeThem() throws Exception {
    String rules =
        """
        attributes: { key: { header: X-API-Key }, user: { header: X-User } }
        rules:
          - { name: key, per: key, limit: { algorithm: fixed-window, rate: 1 per day } }
          - { name: user, per: user, limit: { algorithm: fixed-window, rate: 1 per day } }
        """;
    try (EchoServer server =
        start(
            rules,
            as ->
                as.attribute(
                    "user",
                    (call, headers) -> EchoServer.ReceivedMetadata.of(headers, "x-login")))) {
      Metadata one = EchoServer.headers("x-api-key", "1");
      server.say("a", one, new EchoServer.ReceivedMetadata());
      assertThat(refused(server, one).getStatus().getDescription()).contains("'key'");
      server.say("a", EchoServer.headers("x-login", "ann"), new EchoServer.ReceivedMetadata());
      assertThat(
              refused(server, EchoServer.headers("x-login", "ann", "x-user", "bob"))
                  .getStatus()
                  .getDescription())
          .contains("'user'");
      EchoServer.ReceivedMetadata metadata = new EchoServer.ReceivedMetadata();
      server.say("a", EchoServer.headers("x-user", "ann"), metadata);
      assertThat(metadata.header("x-ratelimit-limit")).isNull();
      StatusRuntimeException twice =
          refused(server, EchoServer.headers("x-api-key", "2", "x-api-key", "3"));
      assertThat(twice.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
      assertThat(twice.getStatus().getDescription()).contains("header 'X-API-Key' is sent twice");
    }
  }

  @Test
  void trustsForwardedAddressesOfTrustedProxiesOnly() throws Exception {
    String rules =
        "rules: [ { name: client, per: ip, limit: { algorithm: fixed-window, rate: 1 per day } } ]";
    Metadata one = EchoServer.headers("x-forwarded-for", "6.6.6.6, 1.1.1.1");
    Metadata other = EchoServer.headers("x-forwarded-for", "2.2.2.2");
    try (EchoServer server = start(rules, as -> as)) {
      server.say("a", one, new EchoServer.ReceivedMetadata());
      assertThat(refused(server, other)).isNotNull();
    }
    try (EchoServer server =
        start(rules, as -> as.trustedProxies(List.of(Network.parse("127.0.0.0/8"))))) {
      server.say("a", one, new EchoServer.ReceivedMetadata());
      server.say("a", other, new EchoServer.ReceivedMetadata());
      assertThat(refused(server, EchoServer.headers("x-forwarded-for", "1.1.1.1"))).isNotNull();
    }
  }

  @Test
  void serverSurvivesFailingAttributes() throws Exception {
    String rules = "rules: [ { name: user, per: user, limit: 1 per day } ]";
    try (CapturedLog log = new CapturedLog("io.weir.embedded");
        EchoServer server =
            start(
                rules,
                as ->
                    as.attribute(
                        "user",
                        (call, headers) -> {
                          if (headers.keys().contains("malformed")) {
                            throw new MalformedRequestException("this token is none");
                          }
                          throw new IllegalStateException("thrown on purpose");
                        }))) {
      assertThat(server.say("a")).isEqualTo("heard a");
      assertThat(server.say("b")).isEqualTo("heard b");
      assertThat(log.lines()).hasSize(1);
      assertThat(refused(server, EchoServer.headers("malformed", "1")).getStatus().getDescription())
          .isEqualTo("this token is none");
    }
  }

  @Test
  void failedCallsHaveLimitHeaders() throws Exception {
    try (EchoServer server = start("rules: [ { name: all, limit: 5 per day } ]", as -> as)) {
      StatusRuntimeException failed =
          catchThrowableOfType(StatusRuntimeException.class, () -> server.say("abort"));
      assertThat(failed.getStatus().getCode()).isEqualTo(Status.Code.ABORTED);
      assertThat(all(failed, "x-ratelimit-remaining")).containsExactly("4");
    }
  }

  /** An application may end many calls with one and the same metadata, at the same time. */
  @Test
  void copiesMetadataOfTheApplication() throws Exception {
    Metadata shared = EchoServer.headers("shop", "closed");
    ServerInterceptor closing =
        new ServerInterceptor() {
          @Override
          public <Q, A> ServerCall.Listener<Q> interceptCall(
              ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            call.close(Status.ABORTED, shared);
            return new ServerCall.Listener<>() {};
          }
        };
    WeirServerInterceptor weir =
        WeirServerInterceptor.builder(
                Rules.node("rules: [ { name: all, limit: 5 per day } ]").open())
            .closesNode()
            .build();
    try (EchoServer server = new EchoServer(weir, closing)) {
      for (int left = 4; left >= 3; left--) {
        StatusRuntimeException failed = refused(server, new Metadata());
        assertThat(all(failed, "shop")).containsExactly("closed");
        assertThat(all(failed, "x-ratelimit-remaining")).containsExactly("" + left);
      }
      assertThat(shared.keys()).containsExactly("shop");
    }
  }

  private static List<String> all(StatusRuntimeException failed, String name) {
    return GrpcRequest.values(failed.getTrailers(), name);
  }

  @Test
  void chargesOnceIfInstalledTwice() throws Exception {
    try (Node node = Rules.node("rules: [ { name: all, limit: 5 per day } ]").open();
        WeirServerInterceptor again = WeirServerInterceptor.builder(node).build()) {
      WeirServerInterceptor weir = WeirServerInterceptor.builder(node).build();
      try (EchoServer server = new EchoServer(weir, again, weir)) {
        for (int left = 4; left >= 3; left--) {
          EchoServer.ReceivedMetadata receivedMetadata = new EchoServer.ReceivedMetadata();
          server.say("a", new Metadata(), receivedMetadata);
          assertThat(GrpcRequest.values(receivedMetadata.headers.get(), "x-ratelimit-remaining"))
              .containsExactly("" + left);
        }
      }
    }
  }

  @Test
  void interceptorsOfDifferentNodesChargeEachAndReportTheStricter() throws Exception {
    String rules = "rules: [ { name: inner, limit: { algorithm: sliding-log, rate: 1 per day } } ]";
    try (WeirServerInterceptor inner =
        WeirServerInterceptor.builder(Rules.node(rules).open()).closesNode().build()) {
      WeirServerInterceptor outer =
          WeirServerInterceptor.builder(
                  Rules.node(rules.replace("1 per", "9 per").replace("inner", "outer")).open())
              .closesNode()
              .build();
      try (EchoServer server = new EchoServer(outer, inner)) {
        EchoServer.ReceivedMetadata receivedMetadata = new EchoServer.ReceivedMetadata();
        server.say("a", new Metadata(), receivedMetadata);
        assertThat(GrpcRequest.values(receivedMetadata.headers.get(), "ratelimit-policy"))
            .containsExactly("\"outer\";q=9;w=86400, \"inner\";q=1;w=86400");
        assertThat(GrpcRequest.values(receivedMetadata.headers.get(), "x-ratelimit-limit"))
            .containsExactly("1");
        StatusRuntimeException refused = refused(server, new Metadata());
        assertThat(refused.getStatus().getDescription()).contains("'inner'");
        assertThat(all(refused, "x-ratelimit-limit")).containsExactly("1");
        assertThat(all(refused, "x-ratelimit-remaining")).containsExactly("0");
      }
    }
  }
}
