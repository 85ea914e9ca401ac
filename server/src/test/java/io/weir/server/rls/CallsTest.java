package io.weir.server.rls;

import static io.weir.server.rls.Rls.descriptor;
import static io.weir.server.rls.Rls.request;
import static io.weir.server.rls.Rls.summary;
import static io.weir.server.rls.Rls.withHits;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.weir.rig.CertificateAuthority;
import io.weir.rig.FaultyProxy;
import io.weir.rig.SharedRedis;
import io.weir.rules.http.HeaderStyle;
import io.weir.server.ServerSettings;
import io.weir.server.ServerSettingsBuilder;
import io.weir.server.rls.proto.core.HeaderValue;
import io.weir.server.rls.proto.descriptor.RateLimitDescriptor;
import io.weir.server.rls.proto.service.RateLimitResponse;
import io.weir.server.rls.proto.service.RateLimitResponse.Code;
import io.weir.server.rls.proto.service.RateLimitResponse.DescriptorStatus;
import io.weir.server.rls.proto.service.RateLimitResponse.RateLimit.Unit;
import io.weir.server.rls.proto.service.RateLimitServiceGrpc;
import io.weir.server.rls.proto.service.RateLimitServiceGrpc.RateLimitServiceBlockingStub;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What Envoy's interface has beyond what envoyproxy/ratelimit makes of it. */
class CallsTest {
  private static final String RULES =
      """
      domain: d
      descriptors:
        - key: hour
          rate_limit: { unit: hour, requests_per_unit: 10 }
        - key: bucket
          rate_limit: { unit: minute, requests_per_unit: 6, algorithm: token-bucket, burst: 2 }
        - key: year
          rate_limit: { unit: year, requests_per_unit: 10 }
        - key: half
          rate_limit: { window: 30s, requests_per_unit: 1, name: half-a-minute }
        - key: two
          rate_limit:
            - { unit: second, requests_per_unit: 2 }
            - { unit: day, requests_per_unit: 3 }
      """;

  private static Status.Code codeOf(Runnable call) {
    try {
      call.run();
      return Status.Code.OK;
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode();
    }
  }

