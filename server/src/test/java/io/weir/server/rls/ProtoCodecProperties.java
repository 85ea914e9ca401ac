package io.weir.server.rls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.ListValue;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.UInt64Value;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import io.weir.rules.envoy.Descriptor;
import io.weir.rules.envoy.DescriptorRequest;
import io.weir.rules.http.Header;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.grpc.GrpcException;
import io.weir.server.grpc.ProtoReader;
import io.weir.server.rls.proto.descriptor.RateLimitDescriptor;
import io.weir.server.rls.proto.service.RateLimitRequest;
import io.weir.server.rls.proto.service.RateLimitResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The messages that are read and written by hand, against the code that protobuf generates. */
class ProtoCodecProperties {
  private static final int ROUNDS = 5_000;
  private static final long MAX_UINT32 = 0xFFFF_FFFFL;
  private static final String[] TEXTS = {
    "", "a", "key", "remote_address", "50.0.0.5", "ä€𝄞", "x".repeat(200), "\u0000", "\u007f\u0080"
  };

  private final Random random = new Random(20_261_115);

  @Test
  void readsWhatGeneratedCodeWrites() {
    for (int i = 0; i < ROUNDS; i++) {
      RateLimitRequest request = request();
      assertThat(read(request.toByteArray())).isEqualTo(expected(request));
    }
  }

  @Test
  void agreesWithGeneratedCodeOnWhatIsDamaged() {
    Map<String, Integer> outcomes = new HashMap<>();
    for (int i = 0; i < 5 * ROUNDS; i++) {
      String ours = requireAgreement(damaged(request().toByteArray()));
      outcomes.merge(ours.startsWith("GrpcException") ? "unreadable" : "read", 1, Integer::sum);
    }
    assertThat(outcomes.get("read")).isGreaterThan(ROUNDS / 10);
    assertThat(outcomes.get("unreadable")).isGreaterThan(ROUNDS / 10);
  }

  /** Reads the bytes both ways and compares; returns what ours said. */
  static String requireAgreement(byte[] bytes) {
    String theirs = theirs(bytes);
    String ours = ours(bytes);
    // Groups, our bounds, and numbers without an end, of which generated code lets some pass.
    if (!ours.contains("unknown type")
        && !ours.contains("may have")
        && !ours.contains("must have at most")
        && !ours.contains("more than ten bytes")) {
      assertThat(ours.startsWith("GrpcException") ? "unreadable" : ours)
          .as(() -> ours + ": " + HexFormat.of().formatHex(bytes))
          .isEqualTo(theirs);
    }
    return ours;
  }

  @Test
  void repeatedFieldsAreMerged() throws InvalidProtocolBufferException {
    RateLimitDescriptor.Builder one = RateLimitDescriptor.newBuilder();
    one.addEntriesBuilder().setKey("k");
    one.getLimitBuilder().setRequestsPerUnit(5);
    RateLimitDescriptor.Builder two = RateLimitDescriptor.newBuilder();
    two.getLimitBuilder().setUnitValue(2);
    two.setHitsAddend(UInt64Value.of(3));
    byte[] joined = one.build().toByteString().concat(two.build().toByteString()).toByteArray();
    ByteString request =
        ByteString.copyFrom(new byte[] {0x0A, 1, 'd', 0x12, (byte) joined.length})
            .concat(ByteString.copyFrom(joined));
    assertThat(read(request.toByteArray()))
        .isEqualTo(expected(RateLimitRequest.parseFrom(request)));
  }

  @Test
  void textsHaveBounds() {
    RateLimitRequest.Builder request =
        Rls.request("d", Rls.descriptor("k", "v".repeat(RlsRequestBuilder.MAX_VALUE_BYTES)));
    assertThat(read(request.build().toByteArray()).descriptors()).hasSize(1);
    RateLimitRequest.Builder longer =
        Rls.request("d", Rls.descriptor("k", "v".repeat(RlsRequestBuilder.MAX_VALUE_BYTES + 1)));
    assertThatThrownBy(() -> read(longer.build().toByteArray()))
        .isInstanceOf(GrpcException.class)
        .hasMessage("a value must have at most 16384 bytes, but has 16385");
  }

  @Test
  void writesWhatGeneratedCodeReads() throws InvalidProtocolBufferException {
    for (int i = 0; i < ROUNDS; i++) {
      RlsResponse rlsResponse = rlsResponse();
      RateLimitResponse expected = expected(rlsResponse);
      assertThat(RateLimitResponse.parseFrom(ProtoResponseWriter.write(rlsResponse).toBytes()))
          .isEqualTo(expected);
    }
  }

