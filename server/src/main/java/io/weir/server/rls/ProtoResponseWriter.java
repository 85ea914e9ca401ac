package io.weir.server.rls;

import io.weir.proto.ProtoWriter;
import io.weir.rules.http.Header;
import io.weir.server.http.HeaderNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes a {@code RateLimitResponse} of {@code rls.proto}, backwards: see {@link ProtoWriter}. */
final class ProtoResponseWriter {
  private static final int OK = 1;
  private static final int OVER_LIMIT = 2;
  private static final int USUAL_SIZE = 256;
  private static final int USUAL_SIZE_OF_STATUS = 96; // with its share of the headers

  private final ProtoWriter out;

  private ProtoResponseWriter(int size) {
    out = new ProtoWriter(size);
  }

  static ProtoWriter write(RlsResponse rlsResponse) {
    int size = USUAL_SIZE + USUAL_SIZE_OF_STATUS * rlsResponse.statuses().size();
    return new ProtoResponseWriter(size).response(rlsResponse);
  }

  private ProtoWriter response(RlsResponse rlsResponse) {
    if (!rlsResponse.metadata().isEmpty()) {
      int end = out.mark();
      struct(rlsResponse.metadata());
      out.message(6, end);
    }
    List<Header> headers = rlsResponse.headers();
    for (int i = headers.size() - 1; i >= 0; i--) {
      int end = out.mark();
      out.text(2, headers.get(i).value()).bytes(1, HeaderNames.bytes(headers.get(i).name()));
      out.message(3, end);
    }
    List<RlsResponse.DescriptorStatus> statuses = rlsResponse.statuses();
    for (int i = statuses.size() - 1; i >= 0; i--) {
      int end = out.mark();
      status(statuses.get(i));
      out.message(2, end);
    }
    return out.number(1, code(rlsResponse.isOver()));
  }

  private static int code(boolean isOver) {
    return isOver ? OVER_LIMIT : OK;
  }

  private void status(RlsResponse.DescriptorStatus descriptorStatus) {
    if (descriptorStatus.resetSeconds() > 0) {
      int end = out.mark();
      out.number(1, descriptorStatus.resetSeconds());
      out.message(4, end);
    }
    out.number(3, descriptorStatus.remaining());
    RlsResponse.CurrentLimit limit = descriptorStatus.limit();
    if (limit != null) {
      int end = out.mark();
      out.text(3, limit.name());
      out.number(2, limit.envoyUnit().ordinal());
      out.number(1, limit.requestsPerUnit());
      out.message(2, end);
    }
    out.number(1, code(descriptorStatus.isOver()));
  }

  /** A {@code google.protobuf.Struct}. */
  private void struct(Map<?, ? extends @Nullable Object> fields) {
    List<Map.Entry<?, ? extends @Nullable Object>> all = new ArrayList<>(fields.entrySet());
    for (int i = all.size() - 1; i >= 0; i--) {
      int end = out.mark();
      value(2, all.get(i).getValue());
      out.givenText(1, String.valueOf(all.get(i).getKey()));
      out.message(1, end);
    }
  }

  /** A {@code google.protobuf.Value} as a field. */
  private void value(int field, @Nullable Object value) {
    int end = out.mark();
    if (value instanceof String text) {
      out.givenText(3, text);
    } else if (value instanceof Number number) {
      out.decimal(2, number.doubleValue());
    } else if (value instanceof Boolean truth) {
      out.given(4, truth ? 1 : 0);
    } else if (value instanceof Map<?, ?> map) {
      int inner = out.mark();
      struct(map);
      out.message(5, inner);
    } else if (value instanceof List<?> list) {
      int inner = out.mark();
      for (int i = list.size() - 1; i >= 0; i--) {
        value(1, list.get(i));
      }
      out.message(6, inner);
    } else {
      out.given(1, 0);
    }
    out.message(field, end);
  }
}
