package io.weir.server.rls;

import static io.weir.server.rls.RawGrpc.message;
import static io.weir.server.rls.Rls.descriptor;
import static io.weir.server.rls.Rls.request;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.MessageLite;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.weir.rig.Fuzzing;
import io.weir.server.rls.proto.service.RateLimitResponse.Code;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Damaged messages for every method: a response or a client error, never silence. */
class FuzzedCallsTest {
  /** Keys, lengths and numbers of protobuf that are none, or too large, or endless. */
  private static final List<byte[]> PIECES =
      List.of(
          new byte[] {0},
          new byte[] {0x0A, 0x7F},
          new byte[] {0x0A, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 0x0F},
          new byte[] {
            0x08,
            (byte) 0x80,
            (byte) 0x80,
            (byte) 0x80,
            (byte) 0x80,
            (byte) 0x80,
            (byte) 0x80,
            (byte) 0x80,
            (byte) 0x80,
            (byte) 0x80,
            (byte) 0x80,
            0x01
          },
          new byte[] {0x0B, 0x0B, 0x0B, 0x0C},
          new byte[] {(byte) 0xC0, (byte) 0x80},
          "envoy.service.ratelimit.v3.RateLimitService".getBytes(UTF_8));

  private static final String CHECK = "/grpc.health.v1.Health/Check";
  private static Rls rls;

  /** The methods, each with a valid message. */
  enum Method {
    SHOULD_RATE_LIMIT(RawGrpc.METHOD, request("d", descriptor("k", "v")).build()),
    CHECK_HEALTH(CHECK, HealthCheckRequest.newBuilder().setService("ratelimit").build()),
    WATCH_HEALTH(
        "/grpc.health.v1.Health/Watch",
        HealthCheckRequest.newBuilder().setService("ratelimit").build()),
    REFLECT(
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        ServerReflectionRequest.newBuilder()
            .setHost("h")
            .setFileContainingSymbol("grpc.health.v1.Health")
            .build());

    private final String path;
    private final byte[] honest;

    Method(String path, MessageLite honest) {
      this.path = path;
      this.honest = honest.toByteArray();
    }
  }

  @BeforeAll
  static void start() {
    rls =
        Rls.of(
            "domain: d\ndescriptors:\n"
                + "  - key: k\n    rate_limit: { unit: year, requests_per_unit: 100000000 }\n");
  }

  @AfterAll
  static void stop() {
    rls.close();
  }

  @AfterEach
  void servesNextValidCall() {
    assertThat(rls.call("d", descriptor("k", "honest")).getOverallCode()).isEqualTo(Code.OK);
  }

  @ParameterizedTest
  @EnumSource
  void damaged(Method method) {
    Fuzzing.rounds(100, random -> round(method, random));
  }

  @Test
  @Tag("soak")
  void minutesOfDamage() {
    List<Method> all = List.of(Method.values());
    Fuzzing.minutes(random -> round(Fuzzing.pick(all, random), random));
  }

  /** Twenty calls over one connection. */
  private static void round(Method method, Random random) throws IOException {
    try (RawGrpc raw = new RawGrpc(rls.server.servicePort())) {
      for (int i = 0; i < 20; i++) {
        byte[] body = damaged(method.honest, random);
        int id = raw.begin(method.path);
        raw.data(id, true, body);
        if (method == Method.WATCH_HEALTH) { // what is understood stays open
          int next = raw.begin(CHECK);
          raw.data(next, true, message(0, 0, new byte[0]));
          assertThat(raw.outcome(next)).isEqualTo("0");
          raw.reset(id);
        } else {
          assertThat(raw.outcome(id)).matches("0|3|5|8|12|13");
        }
      }
    }
  }

  /** Either the message or its frame. */
  private static byte[] damaged(byte[] honest, Random random) {
    if (random.nextBoolean()) {
      byte[] message = Fuzzing.damaged(honest, PIECES, random);
      return message(0, message.length, message);
    }
    return Fuzzing.damaged(message(0, honest.length, honest), PIECES, random);
  }
}