  @Test
  void writesJsonThatGeneratedCodeReads() throws InvalidProtocolBufferException {
    for (int i = 0; i < ROUNDS / 10; i++) {
      RlsResponse rlsResponse = rlsResponse();
      RateLimitResponse.Builder read = RateLimitResponse.newBuilder();
      JsonFormat.parser().merge(JsonResponseWriter.write(rlsResponse), read);
      assertThat(read.build()).isEqualTo(expected(rlsResponse));
    }
  }

  @Test
  void readsJsonThatGeneratedCodeWrites() throws InvalidProtocolBufferException {
    for (int i = 0; i < ROUNDS / 10; i++) {
      RateLimitRequest request = request();
      for (JsonFormat.Printer printer :
          List.of(
              JsonFormat.printer(),
              JsonFormat.printer().preservingProtoFieldNames(),
              JsonFormat.printer().printingEnumsAsInts().alwaysPrintFieldsWithNoPresence())) {
        byte[] json = printer.print(request).getBytes(StandardCharsets.UTF_8);
        assertThat(JsonRequestReader.read(json)).isEqualTo(expected(request));
      }
    }
  }

  private static DescriptorRequest read(byte[] bytes) {
    byte[] within = new byte[bytes.length + 7]; // as in a frame: neither begins nor ends there
    System.arraycopy(bytes, 0, within, 3, bytes.length);
    return ProtoRequestReader.read(new ProtoReader(within, 3, 3 + bytes.length));
  }

  private static String ours(byte[] bytes) {
    try {
      return read(bytes).toString();
    } catch (MalformedRequestException e) {
      return String.valueOf(e.getMessage());
    } catch (GrpcException e) {
      return "GrpcException: " + e.getMessage();
    }
  }

  private static String theirs(byte[] bytes) {
    try {
      return expected(RateLimitRequest.parseFrom(bytes)).toString();
    } catch (MalformedRequestException e) {
      return String.valueOf(e.getMessage());
    } catch (InvalidProtocolBufferException e) {
      return "unreadable";
    }
  }

  private static DescriptorRequest expected(RateLimitRequest request) {
    RlsRequestBuilder builder = new RlsRequestBuilder();
    builder.domain(request.getDomain());
    builder.hits(Integer.toUnsignedLong(request.getHitsAddend()));
    for (RateLimitDescriptor descriptor : request.getDescriptorsList()) {
      for (RateLimitDescriptor.Entry entry : descriptor.getEntriesList()) {
        builder.entry(entry.getKey(), entry.getValue());
      }
      if (descriptor.hasLimit()) {
        builder.limit(
            Integer.toUnsignedLong(descriptor.getLimit().getRequestsPerUnit()),
            EnvoyUnit.numbered(descriptor.getLimit().getUnitValue()));
      }
      if (descriptor.hasHitsAddend()) {
        builder.ownHits(descriptor.getHitsAddend().getValue());
      }
      builder.isNegative(descriptor.getIsNegativeHits());
      builder.descriptor();
    }
    return builder.build();
  }

  private RateLimitRequest request() {
    RateLimitRequest.Builder request = RateLimitRequest.newBuilder().setDomain("d" + text());
    request.setHitsAddend(number());
    for (int i = random.nextInt(4); i >= 0; i--) {
      RateLimitDescriptor.Builder descriptor = request.addDescriptorsBuilder();
      for (int k = random.nextInt(4); k > 0; k--) {
        descriptor.addEntriesBuilder().setKey(text()).setValue(text());
      }
      if (random.nextInt(4) == 0) {
        descriptor.getLimitBuilder().setRequestsPerUnit(number()).setUnitValue(random.nextInt(7));
      }
      if (random.nextInt(4) == 0) {
        descriptor.setHitsAddend(UInt64Value.of(random.nextBoolean() ? number() : -1L));
      }
      descriptor.setIsNegativeHits(random.nextInt(8) == 0);
    }
    return request.build();
  }

  private String text() {
    return TEXTS[random.nextInt(TEXTS.length)];
  }

  private int number() {
    return switch (random.nextInt(3)) {
      case 0 -> 0;
      case 1 -> random.nextInt(300);
      default -> random.nextInt();
    };
  }

