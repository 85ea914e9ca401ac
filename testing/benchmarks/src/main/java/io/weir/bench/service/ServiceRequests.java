package io.weir.bench.service;

import io.weir.bench.load.ExpectedResponse;
import io.weir.bench.load.RequestTemplate;
import java.io.ByteArrayOutputStream;
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
    Message request = new Message().text(1, DOMAIN);
    for (String name : DESCRIPTORS.subList(0, descriptors)) {
      Message entry = new Message().text(1, name).text(2, value(name, caller));
      request.message(2, new Message().message(1, entry));
    }
    return request.bytes();
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
    Message request = new Message();
    for (String name : DESCRIPTORS.subList(0, descriptors)) {
      request.message(
          1,
          new Message()
              .text(1, DOMAIN + "." + name)
              .text(2, value(name, caller))
              .number(3, 1)
              .number(4, LIMIT)
              .number(5, hour));
    }
    return request.bytes();
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

  /** A protobuf message under construction. */
  private static final class Message {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    Message text(int field, String value) {
      return bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    Message message(int field, Message value) {
      return bytes(field, value.bytes());
    }

    Message number(int field, long value) {
      varint(tag(field, VARINT));
      varint(value);
      return this;
    }

    private Message bytes(int field, byte[] value) {
      varint(tag(field, DELIMITED));
      varint(value.length);
      out.writeBytes(value);
      return this;
    }

    private void varint(long value) {
      long rest = value;
      for (; rest > 127; rest >>>= 7) {
        out.write((int) (rest & 127 | 128));
      }
      out.write((int) rest);
    }

    byte[] bytes() {
      return out.toByteArray();
    }
  }
}
