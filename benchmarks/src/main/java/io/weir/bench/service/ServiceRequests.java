package io.weir.bench.service;

import io.weir.bench.load.ExpectedResponse;
import io.weir.bench.load.RequestTemplate;
import io.weir.proto.ProtoWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;

/** The same check in the format of each server. */
final class ServiceRequests {
  /** The permits of every limit per hour: no request is ever refused. */
  static final long LIMIT = 2_000_000_000L;

  static final String DOMAIN = "bench";

  /** The limited descriptors: the caller alone, or the first four. */
  static final List<String> DESCRIPTORS = List.of("user", "address", "path", "tenant");

  private static final int OK = 1;
  private static final int DELIMITED = 2;
  private static final int VARINT = 0;

  private final int callers;

  /**
   * For this many callers.
   *
   * @param callers 1 for a hot key
   */
  ServiceRequests(int callers) {
    this.callers = callers;
  }

  private static String value(String descriptor, int caller) {
    return switch (descriptor) {
      case "user" -> "user-" + caller;
      case "address" -> "10.1." + caller / 256 % 256 + "." + caller % 256;
      case "path" -> "/api/v1/orders/" + caller % 100;
      default -> "tenant-" + caller % 10;
    };
  }

  /** {@code ShouldRateLimit}, with that many descriptors; any OK is accepted. */
  RequestTemplate rls(int descriptors) {
    return rls(descriptors, ExpectedResponse.bytes(tag(1, VARINT), OK));
  }

  /**
   * The same, but an OK must report the first limit: one sent because the store was unavailable
   * does not count.
   */
  RequestTemplate rlsDecided(int descriptors) {
    return rls(
        descriptors,
        ExpectedResponse.bytes(
            tag(1, VARINT),
            OK,
            tag(2, DELIMITED),
            -1,
            tag(1, VARINT),
            OK,
            tag(2, DELIMITED),
            -1,
            tag(1, VARINT),
            (int) (LIMIT & 127 | 128)));
  }

  private RequestTemplate rls(int descriptors, ExpectedResponse expectedResponse) {
    return new RequestTemplate(
        RequestTemplate.Protocol.GRPC,
        "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit",
        each(caller -> rlsRequest(descriptors, caller)),
        expectedResponse);
  }

  private static byte[] rlsRequest(int descriptors, int caller) {
    ProtoWriter request = new ProtoWriter(256); // from the end to the beginning
    for (int i = descriptors - 1; i >= 0; i--) {
      String name = DESCRIPTORS.get(i);
      int descriptor = request.mark();
      int entry = request.mark();
      request.text(2, value(name, caller)).text(1, name).message(1, entry).message(2, descriptor);
    }
    return request.text(1, DOMAIN).toBytes();
  }

  /** Gubernator's {@code GetRateLimits}, with that many limits in one request. */
  RequestTemplate gubernator(int descriptors) {
    return new RequestTemplate(
        RequestTemplate.Protocol.GRPC,
        "/pb.gubernator.V1/GetRateLimits",
        each(caller -> gubernatorRequest(descriptors, caller)),
        // UNDER_LIMIT is 0 and omitted: the limit is the first field of the first response.
        ExpectedResponse.bytes(tag(1, DELIMITED), -1, tag(2, VARINT)));
  }

  private static byte[] gubernatorRequest(int descriptors, int caller) {
    long hour = 3_600_000;
    ProtoWriter request = new ProtoWriter(256); // from the end to the beginning
    for (int i = descriptors - 1; i >= 0; i--) {
      String name = DESCRIPTORS.get(i);
      int limit = request.mark();
      request.number(5, hour).number(4, LIMIT).number(3, 1);
      request.text(2, value(name, caller)).text(1, DOMAIN + "." + name).message(1, limit);
    }
    return request.toBytes();
  }

  /** {@code POST /v1/check}. */
  RequestTemplate check() {
    return new RequestTemplate(
        RequestTemplate.Protocol.HTTP,
        "/v1/check",
        each(
            caller ->
                post(
                    "{\"attributes\":{\"user\":\"%s\",\"method\":\"GET\",\"path\":\"%s\"},\"cost\":1}"
                        .formatted(value("user", caller), value("path", caller)))),
        ExpectedResponse.body("{\"allowed\":true"));
  }

  private static byte[] post(String body) {
    return """
        POST /v1/check HTTP/1.1\r
        Host: 127.0.0.1\r
        Content-Type: application/json\r
        Content-Length: %d\r
        \r
        %s"""
        .formatted(body.length(), body)
        .getBytes(StandardCharsets.US_ASCII);
  }

  /** A body for each caller. */
  private interface Body {
    byte[] of(int caller);
  }

  private List<byte[]> each(Body body) {
    return IntStream.range(0, callers).mapToObj(body::of).toList();
  }

  private static int tag(int field, int type) {
    return field << 3 | type;
  }
}