  private byte[] damaged(byte[] bytes) {
    byte[] damaged = bytes.clone();
    for (int i = random.nextInt(3); i >= 0 && damaged.length > 0; i--) {
      int at = random.nextInt(damaged.length);
      switch (random.nextInt(4)) {
        case 0 -> damaged[at] = (byte) random.nextInt();
        case 1 -> damaged[at] ^= (byte) (1 << random.nextInt(8));
        case 2 -> damaged = java.util.Arrays.copyOf(damaged, at);
        default -> {
          byte[] longer = java.util.Arrays.copyOf(damaged, damaged.length + 3);
          System.arraycopy(damaged, at, longer, at + 3, damaged.length - at);
          damaged = longer;
        }
      }
    }
    return damaged;
  }

  private RlsResponse rlsResponse() {
    List<RlsResponse.DescriptorStatus> statuses = new ArrayList<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      RlsResponse.CurrentLimit limit =
          random.nextBoolean()
              ? null
              : new RlsResponse.CurrentLimit(
                  number() & MAX_UINT32, EnvoyUnit.numbered(random.nextInt(8)), "n" + text());
      statuses.add(
          new RlsResponse.DescriptorStatus(
              random.nextBoolean(), limit, number() & MAX_UINT32, random.nextInt(4)));
    }
    List<Header> headers = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      headers.add(new Header("h" + i, text()));
    }
    Map<String, Object> metadata = random.nextInt(3) == 0 ? map(3) : Map.of();
    return new RlsResponse(random.nextBoolean(), statuses, headers, metadata);
  }

  private Map<String, Object> map(int depth) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      map.put("m" + i + text(), any(depth - 1));
    }
    return map;
  }

  private Object any(int depth) {
    return switch (random.nextInt(depth > 0 ? 6 : 4)) {
      case 0 -> null;
      case 1 -> text();
      case 2 -> random.nextBoolean();
      case 3 -> random.nextBoolean() ? (double) random.nextInt(1000) : random.nextGaussian();
      case 4 -> map(depth);
      default -> {
        List<Object> list = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
          list.add(any(depth - 1));
        }
        yield list;
      }
    };
  }

  private static RateLimitResponse expected(RlsResponse rlsResponse) {
    RateLimitResponse.Builder response = RateLimitResponse.newBuilder();
    response.setOverallCodeValue(rlsResponse.isOver() ? 2 : 1);
    for (RlsResponse.DescriptorStatus descriptorStatus : rlsResponse.statuses()) {
      RateLimitResponse.DescriptorStatus.Builder built = response.addStatusesBuilder();
      built
          .setCodeValue(descriptorStatus.isOver() ? 2 : 1)
          .setLimitRemaining((int) descriptorStatus.remaining());
      if (descriptorStatus.limit() != null) {
        built
            .getCurrentLimitBuilder()
            .setRequestsPerUnit((int) descriptorStatus.limit().requestsPerUnit())
            .setUnit(
                RateLimitResponse.RateLimit.Unit.valueOf(
                    descriptorStatus.limit().envoyUnit().name()))
            .setName(descriptorStatus.limit().name());
      }
      if (descriptorStatus.resetSeconds() > 0) {
        built.getDurationUntilResetBuilder().setSeconds(descriptorStatus.resetSeconds());
      }
    }
    for (Header header : rlsResponse.headers()) {
      response.addResponseHeadersToAddBuilder().setKey(header.name()).setValue(header.value());
    }
    if (!rlsResponse.metadata().isEmpty()) {
      response.setDynamicMetadata(struct(rlsResponse.metadata()));
    }
    return response.build();
  }

  private static Struct struct(Map<?, ?> map) {
    Struct.Builder struct = Struct.newBuilder();
    map.forEach((name, value) -> struct.putFields((String) name, value(value)));
    return struct.build();
  }

  private static Value value(Object any) {
    Value.Builder value = Value.newBuilder();
    if (any == null) {
      value.setNullValue(NullValue.NULL_VALUE);
    } else if (any instanceof String text) {
      value.setStringValue(text);
    } else if (any instanceof Boolean truth) {
      value.setBoolValue(truth);
    } else if (any instanceof Double number) {
      value.setNumberValue(number);
    } else if (any instanceof Map<?, ?> map) {
      value.setStructValue(struct(map));
    } else {
      ListValue.Builder list = ListValue.newBuilder();
      ((List<?>) any).forEach(each -> list.addValues(value(each)));
      value.setListValue(list);
    }
    return value.build();
  }

  @Test
  void decidesDescriptorsInOrder() {
    RateLimitRequest request =
        Rls.request("d", Rls.descriptor("a", "1", "b", "2"), Rls.descriptor("c", "3")).build();
    assertThat(read(request.toByteArray()).descriptors())
        .containsExactly(Descriptor.of("a", "1").and("b", "2"), Descriptor.of("c", "3"));
  }
}