  @Test
  void shadowDescriptorOfRefusedRequestHasItsCurrentLimit() {
    String shadow =
        """
        domain: d
        descriptors:
          - key: full
            rate_limit: { unit: hour, requests_per_unit: 0 }
          - key: tried
            shadow_mode: true
            rate_limit: { unit: minute, requests_per_unit: 7 }
        """;
    try (Rls rls = Rls.of(shadow)) {
      RateLimitResponse response = rls.call("d", descriptor("full", "v"), descriptor("tried", "v"));
      assertThat(response.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
      DescriptorStatus tried = response.getStatuses(1);
      assertThat(tried.getCode()).isEqualTo(Code.OK);
      assertThat(tried.getCurrentLimit().getRequestsPerUnit()).isEqualTo(7);
      assertThat(tried.getCurrentLimit().getUnit()).isEqualTo(Unit.MINUTE);
    }
  }

  @Test
  @DisplayName("negative hits give back, from this machine")
  void negativeHits() {
    try (Rls rls = Rls.of(RULES)) {
      assertThat(summary(rls.call("d", withHits(descriptor("hour", "v"), 7))))
          .containsExactly("OK 3");
      RateLimitDescriptor.Builder back = withHits(descriptor("hour", "v"), 5);
      RateLimitResponse response = rls.call("d", back.setIsNegativeHits(true));
      assertThat(response.getOverallCode()).isEqualTo(Code.OK);
      assertThat(summary(rls.call("d", withHits(descriptor("hour", "v"), 8))))
          .containsExactly("OK 0");
      rls.call("d", withHits(descriptor("hour", "v"), 1000).setIsNegativeHits(true));
      assertThat(summary(rls.call("d", descriptor("hour", "v")))).containsExactly("OK 9");
    }
  }

  @ParameterizedTest(name = "{0} per {1}: {2}")
  @CsvSource({
    "3, 2, OK 2 MINUTE, OK 9",
    "0, 1, OVER_LIMIT 0 SECOND, OK 9",
    "3, 4, OK 2 DAY, OK 9",
    "3, 7, OK 2 WEEK, OK 9",
    "4294967295, 3, OK 2147483647 HOUR, OK 8", // all that a limit can count, by the hour's own
    // counter
    "3, 0, INVALID_ARGUMENT, OK 9",
    "3, 8, INVALID_ARGUMENT, OK 9",
    "3, -1, INVALID_ARGUMENT, OK 9",
  })
  void overrides(long requests, int unit, String expected, String configured) {
    try (Rls rls = Rls.of(RULES)) {
      RateLimitDescriptor.Builder request = descriptor("hour", "v");
      request.getLimitBuilder().setRequestsPerUnit((int) requests).setUnitValue(unit);
      String outcome;
      try {
        DescriptorStatus status = rls.call("d", request).getStatuses(0);
        outcome = summary(status) + " " + status.getCurrentLimit().getUnit();
      } catch (StatusRuntimeException e) {
        outcome = e.getStatus().getCode().name();
      }
      assertThat(outcome).isEqualTo(expected);
      assertThat(summary(rls.call("d", descriptor("hour", "v")))).containsExactly(configured);
    }
  }

  @Test
  @DisplayName("a domain that is unknown has no limits, not even a caller's own")
  void overrideOfUnknownDomain() {
    try (Rls rls = Rls.of(RULES)) {
      RateLimitDescriptor.Builder request = descriptor("hour", "v");
      request.getLimitBuilder().setRequestsPerUnit(0).setUnitValue(1);
      assertThat(summary(rls.call("unknown", request))).containsExactly("OK 0");
    }
  }

  @Test
  @DisplayName("other algorithms: the wait until the request fits; a period without a name")
  void otherAlgorithms() {
    try (Rls rls = Rls.of(RULES)) {
      rls.call("d", withHits(descriptor("bucket", "v"), 2));
      DescriptorStatus bucket = rls.call("d", descriptor("bucket", "v")).getStatuses(0);
      assertThat(summary(bucket)).isEqualTo("OVER_LIMIT 0");
      assertThat(bucket.getDurationUntilReset().getSeconds()).isEqualTo(10);
      assertThat(bucket.getCurrentLimit().getRequestsPerUnit()).isEqualTo(6);
      assertThat(bucket.getCurrentLimit().getUnit()).isEqualTo(Unit.MINUTE);

      DescriptorStatus half = rls.call("d", descriptor("half", "v")).getStatuses(0);
      assertThat(half.getCurrentLimit().getUnit()).isEqualTo(Unit.UNKNOWN);
      assertThat(half.getCurrentLimit().getName()).isEqualTo("half-a-minute");
      assertThat(half.getDurationUntilReset().getSeconds()).isEqualTo(26); // 1234 to 1260

      assertThat(summary(rls.call("d", descriptor("two", "v")))).containsExactly("OK 1");
      DescriptorStatus two = rls.call("d", descriptor("two", "v")).getStatuses(0);
      assertThat(two.getCurrentLimit().getUnit()).isEqualTo(Unit.SECOND);
      assertThat(rls.call("d", descriptor("two", "v")).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    }
  }

  @Test
  @DisplayName("headers are those that the settings ask for, over all descriptors together")
  void headers() {
    Set<HeaderStyle.Family> families = EnumSet.of(HeaderStyle.Family.RETRY_AFTER);
    try (Rls rls = Rls.of(1234, s -> s.headers(families), RULES)) {
      assertThat(rls.call("d", descriptor("half", "v")).getResponseHeadersToAddList()).isEmpty();
      assertThat(
              rls.call("d", descriptor("hour", "v"), descriptor("half", "v"))
                  .getResponseHeadersToAddList())
          .containsExactly(HeaderValue.newBuilder().setKey("Retry-After").setValue("26").build());
    }
    try (Rls rls = Rls.of(RULES)) {
      RateLimitResponse response = rls.call("d", descriptor("hour", "v"), descriptor("half", "v"));
      assertThat(response.getResponseHeadersToAddList())
          .extracting(header -> header.getKey() + ": " + header.getValue())
          .contains(
              "X-RateLimit-Remaining: 0",
              "RateLimit: \"half-a-minute\";r=0;t=26, \"d.hour\";r=9;t=2366");
    }
  }

  @Test
  void tokens() {
    ServerSettings.Secret secret = new ServerSettings.Secret("a-long-enough-token");
    try (Rls rls = Rls.of(1234, s -> s.serviceToken(secret), RULES)) {
      assertThatThrownBy(() -> rls.call("d", descriptor("hour", "v")))
          .hasMessage("UNAUTHENTICATED: the bearer token is missing or wrong");
      assertThat(rls.json("{}").statusCode()).isEqualTo(401);
      Metadata metadata = new Metadata();
      metadata.put(
          Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER),
          "Bearer " + secret.value());
      RateLimitResponse response =
          rls.patient()
              .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata))
              .shouldRateLimit(request("d", descriptor("hour", "v")).build());
      assertThat(summary(response)).containsExactly("OK 9");
    }
  }

  /** A refund from a web page also needs authentication: TLS alone does not identify a client. */
  @ParameterizedTest(name = "certificates of clients: {0}")
  @CsvSource({"true, OK", "false, PERMISSION_DENIED"})
  void encryptedCalls(boolean areClientsKnown, Status.Code givingBack) throws Exception {
    CertificateAuthority certificateAuthority = new CertificateAuthority("weir test");
    CertificateAuthority.Identity server = certificateAuthority.issue("server");
    CertificateAuthority.Identity client = certificateAuthority.issue("client");
    UnaryOperator<ServerSettingsBuilder> tls =
        s -> s.tlsCertificate(server.certificate()).tlsKey(server.key());
    UnaryOperator<ServerSettingsBuilder> mutual =
        s -> tls.apply(s).tlsClientCa(certificateAuthority.certificate());
    try (Rls rls = Rls.of(1234, areClientsKnown ? mutual : tls, RULES)) {
      ManagedChannel channel =
          NettyChannelBuilder.forAddress("localhost", rls.server.servicePort())
              .sslContext(
                  GrpcSslContexts.forClient()
                      .trustManager(certificateAuthority.certificate().toFile())
                      .keyManager(client.certificate().toFile(), client.key().toFile())
                      .build())
              .build();
      try {
        RateLimitServiceBlockingStub stub =
            RateLimitServiceGrpc.newBlockingStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS);
        assertThat(summary(stub.shouldRateLimit(request("d", descriptor("hour", "v")).build())))
            .containsExactly("OK 9");
        Metadata page = new Metadata();
        page.put(Metadata.Key.of("origin", Metadata.ASCII_STRING_MARSHALLER), "http://a");
        RateLimitDescriptor.Builder back = descriptor("hour", "v").setIsNegativeHits(true);
        assertThat(
                codeOf(
                    () ->
                        stub.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(page))
                            .shouldRateLimit(request("d", back).build())))
            .isEqualTo(givingBack);
      } finally {
        channel.shutdownNow();
      }
      assertThat(codeOf(() -> rls.call("d", descriptor("hour", "v"))))
          .isEqualTo(Status.Code.UNAVAILABLE); // in clear
    }
  }

  @Test
  void compressedCalls() {
    try (Rls rls = Rls.of(RULES)) {
      RateLimitResponse response =
          rls.patient()
              .withCompression("gzip")
              .shouldRateLimit(request("d", descriptor("hour", "v")).build());
      assertThat(summary(response)).containsExactly("OK 9");
    }
  }

  @Test
  @DisplayName(
      "a deadline that is over before the store answers: DEADLINE_EXCEEDED, and it goes on")
  void deadlines() throws Exception {
    try (FaultyProxy proxy = new FaultyProxy(SharedRedis.empty().port());
        Rls rls =
            Rls.of(
                1234,
                s ->
                    s.store(proxy.url() + "?connect_timeout=20s")
                        .storeTimeout(Duration.ofSeconds(20)),
                RULES);
        RawGrpc raw = new RawGrpc(rls.server.servicePort())) {
      assertThat(summary(rls.call("d", descriptor("year", "v")))).containsExactly("OK 9");
      byte[] body = request("d", descriptor("year", "v")).build().toByteArray();
      proxy.toClient(FaultyProxy.Fault.late(Duration.ofSeconds(4)));
      int id = raw.begin(RawGrpc.METHOD, "grpc-timeout", "1S");
      raw.data(id, true, RawGrpc.message(0, body.length, body));
      assertThat(raw.outcome(id)).isEqualTo("4");
      proxy.heal();
      assertThat(summary(rls.call("d", descriptor("year", "v")))).containsExactly("OK 7");
    }
  }
}
